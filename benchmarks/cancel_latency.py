"""How fast a query of each shape is stopped.

    python -m benchmarks.cancel_latency --tries 50

For each shape and try: the query must show in /queries within a second, and DELETE must end it;
printed are the median and the maximum of the time from DELETE until it is no longer among the
running ones and, where its client waits for an answer, until that client has its error. At the end,
over all shapes, how many ended within 50 ms and within 200 ms.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.client import (
    Background,
    RawConnection,
    Server,
    ask,
    cancel,
    running,
    wait_for,
)
from benchmarks.loop_lag import LoopLag
from cypherd.generator import generate_social_network

TERMINATED = "Neo.ClientError.Transaction.Terminated"
COUNT = "UNWIND range(1, 1000000000) AS x RETURN count(x)"
EXPLOSION = "MATCH p = (:Person)-[:KNOWS*1..15]-(:Person) RETURN count(p)"
SORT = "UNWIND range(1, 10000000) AS x WITH x ORDER BY -x SKIP 9999999 RETURN x"
STREAM = "UNWIND range(1, 9000000) AS x RETURN x, 'a row that fills the socket of a slow client'"
SCAN = "MATCH (a), (b), (c) WHERE a.id + b.id + c.id = -1 RETURN count(*)"
EXPAND = "MATCH (a:Person)--(b)--(c)--(d)--(e)--(f) RETURN count(f.id)"
SHORTEST = (
    "MATCH (a:Person), (b:Person) WHERE a.id < b.id "
    "MATCH p = shortestPath((a)-[:KNOWS*]-(b)) RETURN sum(length(p))"
)
AGGREGATE = "UNWIND range(1, 300000000) AS x RETURN x % 1000 AS k, count(*), max(x), avg(x)"
COLLECT = "UNWIND range(1, 20000000) AS x WITH collect({x: x}) AS xs RETURN size(xs)"
REGEX = (
    "UNWIND range(1, 300000000) AS x WITH toString(x) + 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa' AS s "
    "WHERE s =~ '([0-9]*a*)*b.*' RETURN count(s)"
)
LIST = "RETURN size([x IN range(1, 1000000000) WHERE x % 2 = 0 AND x < 0 | toString(x)])"
# Half a megabyte of text: some seconds of parsing and planning.
PLANNED = "RETURN " + " + ".join(f"size([{n}, {n} + 1, 'a' + {n}])" for n in range(16_000))
WRITE = "UNWIND range(1, 1000000000) AS x CREATE (:Unfinished {x: x})"
QUEUED = "UNWIND range(1, 1000000000) AS x RETURN count(x) + {} AS number"
WAITING = "CREATE (:Waiting)"
WORKERS = 2


@dataclass(slots=True)
class Measured:
    """Seconds, a try each; `wrong` says what did not hold."""

    shown: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        parts = [f"{name:22}"]
        for title, values in (("ended", self.ended), ("answered", self.answered)):
            if values:
                median, most = statistics.median(values) * 1e3, max(values) * 1e3
                parts.append(f"{title} median {median:6.1f} ms, max {most:6.1f} ms")
        if self.shown:
            parts.append(f"shown within {max(self.shown) * 1e3:.0f} ms")
        parts.append(f"tries {len(self.ended)}, wrong {len(self.wrong)}")
        return "  ".join(parts)


@dataclass(slots=True)
class Probe:
    """One server, one numbering of queries."""

    port: int
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    number: int = 0

    def fresh_id(self, shape: str) -> str:
        self.number += 1
        return f"{shape}-{self.number}"

    def is_running(self, query_id: str) -> bool:
        return query_id in running(self.port)

    def stop_measured(self, query_id: str, measured: Measured) -> float:
        """Wait until it shows and for a random moment, then DELETE; the time of the DELETE."""
        shown = wait_for(lambda: self.is_running(query_id), 5.0)
        if shown is None:
            measured.wrong.append(f"{query_id} did not show in /queries")
            return time.monotonic()
        measured.shown.append(shown)
        time.sleep(self.chance.uniform(0.0, 0.4))
        start = time.monotonic()
        answer = cancel(self.port, query_id)
        if answer.status != 200:
            measured.wrong.append(f"DELETE of {query_id}: {answer.status}")
        if wait_for(lambda: not self.is_running(query_id), 5.0) is None:
            measured.wrong.append(f"{query_id} still runs 5 s after DELETE")
        measured.ended.append(time.monotonic() - start)
        return start

    def check_error(self, query: Background, start: float, measured: Measured) -> None:
        answer = query.answer()
        if answer.status != 409 or answer.error()["code"] != TERMINATED:
            measured.wrong.append(f"{query.query_id}: {answer.status} {answer.body[:200]!r}")
        elif query.ended_at is not None:
            measured.answered.append(query.ended_at - start)

    def check_next(self, measured: Measured) -> None:
        try:
            rows = ask(self.port, "MATCH (p:Person {id: 1}) RETURN p.id").rows()
        except AssertionError as error:
            measured.wrong.append(f"the next query failed: {error}")
            return
        if rows != [[1]]:
            measured.wrong.append(f"the next query gave {rows}")


def _asked(query: str) -> Callable[[Probe, str, Measured], None]:
    """A shape that is a query by itself."""

    def once(probe: Probe, query_id: str, measured: Measured) -> None:
        background = Background(probe.port, query, query_id)
        start = probe.stop_measured(query_id, measured)
        probe.check_error(background, start, measured)

    return once


def _slow_client(probe: Probe, query_id: str, measured: Measured) -> None:
    connection = RawConnection(probe.port, receive_buffer=4096)
    try:
        connection.send(STREAM, query_id)
        connection.socket.recv(1024)
        start = probe.stop_measured(query_id, measured)
        # What was sent before still comes; then the error, or the end of the connection.
        received = b""
        with contextlib.suppress(ConnectionError):
            while chunk := connection.socket.recv(1 << 20):
                received = (received + chunk)[-4096:]
                if received.endswith(b"0\r\n\r\n"):
                    break
        measured.answered.append(time.monotonic() - start)
        if TERMINATED.encode() not in received:
            measured.wrong.append(f"{query_id} ended in {received[-200:]!r}")
    finally:
        connection.close()


@contextmanager
def _occupied(probe: Probe, query: str, count: int) -> Iterator[None]:
    """While `count` long queries run; they are cancelled at the end."""
    ids = [probe.fresh_id("occupier") for _ in range(count)]
    others = [Background(probe.port, query, query_id) for query_id in ids]
    try:
        wait_for(lambda: set(ids) <= set(running(probe.port)), 5.0)
        time.sleep(0.1)
        yield
    finally:
        for query_id in ids:
            cancel(probe.port, query_id)
        for other in others:
            other.answer()


def _queued(probe: Probe, query_id: str, measured: Measured) -> None:
    with _occupied(probe, COUNT, WORKERS):
        # A text of its own each time: it has to be planned, too.
        background = Background(probe.port, QUEUED.format(probe.number), query_id)
        start = probe.stop_measured(query_id, measured)
        probe.check_error(background, start, measured)


def _waiting_write(probe: Probe, query_id: str, measured: Measured) -> None:
    with _occupied(probe, WRITE, 1):
        background = Background(probe.port, WAITING, query_id)
        start = probe.stop_measured(query_id, measured)
        probe.check_error(background, start, measured)


SHAPES: dict[str, Callable[[Probe, str, Measured], None]] = {
    "count": _asked(COUNT),
    "scan": _asked(SCAN),
    "expand": _asked(EXPAND),
    "shortest": _asked(SHORTEST),
    "aggregate": _asked(AGGREGATE),
    "collect": _asked(COLLECT),
    "regex": _asked(REGEX),
    "list": _asked(LIST),
    "planning": _asked(PLANNED),
    "explosion": _asked(EXPLOSION),
    "sort": _asked(SORT),
    "slow-client": _slow_client,
    "write": _asked(WRITE),
    "queued": _queued,
    "waiting-write": _waiting_write,
}


def measure(port: int, shape: str, tries: int, seed: int = 1) -> Measured:
    """`tries` cancels of a shape on a server with WORKERS workers and a generated graph."""
    probe = Probe(port, random.Random(seed), number=seed * 1_000_000)
    measured = Measured()
    for _ in range(tries):
        SHAPES[shape](probe, probe.fresh_id(shape), measured)
        probe.check_next(measured)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=50)
    parser.add_argument("--persons", type=int, default=1000)
    parser.add_argument("--shape", choices=SHAPES, action="append")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="cypherd-cancel-") as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=options.persons)
        with Server(store, settings={"workers": WORKERS}) as server:
            everything: list[float] = []
            lag = LoopLag(server.port)
            for shape in options.shape or SHAPES:
                measured = measure(server.port, shape, options.tries)
                print(measured.line(shape), flush=True)
                for wrong in measured.wrong[:5]:
                    print(f"    {wrong}")
                everything += measured.ended
            for limit in (0.05, 0.2):
                share = sum(value <= limit for value in everything) / len(everything)
                print(f"within {limit * 1e3:.0f} ms: {share:.2%} of {len(everything)}")
            print(f"loop lag of 99.9% below {lag.below() * 1e3:g} ms")


if __name__ == "__main__":
    main()
