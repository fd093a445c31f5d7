"""Records a second through POST /bulk.

    python -m benchmarks.bulk_rates --records 300000

Nodes with three properties, then as many relationships between any two of them, into an empty
store; then the same again into the filled one. Memory is what the processes hold by themselves,
before and at its most.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.client import Server
from benchmarks.loop_lag import LoopLag
from benchmarks.processes import anonymous_memory, descendants, writers

CHUNK = 2000


def _nodes(first: int, last: int) -> Iterator[bytes]:
    for number in range(first, last):
        yield (
            b'{"labels":["Person"],"properties":{"id":%d,"name":"Person number %d","age":%d}}\n'
            % (number, number, number % 90)
        )


def _relationships(first: int, last: int, nodes: int) -> Iterator[bytes]:
    chance = random.Random(first)
    for number in range(first, last):
        start, end = chance.randrange(nodes), chance.randrange(nodes)
        yield (
            b'{"type":"KNOWS","start":["Person",%d],"end":["Person",%d],"properties":{"since":%d}}\n'
            % (start, end, number % 50)
        )


def _chunks(records: Iterator[bytes]) -> list[bytes]:
    """Made before the clock runs: the server is what is measured."""
    lines = list(records)
    return [b"".join(lines[start : start + CHUNK]) for start in range(0, len(lines), CHUNK)]


def load(port: int, chunks: list[bytes]) -> tuple[dict[str, Any], float]:
    """The answer, and the seconds that it took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.monotonic()
    connection.request(
        "POST", "/bulk", iter(chunks), {"Content-Type": "application/x-ndjson"},
        encode_chunked=True,
    )  # fmt: skip
    response = connection.getresponse()
    told: dict[str, Any] = json.loads(response.read())
    connection.close()
    if response.status != 200 or told["bad_records"]:
        raise RuntimeError(f"the load gave {response.status}: {told}")
    return told, time.monotonic() - began


class Memory:
    """The most that the writer and the other processes held while it was looked."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.first = self._now()
        self.most = self.first
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _now(self) -> tuple[int, int]:
        writer = writers(self._server.pid)
        others = [one.pid for one in descendants(self._server.pid) if one.pid not in writer]
        return sum(map(anonymous_memory, writer)), max(map(anonymous_memory, others))

    def _look(self) -> None:
        while not self._over.wait(0.05):
            now = self._now()
            self.most = (max(self.most[0], now[0]), max(self.most[1], now[1]))

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def line(self) -> str:
        pairs = zip(("writer", "another"), self.first, self.most, strict=True)
        return ", ".join(f"{name} {a >> 20} -> {b >> 20} MiB" for name, a, b in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=300_000)
    count = parser.parse_args().records
    parts = (
        ("nodes, empty", _chunks(_nodes(0, count))),
        ("relationships, empty", _chunks(_relationships(0, count, count))),
        ("nodes, filled", _chunks(_nodes(count, 2 * count))),
        ("relationships, filled", _chunks(_relationships(count, 2 * count, 2 * count))),
    )
    with TemporaryDirectory(prefix="cypherd-bulk-") as folder, Server(Path(folder) / "s") as server:
        for name, chunks in parts:
            lag = LoopLag(server.port)
            with Memory(server) as memory:
                _, seconds = load(server.port, chunks)
            below = f"loop lag of 99.9% below {lag.below() * 1e3:g} ms"
            print(
                f"{name:22} {count / seconds:10,.0f} a second  {memory.line()}  {below}", flush=True
            )


if __name__ == "__main__":
    main()
