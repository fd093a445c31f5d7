"""Clients that send slowly, read slowly, close one way, or vanish in the middle."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks.client import Server, ask, cancel, request, running, wait_for
from tests.http.hostile import wire
from tests.http.hostile.conftest import LONG, descriptors
from tests.http.hostile.wire import HEALTH, JSON, TEXT, Wire, chunked, get, post

STREAM = "UNWIND range(1, 50000000) AS x RETURN x, 'some text to make it longer'"
SHORT = {"head_timeout": "1500ms", "body_timeout": "500ms", "keep_alive": "1s"}
_numbers = itertools.count()


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hurried")
    with Server(folder / "store", settings={"map_size": "64MiB", "workers": 2, **SHORT}) as server:
        yield server


_HEAD = b"POST /cypher HTTP/1.1\r\nHost: @HOST@\r\nContent-Type: text/plain\r\n"
_SLOW_BODIES = {
    "nothing of a body": _HEAD + b"Content-Length: 100\r\n\r\n",
    "a part of a body": _HEAD + b"Content-Length: 100\r\n\r\nRETURN",
    "no first chunk": chunked(b""),
    "half a chunk": chunked(b"8\r\nRETU"),
    "no last chunk": chunked(b"8\r\nRETURN 1\r\n"),
    "no end of the trailers": chunked(b"8\r\nRETURN 1\r\n0\r\nX: y\r\n"),
    "half a size": chunked(b"8"),
    "waiting to go on": _HEAD + b"Content-Length: 8\r\nExpect: 100-continue\r\n\r\n",
    "a body of a GET to a page": get("/queries", "Content-Length: 5"),
}
_SLOW_HEADS = {
    "half a line": b"GET /hea",
    "a line": b"GET /health HTTP/1.1\r\n",
    "half a header": b"GET /health HTTP/1.1\r\nHost: @HO",
    "no empty line": b"GET /health HTTP/1.1\r\nHost: @HOST@\r\n",
    "after a request": HEALTH + b"GET /health HTTP/1.1\r\n",
}


@pytest.mark.parametrize("sent", _SLOW_BODIES.values(), ids=_SLOW_BODIES)
def test_a_body_that_does_not_come(hurried: Server, sent: bytes) -> None:
    with Wire(hurried.port) as connection:
        connection.send(sent)
        reply = connection.read()
        if b"GET /queries" not in sent:
            assert reply.status == 408
            assert b"body_timeout" in reply.body
        assert connection.ended()


@pytest.mark.parametrize("sent", _SLOW_HEADS.values(), ids=_SLOW_HEADS)
def test_a_head_that_does_not_come(hurried: Server, sent: bytes) -> None:
    with Wire(hurried.port) as connection:
        connection.send(sent)
        if sent.startswith(HEALTH):
            assert connection.read().status == 200
        reply = connection.read()
        assert reply.status == 408
        assert b"head_timeout" in reply.body
        assert connection.ended()


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"\r\n" * 100, HEALTH], ids=repr)
def test_a_connection_without_a_request_is_closed(hurried: Server, sent: bytes) -> None:
    with Wire(hurried.port) as connection:
        connection.send(sent)
        if sent == HEALTH:
            assert connection.read().status == 200
        assert connection.ended()


def _drip(connection: Wire, data: bytes, ended: threading.Event) -> None:
    with contextlib.suppress(OSError):
        for byte in data:
            if ended.wait(0.1):
                return
            connection.socket.sendall(bytes((byte,)))


@pytest.mark.parametrize(
    ("first", "drip"),
    [
        pytest.param(_HEAD + b"Content-Length: 500\r\n\r\n", b" " * 500, id="body"),
        pytest.param(chunked(b""), b"1\r\nx\r\n" * 100, id="chunks"),
        pytest.param(chunked(b"8;"), b"x" * 500, id="extension"),
        pytest.param(b"GET /health HTTP/1.1\r\n", b"X-Slow: 1\r\n" * 50, id="headers"),
        pytest.param(b"GET /", b"x" * 500, id="target"),
    ],
)
def test_a_byte_from_time_to_time(hurried: Server, first: bytes, drip: bytes) -> None:
    """Whoever sends a little again and again keeps nothing waiting."""
    ended = threading.Event()
    with Wire(hurried.port) as connection:
        connection.send(first)
        sender = threading.Thread(target=_drip, args=(connection, drip, ended), daemon=True)
        sender.start()
        assert connection.read().status == 408
        assert connection.ended()
        ended.set()
        sender.join()


def test_a_large_body_may_take_longer_than_the_limit(hurried: Server) -> None:
    """It is the pace that counts."""
    body = b"RETURN 1" + b" " * 700_000
    with Wire(hurried.port) as connection:
        connection.send(_HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
        began = time.monotonic()
        for start in range(0, len(body), 70_000):
            connection.send(body[start : start + 70_000])
            time.sleep(0.15)
        assert time.monotonic() - began > 1.0
        assert connection.read().status == 200


def test_a_query_may_run_longer_than_the_limits(hurried: Server) -> None:
    with Wire(hurried.port) as connection:
        connection.send(wire.ask(LONG, timeout="3s"))
        assert connection.read().status == 504
        assert connection.answers()


def test_the_next_head_has_time_while_a_query_runs(hurried: Server) -> None:
    with Wire(hurried.port) as connection:
        connection.send(wire.ask(LONG, timeout="2s") + b"GET /health HTTP/1.1\r\n")
        assert connection.read().status == 504
        connection.send(b"Host: @HOST@\r\n\r\n")
        assert connection.read().status == 200


def _fresh() -> str:
    return f"slow-{next(_numbers)}"


def test_many_that_send_nothing(hostile_port: int) -> None:
    """Two hundred open connections, each with half a request, keep nobody else waiting."""
    halves = [*_SLOW_BODIES.values(), *_SLOW_HEADS.values()]
    with contextlib.ExitStack() as stack:
        for i in range(200):
            stack.enter_context(Wire(hostile_port)).send(halves[i % len(halves)])
        began = time.monotonic()
        assert ask(hostile_port, "RETURN 1").rows() == [[1]]
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("format_", ["json", "ndjson", "csv", "html", "text", "msgpack-seq"])
def test_readers_that_stop(hostile_port: int, format_: str) -> None:
    """A stream whose client takes nothing keeps nobody else waiting, and can be stopped."""
    ids = [_fresh() for _ in range(4)]
    with contextlib.ExitStack() as stack:
        for query_id in ids:
            reader = stack.enter_context(Wire(hostile_port, receive_buffer=4096))
            reader.send(wire.ask(STREAM, id=query_id, format=format_))
        assert wait_for(lambda: set(ids) <= set(running(hostile_port)), 10) is not None
        assert ask(hostile_port, "MATCH (n:Kept) RETURN count(n) > 0").rows() == [[True]]
        assert cancel(hostile_port, ids[0]).status == 200
        assert wait_for(lambda: ids[0] not in running(hostile_port), 20) is not None
    assert wait_for(lambda: not set(ids) & set(running(hostile_port)), 20) is not None


def test_a_watcher_that_stops_reading(hostile_port: int) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(20):
            watcher = stack.enter_context(Wire(hostile_port, receive_buffer=4096))
            watcher.send(get("/queries/events"))
        for _ in range(20):
            assert ask(hostile_port, "RETURN 1").rows() == [[1]]


LEAVE: dict[str, Callable[[Wire], None]] = {
    "closes": Wire.close,
    "resets": Wire.reset,
    "closes one way": lambda connection: connection.socket.shutdown(socket.SHUT_WR),
}
CUTS = {
    "before a byte": b"",
    "in the line": b"POST /cyp",
    "in the headers": b"POST /cypher HTTP/1.1\r\nHost: @HOST@\r\nContent-",
    "before the body": _HEAD + b"Content-Length: 100\r\n\r\n",
    "in the body": _HEAD + b"Content-Length: 100\r\n\r\nCREATE (:Evil)",
    "in a chunk": chunked(b"14\r\nCREATE (:E"),
    "before the last chunk": chunked(b"e\r\nCREATE (:Evil)\r\n"),
    "before the last byte": post(b'{"query": "CREATE (:Evil)"}', JSON)[:-1],
    "after half a request behind a whole one": HEALTH + b"POST /cyph",
    "while it waits to go on": _HEAD + b"Content-Length: 14\r\nExpect: 100-continue\r\n\r\n",
}


@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
@pytest.mark.parametrize("sent", CUTS.values(), ids=CUTS)
def test_a_request_that_is_cut(
    hostile_port: int, sent: bytes, leave: Callable[[Wire], None]
) -> None:
    """Nothing of it runs."""
    connection = Wire(hostile_port)
    connection.send(sent)
    leave(connection)
    with contextlib.suppress(wire.NoAnswer, ConnectionError, ValueError):
        while True:
            connection.read()
    assert ask(hostile_port, "MATCH (n:Evil) RETURN count(n)").rows() == [[0]]
    connection.close()


@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
@pytest.mark.parametrize("query", [LONG, STREAM, "UNWIND range(1, 100000000) AS x CREATE (:Evil)"],
                         ids=["read", "stream", "write"])  # fmt: skip
def test_a_query_whose_client_leaves(
    hostile_port: int, query: str, leave: Callable[[Wire], None]
) -> None:
    query_id = _fresh()
    connection = Wire(hostile_port, receive_buffer=4096)
    connection.send(wire.ask(query, id=query_id))
    assert wait_for(lambda: query_id in running(hostile_port), 10) is not None
    leave(connection)
    assert wait_for(lambda: query_id not in running(hostile_port), 20) is not None
    connection.close()


def test_three_hundred_that_come_and_go(target: Server) -> None:
    before = descriptors(target.pid)
    for i in range(300):
        connection = Wire(target.port)
        connection.send(list(CUTS.values())[i % len(CUTS)])
        (Wire.reset if i % 2 else Wire.close)(connection)
    assert wait_for(lambda: descriptors(target.pid) <= before + 12, 15, 0.1) is not None
    assert request(target.port, "GET", "/health").status == 200


_FEW = ("bash", "-c", f'ulimit {{}}; exec {sys.executable} -m cypherd "$@"', "cypherd")


def test_more_connections_than_the_usual_limit(tmp_path: Path) -> None:
    command = [part.format("-Sn 128") for part in _FEW]
    settings = {"map_size": "64MiB", "workers": 2}
    with (
        Server(tmp_path / "store", settings=settings, command=command) as server,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(300):
            stack.enter_context(Wire(server.port)).send(b"GET /heal")
        assert ask(server.port, "RETURN 1").rows() == [[1]]


def test_more_connections_than_there_can_be(tmp_path: Path) -> None:
    """Those over the limit are dropped; the others, and what comes when they have gone, are not."""
    command = [part.format("-n 128") for part in _FEW]
    settings = {"map_size": "64MiB", "workers": 2}
    with Server(tmp_path / "store", settings=settings, command=command) as server:
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(Wire(server.port))
            assert first.answers()
            for _ in range(300):
                stack.enter_context(Wire(server.port)).send(b"GET /heal")
            assert first.answers()
        assert wait_for(lambda: _answers(server.port), 20, 0.1) is not None
        assert ask(server.port, "CREATE (:Kept) RETURN 1").rows() == [[1]]


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError, http.client.HTTPException):
        return request(port, "GET", "/health").status == 200
    return False


def test_the_body_of_a_refused_request_may_still_come(hostile_port: int) -> None:
    """413 is read by a client that goes on sending for a while."""
    with Wire(hostile_port) as connection:
        connection.send(_HEAD + b"Content-Length: 50000000\r\n\r\n")
        for _ in range(50):
            connection.send(b"x" * 50_000)
        assert connection.read().status == 413
        assert connection.ended()


def test_text_is_what_it_is_said_to_be(hostile_port: int) -> None:
    with Wire(hostile_port) as connection:
        connection.send(post(b"RETURN 1", TEXT))
        assert connection.read().json()["data"] == [[1]]
