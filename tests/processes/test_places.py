"""Where a query runs, what it waits for, and which limit ends it."""

from __future__ import annotations

import os
import threading
import time
import urllib.parse

import pytest

from benchmarks.client import Background, RawConnection, ask, cancel, request, wait_for
from benchmarks.processes import descendants, workers
from tests.processes.conftest import Serve
from tests.processes.waiting import (
    LONG,
    LONG_WRITE,
    ask_within,
    entry_of,
    fill,
    last_finished,
    nothing_runs,
    until,
)

SEEK = "MATCH (n:Item {key: $key}) RETURN n.key"


def place_of(port: int, query: str, **params: object) -> str:
    assert ask(port, query, params).status == 200
    place: str = last_finished(port)["place"]
    return place


def comes_inline(port: int, query: str, **params: object) -> bool:
    """Within a few tries: the first may spend its budget on compiling the plan."""
    return any(place_of(port, query, **params) == "inline" for _ in range(4))


def with_items(port: int) -> None:
    ask(port, "CREATE INDEX FOR (n:Item) ON (n.key)")
    ask(port, "UNWIND range(1, 1000) AS x CREATE (:Item {key: x})")


def test_each_kind_has_its_place(port: int) -> None:
    with_items(port)
    assert place_of(port, SEEK, key=7).startswith("worker")
    assert comes_inline(port, SEEK, key=8)
    assert place_of(port, "MATCH (n:Item {key: 1}) SET n.seen = true") == "writer"
    assert place_of(port, "EXPLAIN CREATE (:Item)") != "writer"
    assert ask(port, "MATCH (n:Item) RETURN count(n)").rows() == [[1000]]
    everything = "MATCH (a:Item), (b:Item) WHERE a.key < b.key RETURN count(*)"
    for _ in range(2):
        assert place_of(port, everything).startswith("worker")


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="needs Linux")
@pytest.mark.parametrize("priority", ["nice", "idle"])
def test_only_workers_yield_to_all_else(serve: Serve, priority: str) -> None:
    server = serve(worker_priority=priority)
    below = descendants(server.pid)
    readers = workers(server.pid)
    idle = [one.pid for one in below if os.sched_getscheduler(one.pid) == os.SCHED_IDLE]
    assert readers
    assert sorted(idle) == (sorted(readers) if priority == "idle" else [])
    assert ask(server.port, "UNWIND range(1, 100000) AS x RETURN sum(x)").rows() == [[5000050000]]


def test_a_plan_of_an_older_schema_is_not_run(port: int) -> None:
    """Made before the label existed, it would never find anything."""
    query = "MATCH (n:Later {key: 1}) RETURN n.key"
    for _ in range(3):
        assert ask(port, query).rows() == []
    ask(port, "CREATE (:Later {key: 1})")
    for _ in range(3):
        assert ask(port, query).rows() == [[1]]
    assert place_of(port, query) in ("inline", "worker 1", "worker 2", "worker 3")


def test_a_full_pool_stops_neither_known_nor_new_point_reads(port: int) -> None:
    with_items(port)
    ask(port, SEEK, {"key": 1})
    long = fill(port, 2)
    assert comes_inline(port, SEEK, key=2)
    new = "MATCH (other:Item {key: $key}) RETURN other.key"
    assert ask(port, new, {"key": 3}).rows() == [[3]]
    assert ask(port, "CREATE (n:Other) RETURN 1").rows() == [[1]]
    for query in long:
        cancel(port, query.query_id)
        assert query.answer().status == 409


def test_a_queued_query_shows_and_can_be_stopped(port: int) -> None:
    long = fill(port, 2)
    waiting = Background(port, LONG, "waits")
    until(port, "waits", "queued")
    cancel(port, "waits")
    assert waiting.answer().status == 409
    assert ask_within(port, LONG, "300ms").status == 504
    next_one = Background(port, "UNWIND range(1, 100000) AS x RETURN sum(x)", "next")
    until(port, "next", "queued")
    cancel(port, long[0].query_id)
    assert next_one.answer().rows() == [[5000050000]]
    cancel(port, long[1].query_id)


def test_a_full_queue_is_told(serve: Serve) -> None:
    port = serve(queue_limit=1).port
    ask_within(port, LONG, "10ms")
    long = fill(port, 2)
    waiting = Background(port, LONG, "waits")
    until(port, "waits", "queued")
    answer = ask(port, LONG)
    assert answer.status == 503
    assert "queue_limit" in answer.error()["message"]
    assert "retry-after" in answer.headers
    for query in (*long, waiting):
        cancel(port, query.query_id)
    assert nothing_runs(port)


def test_writes_wait_for_the_one_that_runs(port: int) -> None:
    ask(port, "CREATE (:Item)")
    long = Background(port, LONG_WRITE, "long-write")
    until(port, "long-write", "running")
    second = Background(port, "CREATE (:Item)", "second")
    shown = until(port, "second", "waiting")
    assert shown["waiting_for"] == "long-write"
    assert ask_within(port, "CREATE (:Item)", "300ms").status == 504
    fourth = Background(port, "CREATE (:Item)", "fourth")
    until(port, "fourth", "waiting")
    cancel(port, "fourth")
    assert fourth.answer().status == 409
    assert ask(port, "MATCH (n:Item) RETURN count(n)").rows() == [[1]]
    cancel(port, "long-write")
    assert long.answer().status == 409
    assert second.answer().status == 200
    assert ask(port, "MATCH (n:Item) RETURN count(n)").rows() == [[2]]
    assert ask(port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


def test_writes_at_the_same_time_all_happen_once(port: int) -> None:
    """Short ones share commits; one that takes longer runs by itself among them."""
    ask(port, "CREATE (:Counter {n: 0})")
    ask(port, "MATCH (c:Counter) SET c.n = c.n + 1 RETURN c.n")
    wrong: list[str] = []

    def write(number: int) -> None:
        for _ in range(25):
            answer = ask(port, "MATCH (c:Counter) SET c.n = c.n + 1 RETURN c.n")
            if answer.status != 200:
                wrong.append(answer.body.decode())
        if number % 4 == 0:
            long = ask(port, "UNWIND range(1, 20000) AS x CREATE (:Bulk {x: x})")
            if long.status != 200 or long.json()["stats"]["nodes_created"] != 20_000:
                wrong.append(long.body.decode())

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert ask(port, "MATCH (c:Counter) RETURN c.n").rows() == [[201]]
    assert ask(port, "MATCH (n:Bulk) RETURN count(n)").rows() == [[40_000]]


def test_a_write_over_get_does_not_happen(port: int) -> None:
    for _ in range(2):
        query = urllib.parse.quote("CREATE (:Item)")
        answer = request(port, "GET", f"/cypher?query={query}")
        assert answer.status == 405
        assert answer.headers["allow"] == "POST"
    assert ask(port, "MATCH (n:Item) RETURN count(n)").rows() == [[0]]


@pytest.mark.parametrize(
    ("settings", "query", "status", "named"),
    [
        pytest.param(
            {"query_memory": "64MiB"},
            "UNWIND range(1, 20000000) AS x RETURN size(collect(x))",
            422,
            "query_memory",
            id="memory of a read",
        ),
        pytest.param(
            {"query_memory": "64MiB"},
            "UNWIND range(1, 20000000) AS x WITH collect(x) AS xs CREATE (:Never {n: size(xs)})",
            422,
            "query_memory",
            id="memory of a write",
        ),
        pytest.param(
            {"worker_memory": "500MiB", "query_memory": "8GiB"},
            "UNWIND range(1, 100000000) AS x RETURN size(collect(x))",
            422,
            "worker_memory",
            id="memory of a process",
        ),
        pytest.param(
            {"max_rows": 1000}, "UNWIND range(1, 1001) AS x RETURN x", 422, "max_rows", id="rows"
        ),
        pytest.param(
            {"default_timeout": "200ms"}, LONG, 504, "default_timeout", id="default timeout"
        ),
        pytest.param(
            {"default_timeout": "300ms"}, LONG_WRITE, 504, "default_timeout", id="of a write"
        ),
    ],
)
def test_limits_are_errors_that_name_them(
    serve: Serve, settings: dict[str, object], query: str, status: int, named: str
) -> None:
    port = serve(**settings).port
    answer = ask(port, query)
    assert answer.status == status, answer.body
    assert named in answer.error()["message"]
    for _ in range(3):
        assert ask(port, "UNWIND range(1, 10) AS x RETURN sum(x)").rows() == [[55]]
    assert ask(port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


ROWS = 300_000
STREAM = f"UNWIND range(1, {ROWS}) AS x RETURN x, 'some text that takes its place' AS t"


def test_slow_downloads_do_not_stop_the_pool(serve: Serve) -> None:
    """Their rest is spooled, workers and snapshots are free, and the results come whole."""
    port = serve(slow_client="200ms").port
    slow = [RawConnection(port, receive_buffer=4096) for _ in range(2)]
    for number, connection in enumerate(slow):
        connection.send(STREAM, f"slow-{number}", accept="application/x-ndjson")
        connection.socket.recv(100)
    time.sleep(0.1)
    began = time.monotonic()
    assert ask(port, "UNWIND range(1, 3000) AS x WITH collect(x) AS xs UNWIND xs AS y "
               "RETURN sum(y)").rows() == [[4501500]]  # fmt: skip
    assert time.monotonic() - began < 20
    for number, connection in enumerate(slow):
        assert entry_of(port, f"slow-{number}")["state"] == "streaming"
        body = b""
        while not body.endswith(b"0\r\n\r\n"):
            data = connection.socket.recv(1 << 20)
            assert data, "broken off"
            body = body[-100:] + data
        assert b'{"end":{"rows":%d' % ROWS in body
        until(port, f"slow-{number}", "finished")
        connection.close()


def test_a_spool_is_bounded(serve: Serve) -> None:
    """Past the limit the worker waits for its client again; nothing is cut."""
    port = serve(slow_client="100ms", spool_memory="64KiB", spool_limit="512KiB").port
    connection = RawConnection(port, receive_buffer=4096)
    connection.send(STREAM, "slow", accept="application/x-ndjson")
    connection.socket.recv(100)
    time.sleep(1.5)
    assert entry_of(port, "slow")["rows"] < ROWS
    assert ask(port, "UNWIND range(1, 10) AS x RETURN sum(x)").rows() == [[55]]
    body = b""
    while not body.endswith(b"0\r\n\r\n"):
        data = connection.socket.recv(1 << 20)
        assert data, "broken off"
        body = body[-100:] + data
    assert b'{"end":{"rows":%d' % ROWS in body
    connection.close()
    until(port, "slow", "finished")


def test_a_big_result_of_a_write_comes_whole(serve: Serve) -> None:
    port = serve(spool_memory="64KiB").port
    answer = ask(port, "UNWIND range(1, 20000) AS x CREATE (n:Item {x: x}) RETURN n.x")
    assert [row[0] for row in answer.rows()] == list(range(1, 20_001))
    assert wait_for(lambda: last_finished(port)["state"] == "finished", 5) is not None
