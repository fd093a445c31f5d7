"""Several fronts on one port: one server, whichever of them a client has reached."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import (
    Answer,
    RawConnection,
    Server,
    ask,
    cancel,
    registry,
    request,
    running,
    wait_for,
)
from benchmarks.processes import anonymous_memory, descendants, open_descriptors
from tests.http.hostile.test_slow import CUTS, LEAVE
from tests.http.hostile.wire import Wire
from tests.http.test_shortcut import post
from tests.processes.conftest import Serve

LONG = "UNWIND range(1, 100000000000) AS x RETURN count(x)"
READ = "MATCH (n:N {k: $k}) RETURN n.k AS k"


@pytest.fixture
def server(serve: Serve) -> Server:
    server = serve(fronts=3)
    ask(server.port, "CREATE INDEX FOR (n:N) ON (n.k)")
    ask(server.port, "UNWIND range(0, 999) AS k CREATE (:N {k: k})")
    # Each front learns the plan.
    assert wait_for(lambda: {_front(_read(server.port, 1)) for _ in range(20)} >= FRONTS, 20.0)
    return server


FRONTS = {"", "1", "2"}


def _read(port: int, k: int) -> Answer:
    answer = ask(port, READ, {"k": k})
    assert answer.rows() == [[k]]
    return answer


def _front(answer: Answer) -> str:
    """Which front has answered: its number is in the ids that it gives."""
    return answer.headers["cypher-query-id"].partition("-")[0].partition(".")[2]


def _all_answer(port: int, text: str) -> bool:
    return {_front(ask(port, text, {"k": 1})) for _ in range(20)} >= FRONTS


def _front_on(wire: Wire) -> str:
    """Which front answers on this connection. A side front now and then passes a read on, when
    the machine is busy, so its number in one of a few is what counts."""
    found = ""
    for _ in range(8):
        wire.send(post(READ, {"k": 1}))
        found = wire.read().headers["cypher-query-id"].partition("-")[0].partition(".")[2]
        if found:
            break
    return found


def _on_front(port: int, front: str) -> Wire:
    """A connection that this front has taken."""
    for _ in range(200):
        wire = Wire(port)
        if _front_on(wire) == front:
            return wire
        wire.close()
    raise AssertionError(f"no connection came to the front {front!r}")


def _side_fronts(server: Server) -> list[int]:
    """Children of the supervisor that are neither the first front nor the template: these two
    were forked before."""
    return sorted(one.pid for one in descendants(server.pid) if one.parent == server.pid)[2:4]


def test_all_fronts_answer_and_all_is_counted_once(server: Server) -> None:
    time.sleep(0.5)
    before = _inline(server.port)
    for k in range(100):
        _read(server.port, k)
    assert wait_for(lambda: _inline(server.port) - before >= 100, 5.0) is not None
    assert _inline(server.port) - before == 100
    places = {entry["place"] for entry in registry(server.port)["finished"][:50]}
    assert places == {"inline"}


def _inline(port: int) -> int:
    text = request(port, "GET", "/metrics").body.decode()
    name = 'cypherd_query_seconds_count{outcome="finished",place="inline"}'
    return int(float(next(line for line in text.splitlines() if name in line).split()[-1]))


def test_long_texts_are_counted_and_listed_too(server: Server) -> None:
    """What is told of them does not fit in one message."""
    before = _inline(server.port)
    texts = [READ + " " * 5000 + "//" + str(n) for n in range(3)]
    for text in texts:
        assert wait_for(partial(_all_answer, server.port, text), 20.0)
    asked = 60
    ids = [
        ask(server.port, texts[n % 3], {"k": n}).headers["cypher-query-id"] for n in range(asked)
    ]
    # Side fronts tell a few times a second.
    assert wait_for(lambda: _inline(server.port) - before >= asked, 5.0) is not None
    assert wait_for(lambda: len(_listed(server.port).intersection(ids)) >= 40, 5.0) is not None


def _listed(port: int) -> set[str]:
    return {entry["id"] for entry in registry(port)["finished"]}


def test_a_slow_read_of_a_side_front_is_logged(tmp_path: Path) -> None:
    settings = {"map_size": "64MiB", "workers": 2, "fronts": 2, "log_slow_queries": "true",
                "slow_query": "1us"}  # fmt: skip
    log = tmp_path / "log"
    with Server(tmp_path / "store", settings=settings, log=log) as server:
        fronts = {"", "1"}
        query = "RETURN $k AS k"
        assert wait_for(
            lambda: {_front(ask(server.port, query, {"k": 1})) for _ in range(20)} >= fronts, 20.0
        )
        answers = [ask(server.port, query, {"k": 2}) for _ in range(20)]
        asked = next(a.headers["cypher-query-id"] for a in answers if _front(a) == "1")
    assert f"slow query {asked}: finished" in log.read_text()


@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
def test_clients_that_leave_at_once_harm_no_other(
    server: Server, leave: Callable[[Wire], None]
) -> None:
    """Their descriptors are closed once: a second time would close another client's."""
    time.sleep(1.0)
    before = open_descriptors(server.pid)
    for n in range(240):
        wire = Wire(server.port)
        wire.send(list(CUTS.values())[n % len(CUTS)])
        leave(wire)
        assert ask(server.port, "MATCH (n:Evil) RETURN count(n)", timeout=10).rows() == [[0]]
        wire.close()
    assert wait_for(lambda: open_descriptors(server.pid) <= before + 12, 15.0) is not None


@pytest.mark.parametrize("front", sorted(FRONTS))
def test_a_connection_goes_back_and_forth(server: Server, front: str) -> None:
    """Short reads, writes, streams, errors and pages on one connection, in order."""
    with _on_front(server.port, front) as wire:
        for k in range(5):
            for query, params in (
                (READ, {"k": k}),
                ("CREATE (n:Made {k: $k}) RETURN n.k AS k", {"k": k}),
                (READ, {"k": k}),
                ("UNWIND range(1, 20000) AS x WITH x, $k AS k RETURN k, x", {"k": k}),
                ("RETURN 1 / (1 - $k) AS k", {"k": 1}),
                (READ, {"k": k}),
            ):
                wire.send(post(query, params))
                reply = wire.read()
                if "1 /" in query:
                    assert reply.status == 400
                else:
                    assert reply.json()["data"][0][0] == k
            wire.send(post("RETURN $k AS k", {"k": k}, "Expect: 100-continue\r\n"))
            assert wire.read().json()["data"] == [[k]]
            assert wire.answers()
            # Two pieces of a request; three requests in one piece.
            whole = post(READ, {"k": k})
            wire.send(whole[:50])
            time.sleep(0.02)
            wire.send(whole[50:])
            assert wire.read().json()["data"] == [[k]]
            wire.send(whole + post("CREATE (n:M) RETURN 7 AS k", {}) + whole)
            assert [wire.read().json()["data"] for _ in range(3)] == [[[k]], [[7]], [[k]]]
        # It has come back: the ids are those of its front again.
        assert _front_on(wire) == front


def test_a_busy_connection_outlives_an_idle_tunnel(serve: Serve) -> None:
    """The first front sees no request for longer than it keeps a connection."""
    server = serve(fronts=2, keep_alive="2s")
    ask(server.port, "CREATE INDEX FOR (n:N) ON (n.k)")
    ask(server.port, "CREATE (:N {k: 1})")
    assert wait_for(lambda: {_front(_read(server.port, 1)) for _ in range(20)} >= {"", "1"}, 20.0)
    with _on_front(server.port, "1") as wire:
        for round_ in range(2):
            wire.send(post("CREATE (n:M {k: $k}) RETURN n.k AS k", {"k": round_}))
            assert wire.read().json()["data"] == [[round_]]
            end = time.monotonic() + 4.0
            while time.monotonic() < end:
                wire.send(post(READ, {"k": 1}))
                reply = wire.read()
                assert reply.json()["data"] == [[1]]
                time.sleep(0.1)
            assert reply.headers["cypher-query-id"].partition("-")[0].partition(".")[2] == "1"
        # And one that is idle is closed.
        assert wire.ended()


@pytest.mark.parametrize("front", sorted(FRONTS))
def test_queries_are_listed_and_cancelled_from_any_front(server: Server, front: str) -> None:
    with _on_front(server.port, front) as wire:
        wire.send(post(LONG, {}, f"Cypher-Query-Id: long-{front or 'first'}\r\n"))
        id = f"long-{front or 'first'}"
        assert wait_for(lambda: id in running(server.port), 10.0) is not None
        client = running(server.port)[id]["client"]
        assert client == "{}:{}".format(*wire.socket.getsockname())
        assert cancel(server.port, id).status == 200
        assert wire.read().status == 409


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("front", sorted(FRONTS))
def test_a_client_that_goes_away_ends_its_query(server: Server, front: str, how: str) -> None:
    wire = _on_front(server.port, front)
    wire.send(post(LONG, {}, "Cypher-Query-Id: left\r\n"))
    assert wait_for(lambda: "left" in running(server.port), 10.0) is not None
    getattr(wire, how)()
    assert wait_for(lambda: "left" not in running(server.port), 5.0) is not None


ROWS = 3_000_000
STREAM = f"UNWIND range(1, {ROWS}) AS x RETURN x, 'some text that takes room' AS t"


def _held(server: Server) -> int:
    return sum(map(anonymous_memory, _side_fronts(server)))


def test_a_slow_client_of_a_side_front_is_held_back(server: Server) -> None:
    """Its 114 MB of rows are not gathered in the front that it has reached."""
    with _on_front(server.port, "1") as wire:
        before = _held(server)
        wire.send(post(STREAM, {}))
        time.sleep(1.5)
        assert _held(server) - before < 20 << 20
        assert len(wire.read().json()["data"]) == ROWS
        assert wire.answers()


def test_a_side_front_that_dies_is_replaced_and_its_queries_end(server: Server) -> None:
    wires = [_on_front(server.port, front) for front in ("1", "2")]
    for number, wire in enumerate(wires):
        wire.send(post(LONG, {}, f"Cypher-Query-Id: doomed-{number}\r\n"))
    assert wait_for(lambda: {"doomed-0", "doomed-1"} <= set(running(server.port)), 10.0)
    descriptors = open_descriptors(server.pid)
    for pid in _side_fronts(server):
        os.kill(pid, signal.SIGKILL)
    assert wait_for(lambda: not running(server.port), 10.0) is not None
    assert wait_for(lambda: {_front(_read(server.port, 1)) for _ in range(20)} >= FRONTS, 20.0)
    for wire in wires:
        wire.close()
    assert wait_for(lambda: open_descriptors(server.pid) <= descriptors, 10.0) is not None


def test_the_first_front_that_dies_is_replaced(server: Server) -> None:
    wire = _on_front(server.port, "1")
    fronts = sorted(one.pid for one in descendants(server.pid) if one.parent == server.pid)
    os.kill(fronts[1], signal.SIGKILL)

    def answers() -> bool:
        try:
            return {_front(_read(server.port, k)) for k in range(20)} >= FRONTS
        except (OSError, AssertionError):
            return False

    assert wait_for(answers, 30.0, 0.05) is not None
    assert ask(server.port, "CREATE (:After)").status == 200
    wire.close()


def test_a_restart_of_the_schema_is_seen_by_all(server: Server) -> None:
    """New names and indexes make plans of before void, in every front."""
    ask(server.port, "CREATE (:Fresh {later: 1})")
    ask(server.port, "DROP INDEX ON :N(k)")
    for k in range(30):
        _read(server.port, k)
    ask(server.port, "CREATE INDEX FOR (n:N) ON (n.k)")
    ask(server.port, "MATCH (n:N {k: 5}) SET n.k = 5000")
    for _ in range(20):
        assert ask(server.port, READ, {"k": 5}).rows() == []
        _read(server.port, 5000)
    assert wait_for(lambda: {_front(_read(server.port, 1)) for _ in range(20)} >= FRONTS, 20.0)


def test_many_connections_at_once(server: Server) -> None:
    wrong: list[Any] = []

    def run(seed: int) -> None:
        with Wire(server.port) as wire:
            for k in range(60):
                number = (k * seed) % 1000
                query = READ if k % 7 else "MATCH (n:N {k: $k}) SET n.seen = $k RETURN n.k AS k"
                wire.send(post(query, {"k": number}))
                data = wire.read().json()["data"]
                if data != [[number]]:
                    wrong.append((query, number, data))

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(1, 33)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_it_stops_cleanly_while_all_are_busy(serve: Serve) -> None:
    server = serve(fronts=2, shutdown_grace="1s")
    raw = [RawConnection(server.port) for _ in range(8)]
    for number, connection in enumerate(raw):
        connection.send(LONG if number % 2 else "RETURN 1", f"q{number}")
    assert wait_for(lambda: len(running(server.port)) >= 2, 10.0) is not None
    below = [one.pid for one in descendants(server.pid)]
    assert server.stop() == 0
    assert wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below), 10.0)
    for connection in raw:
        connection.close()


def test_a_taken_port_is_told(server: Server, tmp_path: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cypherd", "serve", "--store", str(tmp_path / "other"),
         "--port", str(server.port), "--fronts", "2"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
    assert json.loads(request(server.port, "GET", "/health").body)["status"] == "ok"
