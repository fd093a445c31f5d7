"""Requests a second over HTTP, beside a bare Starlette JSON echo in the same run.

    python -m benchmarks.http_rates --seconds 5

Durable single creates at 1, 32 and 256 connections; at 32 point reads by index, the same with the
value in the text, and one hop to a mean of 20 neighbours with two properties of each. Each also as
a ratio to the echo with the same number of connections. The load generator is one process.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import load
from benchmarks.client import Server
from benchmarks.echo import EchoServer
from cypherd.generator import generate_social_network

RUNS = (
    ("read", 32), ("literal", 32), ("hop", 32), ("create", 1), ("create", 32), ("create", 256),
)  # fmt: skip


def measure(port: int, echo_port: int, seconds: float, persons: int) -> list[dict[str, Any]]:
    """A row a run: kind, connections, the load's summary, echo's rate and the ratio."""
    echoes: dict[int, float] = {}
    rows = []
    for kind, connections in RUNS:
        if connections not in echoes:
            summary = load.run(echo_port, "echo", connections=connections, seconds=seconds)
            echoes[connections] = summary["rate"]
        load.run(port, kind, connections=connections, seconds=0.5, persons=persons)
        summary = load.run(port, kind, connections=connections, seconds=seconds, persons=persons)
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
        with Server(store) as server, EchoServer() as echo:
            for row in measure(server.port, echo.port, options.seconds, options.persons):
                print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
