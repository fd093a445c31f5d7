"""The interface as OpenAPI: it names what there is, and schemathesis finds nothing against it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from benchmarks.client import Server, ask, request
from cypherd.render.registry import RENDERERS
from cypherd.server.app import ENDPOINTS

# What has a page or a file in place of an interface for programs.
_LEFT_OUT = {"/", "/runningQueries", "/openapi.json", "/static/{path}"}


@pytest.fixture(scope="module")
def document(port: int) -> Any:
    answer = request(port, "GET", "/openapi.json")
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    return answer.json()


def test_every_endpoint_is_in_it(document: Any) -> None:
    told = {(method.upper(), path) for path, item in document["paths"].items() for method in item
            if method != "parameters"}  # fmt: skip
    assert told == {(method, path) for method, path, _ in ENDPOINTS if path not in _LEFT_OUT}


def test_every_format_is_in_it(document: Any) -> None:
    content = document["paths"]["/cypher"]["post"]["responses"]["200"]["content"]
    assert {kind for renderer in RENDERERS for kind in renderer.media_types} == set(content)


def test_it_follows_the_root_path(serve: Any) -> None:
    port = serve(root_path="/graph").port
    assert request(port, "GET", "/openapi.json").json()["servers"] == [{"url": "/graph"}]


def test_schemathesis(serve: Any) -> None:
    """Made-up requests, right and wrong, get answers that the document allows, and no 500."""
    server: Server = serve(default_timeout="2s")
    url = f"http://127.0.0.1:{server.port}/openapi.json"
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", url,
        "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,"
        "response_schema_conformance",
        # An endless stream cannot be waited for.
        "--exclude-path", "/queries/events",
        # It writes no streams of records; test_bulk.py does.
        "--exclude-path", "/bulk",
        "--max-examples", "60", "--request-timeout", "10", "--seed", "1", "--no-color",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert ask(server.port, "RETURN 1 AS one").rows() == [[1]]
