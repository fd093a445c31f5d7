"""`cypherd queries` and `cypherd status` against a server."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator

import pytest

from benchmarks.client import Background, Server, free_port, running, wait_for
from tests.cli.conftest import cypherd, started
from tests.cli.test_query import LONG


@pytest.fixture
def busy(server: Server, request: pytest.FixtureRequest) -> Iterator[Background]:
    """A long query that runs."""
    query_id = f"busy-{abs(hash(request.node.name))}"
    background = Background(server.port, LONG, query_id)
    assert wait_for(lambda: query_id in running(server.port), 30) is not None
    yield background
    cypherd("queries", "cancel", "--url", f"http://127.0.0.1:{server.port}", query_id)


def test_list_shows_what_runs(url: str, busy: Background) -> None:
    shown = cypherd("queries", "list", "--url", url)
    assert shown.returncode == 0, shown.stderr
    (line,) = [line for line in shown.stdout.splitlines() if busy.query_id in line]
    assert "UNWIND range(1, 1000000) AS a" in line
    found = json.loads(cypherd("queries", "list", "--url", url, "--json").stdout)
    assert [entry["id"] for entry in found["running"]] == [busy.query_id]
    assert "finished" not in found


def test_cancel_says_how_it_went(url: str, busy: Background) -> None:
    first = cypherd("queries", "cancel", "--url", url, busy.query_id, "--json")
    assert first.returncode == 0, first.stderr
    (entry,) = json.loads(first.stdout)
    assert entry["state"] == "cancelled"
    assert entry["cancel_ms"] >= 0
    assert busy.answer().status == 409
    finished = cypherd("queries", "list", "--url", url, "--all")
    assert busy.query_id in finished.stdout


def test_an_unknown_id_is_a_failure(url: str) -> None:
    done = cypherd("queries", "cancel", "--url", url, "no-such-query")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no-such-query" in done.stderr


def test_a_query_that_had_ended(server: Server, url: str) -> None:
    assert Background(server.port, "RETURN 1", "ended-before").answer().status == 200
    done = cypherd("queries", "cancel", "--url", url, "ended-before")
    assert (done.returncode, done.stdout) == (0, "ended-before had already ended: finished\n")


def test_watch_looks_again_and_again(url: str, busy: Background) -> None:
    done = cypherd("queries", "watch", "--url", url, "--interval", "0.05", "--count", "2")
    assert done.returncode == 0, done.stderr
    assert busy.query_id in done.stdout
    watching = started("queries", "watch", "--url", url, "--interval", "0.05")
    with pytest.raises(subprocess.TimeoutExpired):
        watching.wait(3.0)
    watching.send_signal(signal.SIGINT)
    assert watching.wait(30) == 0


def test_status(url: str) -> None:
    done = cypherd("status", "--url", url)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{url}: ok\n")
    assert json.loads(cypherd("status", "--url", url, "--json").stdout)["status"] == "ok"


@pytest.mark.parametrize(
    "arguments",
    [("status",), ("queries", "list"), ("queries", "watch"), ("queries", "cancel", "x")],
)
def test_nobody_answers(arguments: tuple[str, ...]) -> None:
    done = cypherd(*arguments, "--url", f"http://127.0.0.1:{free_port()}")
    assert (done.returncode, done.stdout.strip()) == (3, "")
    assert "cannot reach" in done.stderr
