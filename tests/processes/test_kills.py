"""Processes that are killed: what their queries get, and that nothing is lost or leaks."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks.client import (
    Background,
    RawConnection,
    Server,
    ask,
    cancel,
    registry,
    running,
    wait_for,
)
from benchmarks.kill_rounds import run_rounds
from benchmarks.processes import descendants, process, workers
from tests.processes.conftest import Serve
from tests.processes.waiting import LONG, LONG_WRITE, entry_of, nothing_runs, until, writer_of

SUM = "UNWIND range(1, 6000000) AS x RETURN sum(x)"
SUM_ANSWER = [[18000003000000]]
STREAM = "UNWIND range(1, 9000000) AS x RETURN x, 'some text that takes its place' AS t"
WRITE = "UNWIND range(1, 60000) AS x CREATE (:Item {x: x})"


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def busiest(pids: list[int]) -> int:
    """The process that is at work: the one that uses most processor time just now."""
    before = {pid: _ticks(pid) for pid in pids}
    time.sleep(0.15)
    return max(pids, key=lambda pid: _ticks(pid) - before[pid])


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_a_read_whose_worker_is_lost_runs_again(serve: Serve) -> None:
    server = serve()
    query = Background(server.port, SUM, "again")
    until(server.port, "again", "running")
    kill(busiest(workers(server.pid)))
    assert query.answer().rows() == SUM_ANSWER


def test_but_not_for_ever(serve: Serve) -> None:
    server = serve()
    query = Background(server.port, LONG, "twice")
    for _ in range(2):
        until(server.port, "twice", "running")
        pid = busiest(workers(server.pid))
        kill(pid)
        assert gone(pid)
    answer = query.answer()
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert ask(server.port, SUM).rows() == SUM_ANSWER


def test_a_result_whose_worker_is_lost_is_broken_off(serve: Serve) -> None:
    server = serve()
    connection = RawConnection(server.port, receive_buffer=4096)
    connection.send(STREAM, "half")
    connection.socket.recv(100)
    until(server.port, "half", "streaming")
    kill(busiest(workers(server.pid)))
    tail = b""
    try:
        while data := connection.socket.recv(1 << 20):
            tail = (tail + data)[-100:]
    except ConnectionResetError:
        pass
    assert not tail.endswith(b"0\r\n\r\n")
    assert entry_of(server.port, "half")["state"] == "failed"
    assert ask(server.port, SUM).rows() == SUM_ANSWER


def test_idle_children_are_replaced(serve: Serve) -> None:
    server = serve()
    before = settled(server)
    below = {one.parent for one in descendants(server.pid) if one.nice == 19}
    (template,) = below
    for one in [one.pid for one in descendants(server.pid) if one.parent == template]:
        kill(one)
    assert ask(server.port, SUM).rows() == SUM_ANSWER
    assert ask(server.port, "CREATE (n:Item) RETURN count(n)").rows() == [[1]]
    assert wait_for(lambda: len(descendants(server.pid)) == before, 10) is not None


def test_a_write_whose_writer_is_lost_happens_once(serve: Serve) -> None:
    server = serve()
    ask(server.port, "CREATE (:Item {x: 0})")
    query = Background(server.port, WRITE, "write")
    until(server.port, "write", "running")
    kill(writer_of(server))
    assert query.answer().status == 200
    assert ask(server.port, "MATCH (n:Item) RETURN count(n)").rows() == [[60_001]]


def test_a_write_that_ends_its_writer_is_given_up(serve: Serve) -> None:
    """It is sent again `write_retries` times, alone; others do not share its fate."""
    server = serve(write_retries=1)
    ask(server.port, "CREATE (:Item)")
    query = Background(server.port, "UNWIND range(1, 9000000) AS x CREATE (:Big)", "killer")
    for _ in range(2):
        pid = writer_of(server)
        until(server.port, "killer", "running")
        kill(pid)
        assert gone(pid)
        assert wait_for(partial(writer_is_not, server, pid), 10) is not None
    answer = query.answer()
    assert answer.status == 503
    assert "did not happen" in answer.error()["message"]
    assert ask(server.port, "CREATE (n:Item) RETURN 1").rows() == [[1]]
    assert ask(server.port, "MATCH (n:Big) RETURN count(n)").rows() == [[0]]


def settled(server: Server) -> int:
    """How many processes there are below it when no more are being forked."""
    counts = [0, -1]

    def same() -> bool:
        counts.append(len(descendants(server.pid)))
        return len(set(counts[-5:])) == 1

    assert wait_for(same, 15, 0.1) is not None
    return counts[-1]


def gone(*pids: int) -> bool:
    return wait_for(lambda: not any(_lives(pid) for pid in pids), 10) is not None


def _lives(pid: int) -> bool:
    found = process(pid)
    return found is not None and found.is_alive


def writer_is_not(server: Server, was: int) -> bool:
    try:
        return writer_of(server) != was
    except (AssertionError, OSError):
        return False


def test_a_worker_that_does_not_listen_is_killed(serve: Serve) -> None:
    """Stopped here by a signal; in earnest by whatever cannot be interrupted. A spare takes its
    place."""
    server = serve()
    query = Background(server.port, LONG, "deaf")
    until(server.port, "deaf", "running")
    pid = busiest(workers(server.pid))
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    cancel(server.port, "deaf")
    assert query.answer().status == 409
    assert time.monotonic() - began < 5
    assert gone(pid)
    assert ask(server.port, SUM).rows() == SUM_ANSWER


def test_a_writer_that_does_not_listen_is_killed(serve: Serve) -> None:
    """Those who wait behind it are served by the next one."""
    server = serve(writer_grace="300ms")
    ask(server.port, "CREATE (:Item)")
    query = Background(server.port, LONG_WRITE, "deaf")
    until(server.port, "deaf", "running")
    pid = writer_of(server)
    os.kill(pid, signal.SIGSTOP)
    behind = Background(server.port, "CREATE (:Item)", "behind")
    until(server.port, "behind", "waiting")
    cancel(server.port, "deaf")
    assert query.answer().status == 409
    assert behind.answer().status == 200
    assert gone(pid)
    assert ask(server.port, "MATCH (n:Item) RETURN count(n)").rows() == [[2]]
    assert ask(server.port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


def test_a_crashed_front_is_followed_by_another(serve: Serve) -> None:
    server = serve()
    ask(server.port, "CREATE (:Item)")
    below = descendants(server.pid)
    (template,) = {one.parent for one in below if one.nice == 19}
    (front,) = (one.pid for one in below if one.parent == server.pid and one.pid != template)
    children = [one.pid for one in below if one.parent == template]
    kill(front)
    assert gone(*children)
    server._wait_until_healthy()
    assert ask(server.port, "CREATE (:Item)").status == 200
    assert ask(server.port, "MATCH (n:Item) RETURN count(n)").rows() == [[2]]
    assert len(descendants(server.pid)) >= len(below) - 2


def test_a_dead_template_s_workers_are_replaced_while_queries_wait(serve: Serve) -> None:
    server = serve()
    query = Background(server.port, SUM, "orphan")
    until(server.port, "orphan", "running")
    (template,) = {one.parent for one in descendants(server.pid) if one.nice == 19}
    kill(template)
    assert query.answer().rows() == SUM_ANSWER
    assert ask(server.port, "CREATE (n:Item) RETURN 1").rows() == [[1]]


@pytest.mark.parametrize("kind", ["worker", "writer", "front", "server"])
def test_nothing_acknowledged_is_lost_or_done_twice(tmp_path: Path, kind: str) -> None:
    """A few rounds of benchmarks/kill_rounds.py, which runs hundreds."""
    model, killed, before, after = run_rounds(
        tmp_path / "store", [kind], 3,
        settings={"map_size": "256MiB", "workers": 2, "fronts": 2},
    )  # fmt: skip
    assert model.wrong == []
    assert killed[kind] == 3
    assert model.total_acknowledged > 0
    assert after.processes == before.processes
    assert after.descriptors <= before.descriptors
    assert after.dead_readers == 0


def test_many_cancels_leave_nothing_behind(serve: Serve) -> None:
    """Processes, descriptors and slots are as many as before."""
    server = serve(workers=4)
    before = settled(server)

    def go_away(number: int) -> None:
        connection = RawConnection(server.port)
        connection.send(LONG, f"gone-{number}")
        wait_for(lambda: f"gone-{number}" in running(server.port), 5)
        connection.reset()

    for _ in range(5):
        threads = [threading.Thread(target=go_away, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert nothing_runs(server.port)
    ended = [e for e in registry(server.port)["finished"] if e["id"].startswith("gone-")]
    assert {entry["state"] for entry in ended} == {"disconnected"}
    assert len(ended) == 40
    assert wait_for(lambda: len(descendants(server.pid)) == before, 10) is not None
