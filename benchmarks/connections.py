"""Latency of point reads over the number of open connections, at one offered rate.

    python -m benchmarks.connections --seconds 10 --chart docs/images/connections

The rate is a third of the most that 32 connections get. Requests are due at even intervals and go
out on one connection after the other, so every connection is used; a latency counts from when its
request was due, so a server that falls behind cannot hide it. Prints a line a number of
connections, with the 99.9th percentile of the event loop's own lag meanwhile (/metrics).

With `--jmeter 2000` then the same from JMeter, at so many requests a second: it has a thread a
connection, and much less of the machine is left to the server.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import httptools
import uvloop

from benchmarks import load
from benchmarks.client import Server
from benchmarks.jmeter import run_plan
from benchmarks.loop_lag import LoopLag
from cypherd.generator import generate_social_network

CONNECTIONS = (100, 1000, 2500, 5000, 10_000)
TICK = 0.001
GRACE = 5.0
WARM_UP = 2.0
# Seconds in which the JVM compiles its own code: its latencies, not the server's.
WARM_JVM = 20


@dataclass(slots=True)
class Totals:
    sent: int = 0
    errors: int = 0
    lag: float = 0.0
    """The bound below which 99.9% of the looks at the loop's lag were."""
    latencies: list[float] = field(default_factory=list)


class _Connection(asyncio.Protocol):
    """Answers come in the order of the requests; `due` are those that have none yet."""

    def __init__(self, totals: Totals) -> None:
        self._totals = totals
        self.due: list[float] = []
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._parser = httptools.HttpResponseParser(self)

    def send(self, data: bytes, due: float) -> None:
        assert self._transport is not None
        self.due.append(due)
        self._totals.sent += 1
        self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        self._totals.latencies.append(time.perf_counter() - self.due.pop(0))
        self._totals.errors += self._parser.get_status_code() != 200
        self._parser = httptools.HttpResponseParser(self)

    def connection_lost(self, exception: Exception | None) -> None:
        self._totals.errors += len(self.due)
        self.due.clear()


async def _offer(
    port: int, connections: int, rate: float, seconds: float, bodies: Iterator[bytes]
) -> Totals:
    totals = Totals()
    loop = asyncio.get_running_loop()
    made = []
    for start in range(0, connections, 200):
        count = min(200, connections - start)
        made += await asyncio.gather(
            *(
                loop.create_connection(lambda: _Connection(totals), "127.0.0.1", port)
                for _ in range(count)
            )
        )
    everyone = itertools.cycle([protocol for _, protocol in made])

    async def send_for(seconds: float) -> None:
        began, number = time.perf_counter(), 0
        while (now := time.perf_counter()) < began + seconds:
            while (due := began + number / rate) <= now:
                next(everyone).send(next(bodies), due)
                number += 1
            await asyncio.sleep(TICK)

    # Taking in ten thousand connections at once is not what is measured.
    await send_for(WARM_UP)
    lag = await asyncio.to_thread(LoopLag, port)
    totals.latencies.clear()
    totals.sent = sum(len(protocol.due) for _, protocol in made)
    await send_for(seconds)
    end = time.perf_counter() + GRACE
    while len(totals.latencies) < totals.sent and time.perf_counter() < end:
        await asyncio.sleep(0.01)
    totals.errors += totals.sent - len(totals.latencies)
    totals.lag = await asyncio.to_thread(lag.below)
    for transport, _ in made:
        transport.close()
    return totals


def offer(port: int, connections: int, rate: float, seconds: float, persons: int) -> dict[str, Any]:
    """The summary of a run in a process of its own: connections, rate, errors, p50_ms, p99_ms."""
    command = [sys.executable, "-m", "benchmarks.connections", "--offer", str(connections)]
    command += ["--port", str(port), "--rate", str(rate), "--seconds", str(seconds)]
    command += ["--persons", str(persons)]
    output = subprocess.run(
        command, stdout=subprocess.PIPE, check=True, timeout=seconds + 120
    ).stdout
    summary: dict[str, Any] = json.loads(output)
    return summary


def _run_offer(options: argparse.Namespace) -> None:
    _allow_descriptors()
    bodies = load.requests_of("read", options.port, options.persons)()
    totals = uvloop.run(_offer(options.port, options.offer, options.rate, options.seconds, bodies))
    ordered = sorted(totals.latencies) or [0.0]
    print(
        json.dumps(
            {
                "connections": options.offer,
                "rate": round(len(ordered) / options.seconds, 1),
                "errors": totals.errors,
                "p50_ms": round(load.quantile(ordered, 0.50) * 1e3, 3),
                "p99_ms": round(load.quantile(ordered, 0.99) * 1e3, 3),
                "lag_999_below_ms": totals.lag * 1e3,
            }
        )
    )


def from_jmeter(
    port: int, connections: int, rate: float, seconds: float, persons: int
) -> dict[str, Any]:
    """As `offer`, measured by JMeter, which counts from when a request is sent."""
    ramp = max(1, connections // 500)
    before = ramp + WARM_JVM
    (run,) = run_plan(
        "point-read", port, threads=connections, duration=before + round(seconds), skip=before,
        properties={"ramp": ramp, "perMinute": round(rate * 60), "lastPerson": persons - 1},
    )  # fmt: skip
    return {
        "connections": connections,
        "rate": run.rate,
        "errors": run.errors,
        "p50_ms": run.median,
        "p99_ms": run.p99,
    }


def _allow_descriptors() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def draw(runs: list[dict[str, Any]], by_jmeter: list[dict[str, Any]], path: Path) -> None:
    """Writes `path`.png and `path`.svg."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    counts = [run["connections"] for run in runs]
    for client, measured, line in (("asyncio", runs, "-"), ("JMeter", by_jmeter, "--")):
        for name, key, marker in (("median", "p50_ms", "o"), ("99%", "p99_ms", "^")):
            if measured:
                # JMeter measures whole milliseconds: what it calls 0 is less than one.
                axes.plot(
                    [run["connections"] for run in measured],
                    [max(0.5, run[key]) for run in measured],
                    line, marker=marker,
                    label=f"{client}, {round(measured[0]['rate'], -1):,.0f} a second: {name}",
                )  # fmt: skip
    axes.set(
        title="Point reads at one offered rate", xlabel="open connections",
        ylabel="latency, ms", xscale="log", yscale="log",
    )  # fmt: skip
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.minorticks_off()
    axes.set_ylim(0.1, 1000)
    axes.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1,000"])
    axes.grid(alpha=0.3)
    axes.legend()
    for kind in ("png", "svg"):
        figure.savefig(path.with_name(f"{path.name}.{kind}"), dpi=110)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--persons", type=int, default=1000)
    parser.add_argument("--rate", type=float, help="requests a second; a third of the most")
    parser.add_argument("--chart", type=Path, help="where to draw it, without an ending")
    parser.add_argument("--jmeter", type=float, help="requests a second from JMeter")
    parser.add_argument("--offer", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.offer is not None:
        _run_offer(options)
        return
    with TemporaryDirectory(prefix="cypherd-connections-") as folder:
        store = Path(folder) / "store"
        generate_social_network(store, persons=options.persons)
        with Server(store) as server:
            most = load.run(
                server.port, "read", connections=32, seconds=3.0, persons=options.persons
            )
            rate = options.rate or most["rate"] / 3
            print(f"most at 32 connections {most['rate']}, offered {rate:.0f}", flush=True)
            runs = _sweep(offer, server.port, rate, options)
            by_jmeter = []
            if options.jmeter:
                by_jmeter = _sweep(from_jmeter, server.port, options.jmeter, options)
            if options.chart is not None:
                draw(runs, by_jmeter, options.chart)


def _sweep(
    client: Callable[..., dict[str, Any]], port: int, rate: float, options: argparse.Namespace
) -> list[dict[str, Any]]:
    runs = []
    for connections in CONNECTIONS:
        run = client(port, connections, rate, options.seconds, options.persons)
        runs.append(run)
        print(client.__name__, *(f" {key} {value}" for key, value in run.items()), flush=True)
    return runs


if __name__ == "__main__":
    main()
