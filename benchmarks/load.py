"""A load generator in a process of its own: keep-alive connections, each asking in a loop.

    python -m benchmarks.load --port 7475 --kind read --connections 32 --seconds 5

prints a JSON object: requests, errors, unanswered (connections that still waited 5 s after the
end), rate, p50_ms, p99_ms, max_ms. `run` starts that process.
Answers are parsed with httptools, so the generator costs about as little as a client can.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import httptools
import uvloop

from benchmarks.client import post_cypher

READ = "MATCH (p:Person {id: $id}) RETURN p.firstName, p.lastName"
HOP = "MATCH (p:Person {id: $id})-[:KNOWS]-(f) RETURN f.firstName, f.lastName"
GRACE = 5.0
CREATE = "CREATE (:Load {key: $key})"
ECHO_BODY = b'{"query":"MATCH (p:Person {id: $id}) RETURN p.firstName","params":{"id":1}}'


@dataclass(slots=True)
class Totals:
    seconds: float = 0.0
    errors: int = 0
    unanswered: int = 0
    latencies: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        ordered = sorted(self.latencies) or [0.0]
        return {
            "requests": len(self.latencies),
            "errors": self.errors,
            "unanswered": self.unanswered,
            "rate": round(len(self.latencies) / self.seconds, 1) if self.seconds else 0.0,
            "p50_ms": round(quantile(ordered, 0.50) * 1e3, 3),
            "p99_ms": round(quantile(ordered, 0.99) * 1e3, 3),
            "max_ms": round(ordered[-1] * 1e3, 3),
        }


def quantile(ordered: list[float], share: float) -> float:
    """Of values in order."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Connection(asyncio.Protocol):
    """Sends a request, waits for the whole answer, sends the next, until told to stop."""

    def __init__(
        self, requests: Iterator[bytes], totals: Totals, stop_at: float, pause: float
    ) -> None:
        self._requests = requests
        self._totals = totals
        self._stop_at = stop_at
        self._pause = pause
        self._transport: asyncio.Transport | None = None
        self._sent_at = 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is no subclass
        self._next()

    def _next(self) -> None:
        assert self._transport is not None
        self._parser = httptools.HttpResponseParser(self)
        self._sent_at = time.perf_counter()
        self._transport.write(next(self._requests))

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        assert self._transport is not None
        now = time.perf_counter()
        self._totals.latencies.append(now - self._sent_at)
        self._totals.errors += self._parser.get_status_code() != 200
        if now >= self._stop_at:
            self._transport.close()
        elif self._pause:
            asyncio.get_running_loop().call_later(self._pause, self._next)
        else:
            self._next()

    def connection_lost(self, exception: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


async def _load(
    port: int,
    requests: Callable[[], Iterator[bytes]],
    connections: int,
    seconds: float,
    pause: float,
) -> Totals:
    totals = Totals()
    loop = asyncio.get_running_loop()
    start = time.perf_counter()
    made = [
        await loop.create_connection(
            lambda: _Connection(requests(), totals, start + seconds, pause), "127.0.0.1", port
        )
        for _ in range(connections)
    ]
    ends = [protocol.done for _, protocol in made]
    _, waiting = await asyncio.wait(ends, timeout=seconds)
    totals.seconds = time.perf_counter() - start
    if waiting:
        # Those that began before the end are answered within moments, or are stuck.
        _, waiting = await asyncio.wait(waiting, timeout=GRACE)
    totals.unanswered = len(waiting)
    return totals


_READS = {"read": READ, "hop": HOP}


def requests_of(kind: str, port: int, persons: int) -> Callable[[], Iterator[bytes]]:
    """What each connection sends. kind: read, literal (with the value in the text), hop, create,
    echo, health."""
    if kind == "echo":
        head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        body = head.encode() + f"Content-Length: {len(ECHO_BODY)}\r\n\r\n".encode() + ECHO_BODY
        return lambda: itertools.repeat(body)
    if kind == "health":
        body = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        return lambda: itertools.repeat(body)
    if kind == "literal":
        bodies = [
            post_cypher(port, READ.replace("$id", str(i % persons)), {})
            for i in range(0, 7919 * 9973, 7919)
        ]
        return lambda: itertools.cycle(bodies)
    if kind in _READS:
        bodies = [
            post_cypher(port, _READS[kind], {"id": i % persons}) for i in range(0, 7919 * 97, 7919)
        ]
        return lambda: itertools.cycle(bodies)
    keys = itertools.count(time.time_ns())
    return lambda: (post_cypher(port, CREATE, {"key": key}) for key in keys)


def run(
    port: int, kind: str, *, connections: int, seconds: float, persons: int = 1000
) -> dict[str, Any]:
    """The summary of a load in a process of its own."""
    process = start(port, kind, connections=connections, seconds=seconds, persons=persons)
    output, _ = process.communicate(timeout=seconds + 60)
    summary: dict[str, Any] = json.loads(output)
    return summary


def start(
    port: int, kind: str, *, connections: int, seconds: float, persons: int = 1000
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "benchmarks.load", "--port", str(port), "--kind", kind]
    command += ["--connections", str(connections), "--seconds", str(seconds)]
    command += ["--persons", str(persons)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument(
        "--kind", choices=("read", "literal", "hop", "create", "echo", "health"), required=True
    )
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--persons", type=int, default=1000)
    options = parser.parse_args()
    requests = requests_of(options.kind, options.port, options.persons)
    # Probes of /health are to see the loop's lag, not to add to it.
    pause = 0.01 if options.kind == "health" else 0.0
    totals = uvloop.run(_load(options.port, requests, options.connections, options.seconds, pause))
    print(json.dumps(totals.summary()))


if __name__ == "__main__":
    main()
