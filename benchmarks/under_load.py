"""Point reads while long queries fill the pool.

    python -m benchmarks.under_load --seconds 10

Idle, then with 8 long queries on a pool of 8, then with 200 more that wait: rate, p50 and p99 of
point reads by index, and of /health on a quiet connection of its own, which is the loop's lag as a
client sees it. Before that the same of a bare echo, idle and beside 8 loops at nice 19 that offer
their core every millisecond, as the long queries do: what the machine allows at the time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import load
from benchmarks.cancel_latency import COUNT, EXPLOSION
from benchmarks.client import Background, Server, cancel, running, wait_for
from benchmarks.echo import EchoServer
from benchmarks.loop_lag import LoopLag
from cypherd.generator import generate_social_network

POOL = 8
CONNECTIONS = 8
QUEUED = 200
BUSY = """
import os, time
os.nice(19)
while True:
    end = time.monotonic() + 0.001
    while time.monotonic() < end:
        pass
    os.sched_yield()
"""


def measure(
    port: int, seconds: float, persons: int, kinds: tuple[str, ...] = ("read", "health")
) -> dict[str, Any]:
    """Summaries by kind of load, all at the same time, and the lag meanwhile."""
    loads = {
        kind: load.start(
            port,
            kind,
            connections=1 if kind == "health" else CONNECTIONS,
            seconds=seconds,
            persons=persons,
        )
        for kind in kinds
    }
    lag = LoopLag(port)
    results = {}
    for name, process in loads.items():
        output, _ = process.communicate(timeout=seconds + 60)
        results[name] = json.loads(output)
    results["lag"] = {"999_below_ms": lag.below() * 1e3}
    return results


def occupied(port: int, count: int) -> list[Background]:
    """`count` long reads of two shapes, running."""
    queries = [
        Background(port, (COUNT, EXPLOSION)[i % 2], f"long-{i}-{time.monotonic_ns()}", timeout=600)
        for i in range(count)
    ]
    names = {query.query_id for query in queries}
    if wait_for(lambda: names <= set(running(port)), 10.0) is None:
        raise RuntimeError("the long queries did not all show in /queries")
    return queries


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    """Processes that do nothing but take what others leave of the cores."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--persons", type=int, default=1000)
    parser.add_argument("--worker-priority", choices=("nice", "idle"), default="nice")
    options = parser.parse_args()
    with EchoServer() as echo:
        load.run(echo.port, "echo", connections=CONNECTIONS, seconds=1.0)
        _show("echo", measure(echo.port, options.seconds, options.persons, ("echo",)))
        with busy(POOL):
            _show(
                f"echo, {POOL} busy",
                measure(echo.port, options.seconds, options.persons, ("echo",)),
            )
    with TemporaryDirectory(prefix="cypherd-load-") as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=options.persons)
        settings = {
            "workers": POOL,
            "default_timeout": "600s",
            "worker_priority": options.worker_priority,
        }
        with Server(store, settings=settings) as server:
            load.run(server.port, "read", connections=CONNECTIONS, seconds=1.0)
            _show("idle", measure(server.port, options.seconds, options.persons))
            queries = occupied(server.port, POOL)
            _show(f"{POOL} long queries", measure(server.port, options.seconds, options.persons))
            queries += occupied(server.port, QUEUED)
            _show(f"{QUEUED} more waiting", measure(server.port, options.seconds, options.persons))
            for query in reversed(queries):
                cancel(server.port, query.query_id)
            for query in queries:
                query.answer()


def _show(title: str, results: dict[str, Any]) -> None:
    for name, summary in results.items():
        values = "  ".join(f"{key} {value}" for key, value in summary.items())
        print(f"{title:16} {name:7} {values}", flush=True)


if __name__ == "__main__":
    main()
