"""Short writes go a short way; what comes back and what is written is as by the ordinary one."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.client import Background, Server, ask, cancel, registry, running, wait_for
from tests.http.conftest import Serve
from tests.http.hostile.wire import Reply, Wire
from tests.http.test_shortcut import ORDINARY, exchange, post, without

LONG = "UNWIND range(1, 20000000) AS x CREATE (:Long)"
GET_QUERIES = b"GET /queries HTTP/1.1\r\nHost: @HOST@\r\nAccept: application/json\r\n\r\n"


@pytest.fixture(scope="module")
def constrained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with Server(tmp_path_factory.mktemp("short") / "store", settings={}) as server:
        ask(server.port, "CREATE CONSTRAINT FOR (n:Once) REQUIRE n.k IS UNIQUE")
        ask(server.port, "CREATE (:Once {k: 7}), (:N {k: 1, i: 1, s: 'text'})")
        yield server.port


@pytest.fixture
def server(serve: Serve) -> Server:
    server = serve()
    # The first of a text is planned elsewhere; from the second on its plan is known.
    for k in range(2):
        ask(server.port, "CREATE (n:Short {k: $k}) RETURN n.k", {"k": -k})
    return server


def busy(server: Server) -> Background:
    """The writer has something to do."""
    long = Background(server.port, LONG, "long")
    assert wait_for(lambda: is_running(server), 20.0) is not None
    return long


def is_running(server: Server) -> bool:
    long = running(server.port).get("long")
    return long is not None and long["state"] == "running"


def ended(server: Server, state: str) -> dict[str, Any]:
    """The short write that ended last."""
    found: list[dict[str, Any]] = []

    def there() -> bool:
        texts = registry(server.port)["finished"]
        found[:] = [one for one in texts if "Short {k: $k}" in one["query"]][:1]
        return bool(found) and found[0]["state"] == state

    assert wait_for(there, 20.0) is not None, found
    return found[0]


def waits(server: Server, count: int = 1) -> None:
    def waiting() -> bool:
        return len([one for one in running(server.port).values() if one["id"] != "long"]) == count

    assert wait_for(waiting, 20.0) is not None


def unpacked(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    """Where the compressor is flushed hangs on the time that chunks take: its bytes may differ."""
    status, headers, body = without(reply)
    if headers.get("content-encoding") != "gzip":
        return status, headers, body
    headers.pop("content-length", None)
    return status, headers, gzip.decompress(body)


def short(k: int, more: str = "") -> bytes:
    return post("CREATE (n:Short {k: $k}) RETURN n.k", {"k": k}, more)


def shorts(server: Server) -> list[int]:
    rows = ask(server.port, "MATCH (n:Short) WHERE n.k > 0 RETURN n.k ORDER BY n.k").rows()
    return [row[0] for row in rows]


@pytest.mark.parametrize(
    "more",
    ["", "Accept: text/csv\r\n", "Accept: application/msgpack\r\n",
     "Accept: application/x-ndjson\r\n", "Accept: text/html\r\n", "Accept-Encoding: gzip\r\n",
     "Accept: image/png\r\n", "Origin: https://evil.example\r\n"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("query", "params"),
    [
        pytest.param("MATCH (n:N {k: $k}) SET n.s = 'x' RETURN n.k, n.s", {"k": 1}, id="set"),
        pytest.param("MATCH (n:N {k: $k}) SET n.s = 'x'", {"k": 1}, id="no rows"),
        pytest.param("MATCH (n:N {k: $k}) SET n.s = 'x'", {"k": 99}, id="nothing done"),
        pytest.param("MATCH (n:N) SET n.s = 'x' RETURN range(1, $k)", {"k": 2000}, id="longer"),
        pytest.param(
            "MATCH (n:N) SET n.s = 'x' RETURN reduce(s = '', x IN range(1, $k) | s + toString(x))"
            " AS s UNION ALL UNWIND range(1, 20 * $k) AS s RETURN toString(s) + $t AS s",
            {"k": 2000, "t": "some more text, so that it is beyond spool_memory"},
            id="beyond memory",
        ),
        pytest.param("CREATE (n:Once {k: $k})", {"k": 7}, id="constraint"),
        pytest.param("MATCH (n:N) SET n.s = 'x' RETURN $k / 0", {"k": 1}, id="error"),
        pytest.param("MATCH (n:N) SET n.s = $none", {}, id="missing"),
    ],
)
def test_both_ways_agree(constrained: int, more: str, query: str, params: dict[str, Any]) -> None:
    port = constrained
    for _ in range(2):
        ask(port, query, params)
    with Wire(port) as one, Wire(port) as other:
        ordinary = exchange(other, post(query, params, more + ORDINARY))
        reply = exchange(one, post(query, params, more))
        again = exchange(one, post(query, params, more))
    if "text/html" not in more:
        # A page tells the time and the id.
        assert unpacked(reply) == unpacked(ordinary) == unpacked(again)
    assert reply.status == ordinary.status == again.status
    assert reply.headers.keys() == ordinary.headers.keys()


def test_each_is_written_once_and_listed(server: Server) -> None:
    with Wire(server.port) as wire:
        for k in (1, 2, 3):
            reply = exchange(wire, short(k))
            assert reply.json()["data"] == [[k]]
            assert reply.json()["stats"]["nodes_created"] == 1
            assert "nodes_created" in reply.headers["cypher-stats"]
            # Its own write is there for it at once, and for others.
            assert shorts(server)[-1] == k
        id = reply.headers["cypher-query-id"]
        wire.send(f"GET /queries/{id} HTTP/1.1\r\nHost: @HOST@\r\n\r\n".encode())
        told = wire.read().json()
    assert (told["state"], told["place"], told["rows"]) == ("finished", "writer", 1)
    assert shorts(server) == [1, 2, 3]


def test_pipelined_requests_keep_their_order(server: Server) -> None:
    with Wire(server.port) as wire:
        parts = []
        for k in range(1, 60):
            parts += [short(k), post("MATCH (n:Short {k: $k}) RETURN n.k, 1", {"k": k})]
            if k % 7 == 0:
                parts.append(GET_QUERIES)
        wire.send(b"".join(parts))
        for k in range(1, 60):
            assert wire.read().json()["data"] == [[k]]
            assert wire.read().json()["data"] == [[k, 1]]
            if k % 7 == 0:
                assert "finished" in wire.read().json()
        assert wire.answers()


@pytest.mark.parametrize("reset", [False, True])
def test_one_whose_client_goes_away_is_not_written(server: Server, reset: bool) -> None:
    long = busy(server)
    wire = Wire(server.port)
    wire.send(short(1))
    waits(server)
    if reset:
        wire.reset()
    else:
        wire.close()
    assert ended(server, "disconnected")["parameters"] == {"k": 1}
    cancel(server.port, "long")
    assert long.answer(60).status == 409
    assert shorts(server) == []


def test_one_that_waits_is_cancelled_at_once_and_its_connection_goes_on(server: Server) -> None:
    long = busy(server)
    with Wire(server.port) as wire:
        wire.send(short(1))
        waits(server)
        [id] = [name for name in running(server.port) if name != "long"]
        assert running(server.port)[id]["waiting_for"] == "long"
        cancel(server.port, id)
        reply = wire.read()
        assert (reply.status, reply.headers["cypher-query-id"]) == (409, id)
        assert "cancelled" in reply.body.decode()
        assert ended(server, "cancelled")["id"] == id
        cancel(server.port, "long")
        assert long.answer(60).status == 409
        assert exchange(wire, short(2)).json()["data"] == [[2]]
    assert shorts(server) == [2]


def test_its_deadline_and_a_full_queue(serve: Serve) -> None:
    server = serve(default_timeout="2s", write_queue_limit=1)
    for k in range(2):
        ask(server.port, "CREATE (n:Short {k: $k}) RETURN n.k", {"k": -k})
    with Wire(server.port) as wire, Wire(server.port) as other, Wire(server.port) as long:
        long.send(post(LONG, {}, "Cypher-Query-Id: long\r\nCypher-Timeout: 60s\r\n"))
        assert wait_for(lambda: is_running(server), 20.0) is not None
        wire.send(short(1))
        waits(server)
        full = exchange(other, short(2))
        assert (full.status, "write_queue_limit" in full.body.decode()) == (503, True)
        late = wire.read()
        assert (late.status, "default_timeout" in late.body.decode()) == (504, True)
        cancel(server.port, "long")
        assert long.read().status == 409
    assert shorts(server) == []


def test_writes_end_with_the_server(server: Server) -> None:
    """Those that are acknowledged are there afterwards; one that waits is told so."""
    long = busy(server)
    with Wire(server.port) as wire:
        wire.send(short(1))
        waits(server)
        code = server.stop()
        assert wire.read().status == 503
    assert (code, long.answer(60).status) == (0, 503)
