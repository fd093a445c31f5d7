"""Requests a second over HTTP, beside a bare Starlette JSON echo in the same run.

    python -m benchmarks.http_rates --seconds 5

Durable single creates at 1, 32 and 256 connections; at 32 point reads by index, the same with the
value in the text, and one hop to a mean of 20 neighbours with two properties of each. Each also as
a ratio to the echo with the same number of connections. Then point reads from a server with two
fronts, and creates from one that commits each statement by itself. The load generator is one
process.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import load
from benchmarks.client import Server
from benchmarks.echo import EchoServer
from benchmarks.loop_lag import LoopLag
from cypherd.generator import generate_social_network

Run = tuple[str, int]

RUNS: tuple[Run, ...] = (
    ("read", 32), ("literal", 32), ("hop", 32), ("create", 1), ("create", 32), ("create", 256),
)  # fmt: skip
OTHERS: tuple[tuple[dict[str, Any], Run], ...] = (
    ({"fronts": 2}, ("read", 32)), ({"group_limit": 1}, ("create", 256)),
)  # fmt: skip


def measure(
    port: int, echo_port: int, seconds: float, persons: int, runs: Iterable[Run] = RUNS
) -> list[dict[str, Any]]:
    """A row a run: kind, connections, the load's summary, echo's rate and the ratio."""
    echoes: dict[int, float] = {}
    rows = []
    for kind, connections in runs:
        if connections not in echoes:
            summary = load.run(echo_port, "echo", connections=connections, seconds=seconds)
            echoes[connections] = summary["rate"]
        load.run(port, kind, connections=connections, seconds=0.5, persons=persons)
        lag = LoopLag(port)
        summary = load.run(port, kind, connections=connections, seconds=seconds, persons=persons)
        summary["lag_999_below_ms"] = lag.below() * 1e3
        echo = echoes[connections]
        ratio = round(summary["rate"] / echo, 3) if echo else None
        rows.append(
            {"kind": kind, "connections": connections, **summary, "echo": echo, "ratio": ratio}
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--persons", type=int, default=1000)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="cypherd-rates-") as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=options.persons, knows=20)
        servers: list[tuple[dict[str, Any], Iterable[Run]]] = [({}, RUNS)]
        servers += [(settings, (run,)) for settings, run in OTHERS]
        for settings, runs in servers:
            with Server(store, settings=settings) as server, EchoServer() as echo:
                measured = measure(server.port, echo.port, options.seconds, options.persons, runs)
            for row in measured:
                print("  ".join(f"{k} {v}" for k, v in {**settings, **row}.items()), flush=True)


if __name__ == "__main__":
    main()
