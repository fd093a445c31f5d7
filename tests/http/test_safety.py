"""A page on the web must not run a query or cancel one, nor get here by DNS rebinding."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from benchmarks.client import Background, Server, ask, cancel, request, running, wait_for

FOREIGN = {"Origin": "https://evil.example"}
CROSS_SITE = {"Sec-Fetch-Site": "cross-site"}
FRIEND = "https://friend.example"
LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x)"
BODIES = [
    ("application/json", b'{"query": "CREATE (:Evil)"}'),
    ("application/x-www-form-urlencoded", b"query=CREATE+(:Evil)"),
    ("text/plain", b"CREATE (:Evil)"),
]


@pytest.mark.parametrize("who", [FOREIGN, CROSS_SITE, {"Origin": "null"}], ids=str)
@pytest.mark.parametrize(("media_type", "body"), BODIES)
def test_a_foreign_page_cannot_run_a_query(
    port: int, who: dict[str, str], media_type: str, body: bytes
) -> None:
    headers = {"Content-Type": media_type, **who}
    answer = request(port, "POST", "/cypher", body=body, headers=headers)
    assert answer.status == 403
    assert answer.error()["code"] == "Neo.ClientError.Security.Forbidden"
    assert "access-control-allow-origin" not in answer.headers
    assert ask(port, "MATCH (n:Evil) RETURN count(n)").rows() == [[0]]


def test_a_foreign_page_cannot_read_by_get(port: int) -> None:
    path = "/cypher?" + urlencode({"query": "RETURN 1"})
    assert request(port, "GET", path, headers=CROSS_SITE).status == 403


@pytest.fixture
def long_query(port: int) -> Iterator[str]:
    query = Background(port, LONG, "long-one")
    assert wait_for(lambda: "long-one" in running(port), 10) is not None
    yield "long-one"
    cancel(port, "long-one")
    query.answer()


@pytest.mark.parametrize("who", [FOREIGN, CROSS_SITE], ids=str)
def test_a_foreign_page_cannot_cancel(port: int, long_query: str, who: dict[str, str]) -> None:
    for method, path in (("DELETE", ""), ("POST", "/cancel")):
        assert request(port, method, f"/queries/{long_query}{path}", headers=who).status == 403
    assert running(port)[long_query]["state"] != "cancelling"


@pytest.mark.parametrize("path", ["/", "/cypher?query=RETURN+1", "/queries", "/health"])
def test_a_foreign_host_is_refused(port: int, path: str) -> None:
    answer = request(port, "GET", path, headers={"Host": "evil.example"})
    assert answer.status == 403
    assert "allowed_hosts" in answer.error()["message"]


def test_own_pages_may_ask(port: int) -> None:
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Origin": f"http://127.0.0.1:{port}",
        "Sec-Fetch-Site": "same-origin",
    }
    answer = request(port, "POST", "/cypher", body=b"query=RETURN+1", headers=headers)
    assert answer.rows() == [[1]]


def test_allowed_origins_get_cors_answers(serve: Any) -> None:
    port = serve(allowed_origins=FRIEND).port
    headers = {"Origin": FRIEND, "Content-Type": "application/json"}
    for body, status in ((b'{"query": "RETURN 1"}', 200), (b'{"query": "RETURN"}', 400)):
        answer = request(port, "POST", "/cypher", body=body, headers=headers)
        assert answer.status == status
        assert answer.headers["access-control-allow-origin"] == FRIEND
    preflight = {**headers, "Access-Control-Request-Method": "DELETE"}
    for path in ("/cypher", "/queries/x"):
        answer = request(port, "OPTIONS", path, headers=preflight)
        assert answer.status == 204
        assert "DELETE" in answer.headers["access-control-allow-methods"]
    missing = request(port, "DELETE", "/queries/x", headers={"Origin": FRIEND})
    assert (missing.status, missing.headers["access-control-allow-origin"]) == (404, FRIEND)
    foreign = request(port, "OPTIONS", "/cypher", headers=FOREIGN)
    assert "access-control-allow-origin" not in foreign.headers


def test_a_public_address_is_refused_at_the_start(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cypherd", "serve", "--store", str(tmp_path / "store")]
    done = subprocess.run(
        [*command, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "--insecure-public" in done.stderr
    assert "Traceback" not in done.stderr


def test_texts_of_other_clients_can_be_hidden(serve: Any) -> None:
    server: Server = serve(hide_queries="true")
    query = Background(server.port, LONG, "secret")
    assert wait_for(lambda: "secret" in running(server.port), 10) is not None
    assert running(server.port)["secret"]["query"] == LONG
    cancel(server.port, "secret")
    assert query.answer().status == 409
