"""Many requests on one connection without waiting: each is answered, in order, or all that were
whole are answered and the connection ends."""

from __future__ import annotations

import itertools

import pytest

from benchmarks.client import ask as ask_once
from benchmarks.client import running, wait_for
from tests.http.hostile import wire
from tests.http.hostile.conftest import LONG
from tests.http.hostile.wire import HEALTH, TEXT, Wire, ask, chunked, get, post, request

_numbers = itertools.count()

# What is asked, and the status of its answer.
_MIX: tuple[tuple[bytes, int], ...] = (
    (ask("RETURN 1"), 200),
    (ask("RETURN"), 400),
    (post(b"{", "application/json"), 400),
    (get("/none"), 404),
    (post(b"RETURN 2", TEXT), 200),
    (post(b"<x/>", "application/xml"), 415),
    (request("DELETE", "/queries/none"), 404),
    (chunked(b"8\r\nRETURN 3\r\n0\r\n\r\n"), 200),
    (ask("RETURN 1/0"), 400),
    (request("PUT", "/cypher", body=b"x" * 1000), 405),
    (ask("RETURN 1", "Origin: https://evil.example"), 403),
    (ask("RETURN 1", "Accept: image/png"), 406),
    (ask("CREATE (n:Piped) RETURN 1"), 200),
    (ask(LONG, timeout="50ms"), 504),
    (get("/queries", "Accept: text/html"), 200),
    (request("OPTIONS", "/cypher"), 204),
    (get("/static/style.css"), 200),
)


@pytest.mark.parametrize("count", [50, 200])
def test_pipelined(hostile_port: int, count: int) -> None:
    """More than the connection reads ahead."""
    asked = list(itertools.islice(itertools.cycle(_MIX), count))
    with Wire(hostile_port) as connection:
        connection.send(b"".join(data for data, _ in asked))
        got = [connection.read().status for _ in asked]
        assert got == [status for _, status in asked]
        assert connection.answers()


@pytest.mark.parametrize("rubbish", [b"BREW / HTTP/1.1\r\n\r\n", b"\x00" * 100,
                                     b"GET / HTTP/1.1\r\nbroken\r\n\r\n",
                                     chunked(b"zz\r\n"), get("/" + "x" * 300_000)],
                         ids=["method", "bytes", "header", "chunk", "length"])  # fmt: skip
@pytest.mark.parametrize("first", [HEALTH, ask(LONG, timeout="500ms"), HEALTH * 5, ask("RETURN 1")],
                         ids=["short", "long", "five", "query"])  # fmt: skip
def test_what_was_whole_is_answered(hostile_port: int, first: bytes, rubbish: bytes) -> None:
    with Wire(hostile_port) as connection:
        connection.send(first + rubbish)
        for _ in range(5 if first.startswith(HEALTH * 5) else 1):
            assert connection.read().status in (200, 504)
        assert connection.read().status in (400, 431)
        assert connection.ended()


def test_a_body_behind_a_long_query(hostile_port: int) -> None:
    """Reading stops while it runs, and goes on."""
    with Wire(hostile_port) as connection:
        connection.send(ask(LONG, timeout="500ms"))
        connection.send(post(b"RETURN 1" + b" " * 1_000_000, TEXT))
        assert connection.read().status == 504
        assert connection.read().json()["data"] == [[1]]


def test_cancels_between_queries(hostile_port: int) -> None:
    """A cancel behind its query waits for the answer; on another connection it works."""
    first, second = (f"piped-{next(_numbers)}" for _ in range(2))
    with Wire(hostile_port) as one, Wire(hostile_port) as other:
        one.send(ask(LONG, id=first, timeout="20s") + ask(LONG, id=second, timeout="300ms"))
        assert wait_for(lambda: first in running(hostile_port), 10) is not None
        cancels = [request("DELETE", f"/queries/{name}") for name in (first, "none", first)]
        other.send(b"".join(cancels) * 10)
        assert {other.read().status for _ in range(30)} == {200, 404}
        assert one.read().json()["errors"][0]["code"] == "Neo.ClientError.Transaction.Terminated"
        assert one.read().status == 504


def test_one_id_for_fifty(hostile_port: int) -> None:
    """One after another on a connection it is free again each time."""
    name = f"piped-{next(_numbers)}"
    with Wire(hostile_port) as connection:
        connection.send(ask("RETURN 1", id=name) * 50)
        assert {connection.read().status for _ in range(50)} == {200}


def test_smuggled_requests_do_not_run(hostile_port: int) -> None:
    """Two readings of one length must not make two requests of one."""
    inner = post(b"CREATE (:Evil)", TEXT)
    smuggled = [
        request("POST", "/cypher", "Content-Type: text/plain", "Content-Length: 4",
                "Transfer-Encoding: chunked") + b"0\r\n\r\n" + inner,
        request("POST", "/cypher", "Content-Type: text/plain", "Content-Length: 0",
                "Content-Length: 30") + inner,
        request("POST", "/cypher", "Content-Type: text/plain",
                "Transfer-Encoding: xchunked") + inner,
        request("POST", "/cypher", "Content-Type: text/plain",
                "Transfer-Encoding : chunked") + b"0\r\n\r\n" + inner,
        get("/health", "Transfer-Encoding: chunked, identity") + inner,
        request("POST", "/cypher", "Content-Type: text/plain", "X: y\n\nEvil: 1") + inner,
    ]  # fmt: skip
    for sent in smuggled:
        with Wire(hostile_port) as connection:
            connection.send(sent)
            assert connection.read().status == 400
            assert connection.ended()
    assert ask_once(hostile_port, "MATCH (n:Evil) RETURN count(n)").rows() == [[0]]


def test_upgrades_with_a_body_and_more_behind(hostile_port: int) -> None:
    """Clients that would rather speak HTTP/2 are answered in HTTP/1.1, whatever they send."""
    wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    asked = [ask("RETURN 1", *wish), get("/health", *wish), HEALTH]
    asked.append(request("POST", "/cypher", "Content-Type: text/plain", *wish,
                         "Transfer-Encoding: chunked") + b"8\r\nRETURN 1\r\n0\r\n\r\n")  # fmt: skip
    with Wire(hostile_port) as connection:
        connection.send(b"".join(asked) * 5)
        assert [connection.read().status for _ in range(20)] == [200] * 20
        assert connection.answers()
    with Wire(hostile_port) as connection:
        connection.send(wire.get("/health", *wish) + b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert connection.read().status == 200
        assert connection.read().status == 400
        assert connection.ended()
