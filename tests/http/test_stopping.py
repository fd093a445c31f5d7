"""Queries are seen and stopped: by a call, by the button, by their deadline, by going away."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.client import (
    Background,
    RawConnection,
    ask,
    cancel,
    post_cypher,
    registry,
    request,
    running,
    wait_for,
)

LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x)"
STREAM = "UNWIND range(1, 9000000) AS x RETURN x, 'some text that takes its place' AS t"
HTML = {"Accept": "text/html"}


def fresh_id() -> str:
    return f"query-{uuid.uuid4()}"


def started(port: int, query_id: str) -> None:
    assert wait_for(lambda: query_id in running(port), 10) is not None


def end_of(port: int, query_id: str) -> dict[str, Any]:
    """The finished entry, waited for."""
    found: dict[str, Any] = {}

    def over() -> bool:
        found.update({e["id"]: e for e in registry(port)["finished"]})
        return query_id in found

    assert wait_for(over, 10) is not None
    entry: dict[str, Any] = found[query_id]
    return entry


@pytest.mark.parametrize(
    "query",
    [
        pytest.param(LONG, id="count"),
        pytest.param("UNWIND range(1, 10000000) AS x RETURN x ORDER BY -x", id="sort"),
        pytest.param("MATCH p = (:Person)-[:KNOWS*1..8]-() RETURN count(p)", id="explosion"),
        pytest.param("UNWIND range(1, 100000000) AS x CREATE (:Never {x: x})", id="write"),
    ],
)
def test_delete_ends_a_query(port: int, query: str) -> None:
    query_id = fresh_id()
    background = Background(port, query, query_id)
    started(port, query_id)
    assert running(port)[query_id]["query"] == query
    answer = cancel(port, query_id)
    assert answer.status == 200
    assert answer.json()["state"] in ("cancelling", "cancelled")
    got = background.answer()
    assert got.status == 409
    assert got.error()["code"] == "Neo.ClientError.Transaction.Terminated"
    assert end_of(port, query_id)["state"] == "cancelled"
    again = cancel(port, query_id)
    assert (again.status, again.json()["state"]) == (200, "cancelled")
    assert ask(port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


def test_an_id_is_in_use_while_its_query_runs(port: int) -> None:
    background = Background(port, LONG, "taken")
    started(port, "taken")
    assert ask(port, "RETURN 1", query_id="taken").status == 409
    assert cancel(port, "taken").status == 200
    background.answer()
    assert ask(port, "RETURN 1", query_id="taken").rows() == [[1]]


def test_the_button_leads_back(port: int) -> None:
    background = Background(port, LONG, "pressed")
    started(port, "pressed")
    page = request(port, "GET", "/queries", headers=HTML)
    assert b'action="/queries/pressed/cancel"' in page.body
    pressed = request(port, "POST", "/queries/pressed/cancel", headers=HTML)
    assert pressed.status == 303
    assert background.answer().status == 409
    back = request(port, "GET", pressed.headers["location"], headers=HTML)
    assert b'role="status">Query pressed' in back.body


def test_a_slow_client_s_query_is_stopped(port: int) -> None:
    connection = RawConnection(port, receive_buffer=4096)
    connection.send(STREAM, "slow-one")
    connection.socket.recv(100)
    assert wait_for(lambda: running(port)["slow-one"]["state"] == "streaming", 10) is not None
    assert cancel(port, "slow-one").status == 200
    assert end_of(port, "slow-one")["state"] == "cancelled"
    connection.socket.settimeout(60)
    tail = b""
    while data := connection.socket.recv(1 << 20):
        tail = (tail + data)[-2000:]
        if tail.endswith(b"0\r\n\r\n"):
            break
    connection.close()
    # Either told in the body or broken off; never a body that looks whole.
    assert b"Terminated" in tail or not tail.endswith(b"0\r\n\r\n")


def _half_close(connection: RawConnection) -> None:
    connection.socket.shutdown(1)


@pytest.mark.parametrize(
    "leave", [RawConnection.close, RawConnection.reset, _half_close], ids=["fin", "rst", "half"]
)
@pytest.mark.parametrize("query", [LONG, STREAM], ids=["running", "streaming"])
def test_a_client_that_goes_away_ends_its_query(
    port: int, query: str, leave: Callable[[RawConnection], None]
) -> None:
    query_id = fresh_id()
    connection = RawConnection(port, receive_buffer=4096)
    connection.send(query, query_id)
    started(port, query_id)
    leave(connection)
    assert end_of(port, query_id)["state"] == "disconnected"
    assert query_id not in running(port)
    connection.close()


@pytest.mark.parametrize("more", [1, 10])
def test_also_with_requests_pipelined(port: int, more: int) -> None:
    first = fresh_id()
    connection = RawConnection(port)
    requests = [post_cypher(port, LONG, {}, query_id=first)]
    requests += [post_cypher(port, LONG, {}, query_id=f"next-{i}") for i in range(more)]
    connection.socket.sendall(b"".join(requests))
    started(port, first)
    connection.close()
    assert end_of(port, first)["state"] == "disconnected"
    assert not [name for name in running(port) if name.startswith("next-")]


def test_a_deadline_ends_a_query(port: int) -> None:
    body = json.dumps({"query": LONG, "timeout": "200ms", "id": "late"}).encode()
    headers = {"Content-Type": "application/json"}
    answer = request(port, "POST", "/cypher", body=body, headers=headers)
    assert answer.status == 504
    assert "timeout of 0.2 s" in answer.error()["message"]
    assert end_of(port, "late")["state"] == "timed out"


def test_the_registry_keeps_what_ran(port: int) -> None:
    ask(port, "UNWIND range(1, 5) AS x RETURN x", query_id="kept")
    entry = request(port, "GET", "/queries/kept").json()
    assert (entry["state"], entry["rows"]) == ("finished", 5)
    assert entry["query"] == "UNWIND range(1, 5) AS x RETURN x"
    ask(port, "RETURN 1/0", query_id="broken")
    entry = request(port, "GET", "/queries/broken").json()
    assert entry["state"] == "failed"
    assert entry["error"]["code"].endswith("ArithmeticError")
