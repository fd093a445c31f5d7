"""Short requests go a short way; what comes back is the same as by the ordinary one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.http.hostile.wire import Reply, Wire

BY_INDEX = "MATCH (p:Person {id: $id}) RETURN p.id AS id, p.firstName, $id AS asked"
ORDINARY = "Cypher-Timeout: 120s\r\n"
"""A header that says no more than the setting, but keeps a request off the short way."""


def post(query: str, params: dict[str, Any], more: str = "", body: bytes | None = None) -> bytes:
    data = json.dumps({"query": query, "params": params}).encode() if body is None else body
    head = f"POST /cypher HTTP/1.1\r\nHost: @HOST@\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data


def exchange(wire: Wire, data: bytes) -> Reply:
    wire.send(data)
    return wire.read()


def without(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    own = ("cypher-query-id", "date")
    return reply.status, {k: v for k, v in reply.headers.items() if k not in own}, reply.body


@pytest.mark.parametrize(
    "more",
    [
        "",
        "Accept: application/json\r\n",
        "Accept: text/csv\r\n",
        "Accept: application/msgpack\r\n",
        "Accept: text/plain\r\n",
        "Accept-Encoding: gzip\r\n",
        "Accept-Encoding: gzip, identity;q=0\r\n",
        "Accept: image/png\r\n",
        "Host: elsewhere\r\n",
        "Origin: https://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Content-Encoding: br\r\n",
    ],
)
@pytest.mark.parametrize(
    ("query", "params"),
    [
        pytest.param(BY_INDEX, {"id": 7}, id="by index"),
        pytest.param(BY_INDEX, {"id": -1}, id="none"),
        pytest.param(BY_INDEX, {"id": 7.5}, id="float"),
        pytest.param(BY_INDEX, {"id": [7]}, id="list"),
        pytest.param(BY_INDEX, {"id": 2**63}, id="beyond 64 bits"),
        pytest.param(BY_INDEX, {}, id="missing"),
        pytest.param("MATCH (p:Person {id: $id}) RETURN p", {"id": 7}, id="node"),
        pytest.param(
            "MATCH (p:Person {id: $id})-[:KNOWS]-(f) RETURN f.id, f.firstName",
            {"id": 7},
            id="neighbours",
        ),
        pytest.param("RETURN range(1, $n) AS r", {"n": 500}, id="no short read"),
        pytest.param("RETURN 1 / $n AS r", {"n": 0}, id="error at run time"),
        pytest.param("RETURN $n +", {"n": 0}, id="error of syntax"),
    ],
)
def test_both_ways_agree(port: int, more: str, query: str, params: dict[str, Any]) -> None:
    with Wire(port) as wire:
        # The first of a text is planned elsewhere; then its plan is known.
        exchange(wire, post(query, params, ORDINARY))
    with Wire(port) as one, Wire(port) as other:
        short = exchange(one, post(query, params, more))
        ordinary = exchange(other, post(query, params, more + ORDINARY))
    assert without(short)[:1] + without(short)[2:] == without(ordinary)[:1] + without(ordinary)[2:]
    assert short.headers.keys() == ordinary.headers.keys()
    assert without(short)[1] == without(ordinary)[1]


def test_pipelined_requests_keep_their_order(port: int) -> None:
    """Short ones, long ones, errors and GETs between each other."""
    kinds: list[Callable[[int], bytes]] = [
        lambda i: post(BY_INDEX, {"id": i}),
        lambda i: post("UNWIND range(1, 300) AS x RETURN $i AS i, sum(x * x)", {"i": i}),
        lambda i: post("RETURN toInteger($i / 0)", {"i": i}),
        lambda i: b"GET /health HTTP/1.1\r\nHost: @HOST@\r\n\r\n",
        lambda i: post(BY_INDEX, {"id": i}, ORDINARY),
    ]
    with Wire(port) as wire:
        order = [(i * i) % 5 for i in range(60)]
        wire.send(b"".join(kinds[kind](i) for i, kind in enumerate(order)))
        for i, kind in enumerate(order):
            reply = wire.read()
            if kind in (0, 4):
                assert reply.json()["data"][0][2] == i
            elif kind == 1:
                assert reply.json()["data"][0][0] == i
            elif kind == 2:
                assert reply.status == 400
            else:
                assert reply.json()["status"] == "ok"
        assert wire.answers()


def test_a_body_may_come_piece_by_piece(port: int) -> None:
    whole = post(BY_INDEX, {"id": 3})
    with Wire(port) as wire:
        for at in (len(whole) - 1, len(whole) - 30, 40):
            for _ in range(2):
                wire.send(whole[:at])
                wire.send(whole[at:])
                assert wire.read().json()["data"][0][0] == 3


def test_a_short_read_is_in_the_list_of_the_finished(port: int) -> None:
    with Wire(port) as wire:
        exchange(wire, post(BY_INDEX, {"id": 5}))
        reply = exchange(wire, post(BY_INDEX, {"id": 5}))
        id = reply.headers["cypher-query-id"]
        wire.send(f"GET /queries/{id} HTTP/1.1\r\nHost: @HOST@\r\n\r\n".encode())
        told = wire.read().json()
    assert (told["state"], told["place"], told["rows"]) == ("finished", "inline", 1)
    assert told["parameters"] == {"id": 5}


def test_connection_close_is_kept(port: int) -> None:
    with Wire(port) as wire:
        exchange(wire, post(BY_INDEX, {"id": 5}))
        reply = exchange(wire, post(BY_INDEX, {"id": 5}, "Connection: close\r\n"))
        assert (reply.status, reply.closes) == (200, True)
        assert wire.ended()


@pytest.mark.parametrize("count", [2, 300])
def test_short_requests_in_one_piece(port: int, count: int) -> None:
    """More of them than a turn of the loop has room for."""
    with Wire(port) as wire:
        exchange(wire, post(BY_INDEX, {"id": 1}))
        wire.send(b"".join(post(BY_INDEX, {"id": i % 300}) for i in range(count)))
        assert [wire.read().json()["data"][0][2] for _ in range(count)] == [
            i % 300 for i in range(count)
        ]
        assert wire.answers()


def test_limits_hold_for_short_reads(serve: Any) -> None:
    port = serve(max_rows=5).port
    with Wire(port) as wire:
        for query in (
            "CREATE INDEX FOR (n:N) ON (n.k)",
            "UNWIND range(1, 6) AS x CREATE (:N {k: 1})",
            "UNWIND range(1, 5) AS x CREATE (:N {k: 2})",
        ):
            assert exchange(wire, post(query, {})).status == 200
        for _ in range(3):
            many = exchange(wire, post("MATCH (n:N {k: $k}) RETURN n.k", {"k": 1}))
            few = exchange(wire, post("MATCH (n:N {k: $k}) RETURN n.k", {"k": 2}))
            assert (many.status, "max_rows" in many.body.decode()) == (422, True)
            assert few.json()["data"] == [[2]] * 5


def test_a_long_read_of_that_form_leaves_the_loop(serve: Any) -> None:
    """A few rows of much: the turn's budget is spent, and a worker answers."""
    port = serve().port
    with Wire(port) as wire:
        exchange(wire, post("CREATE INDEX FOR (n:N) ON (n.k)", {}))
        exchange(
            wire, post("UNWIND range(1, 60) AS x CREATE (:N {k: 1, s: $s})", {"s": "x" * 200_000})
        )
        for _ in range(3):
            reply = exchange(wire, post("MATCH (n:N {k: $k}) RETURN n.s", {"k": 1}))
            assert len(reply.json()["data"]) == 60
        wire.send(b"GET /queries HTTP/1.1\r\nHost: @HOST@\r\nAccept: application/json\r\n\r\n")
        places = [entry["place"] for entry in wire.read().json()["finished"][:3]]
    assert all(place.startswith("worker") for place in places), places


def test_below_a_path(limited: int) -> None:
    """Passed on by a proxy or cut off by it."""
    with Wire(limited) as wire:
        exchange(wire, post("RETURN $x AS x", {"x": 1}))
        for url in (b"/cypher", b"/graph/cypher"):
            for _ in range(2):
                reply = exchange(wire, post("RETURN $x AS x", {"x": 1}).replace(b"/cypher", url, 1))
                assert reply.json()["data"] == [[1]]
