"""A large result in each format: how fast it streams, and what the server holds meanwhile.

    python -m benchmarks.stream_rates --rows 5000000

A row has an integer, a float, a string and a boolean. Bytes are counted and thrown away by one
client. Memory is what the process itself holds (RssAnon: the pages of the store, which all
processes share, are not in it), sampled every 20 ms; `before` is the worker's when it starts. A
worker is nice: on a busy machine only its processor time says what a format costs.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.client import Server
from benchmarks.processes import PROC, descendants, workers
from cypherd.render.registry import RENDERERS

QUERY = (
    "UNWIND range(1, $rows) AS x "
    "RETURN x AS id, x * 0.37 AS weight, 'a name of some length' AS name, x % 3 = 0 AS third"
)
_PERIOD = 0.02
_READ = 1 << 18


@dataclass(slots=True)
class Memory:
    """The most that each process below the server's first has held, in bytes, by pid."""

    peaks: dict[int, int] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)

    def look(self, pid: int) -> None:
        for one in descendants(pid):
            held = anonymous_memory(one.pid)
            self.first.setdefault(one.pid, held)
            self.peaks[one.pid] = max(self.peaks.get(one.pid, 0), held)


def anonymous_memory(pid: int) -> int:
    """RssAnon in bytes, 0 when the process has gone."""
    try:
        status = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    found = [line.split() for line in status.splitlines() if line.startswith("RssAnon:")]
    return int(found[0][1]) * 1024 if found else 0


@contextmanager
def watched(pid: int) -> Iterator[Memory]:
    memory = Memory()
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(_PERIOD):
            memory.look(pid)

    thread = threading.Thread(target=watch)
    memory.look(pid)
    thread.start()
    try:
        yield memory
    finally:
        stop.set()
        thread.join()


def stream(port: int, rows: int, format_: str, *, gzip: bool) -> dict[str, float]:
    """Ask for the rows and read them: bytes, seconds, seconds until the first."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    body = json.dumps({"query": QUERY, "params": {"rows": rows}, "format": format_})
    headers = {"Content-Type": "application/json"}
    if gzip:
        headers["Accept-Encoding"] = "gzip"
    began = time.monotonic()
    connection.request("POST", "/cypher", body=body, headers=headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    buffer = bytearray(_READ)
    size = response.readinto(buffer)
    first = time.monotonic() - began
    while count := response.readinto(buffer):
        size += count
    seconds = time.monotonic() - began
    connection.close()
    return {"bytes": size, "seconds": seconds, "first": first}


def measure(server: Server, rows: int, format_: str, *, gzip: bool) -> dict[str, Any]:
    """One format: rates, and the peak of the front and of the process that ran the query."""
    with watched(server.pid) as memory:
        before = {one.pid: processor_seconds(one.pid) for one in descendants(server.pid)}
        found = stream(server.port, rows, format_, gzip=gzip)
        spent = {pid: processor_seconds(pid) - start for pid, start in before.items()}
    front = next(pid for pid in memory.peaks if _is_front(pid))
    worker = max(workers(server.pid), key=lambda pid: spent.get(pid, 0.0))
    mib = 1 << 20
    return {
        "format": format_ + (" gzip" if gzip else ""),
        "seconds": round(found["seconds"], 2),
        "first_ms": round(found["first"] * 1000, 1),
        "mbytes": round(found["bytes"] / 1e6, 1),
        "mbytes_per_s": round(found["bytes"] / 1e6 / found["seconds"], 1),
        "rows_per_s": round(rows / found["seconds"]),
        "worker_cpu_s": round(spent[worker], 2),
        "front_cpu_s": round(spent[front], 2),
        "front_peak_mib": round(memory.peaks[front] / mib, 1),
        "worker_before_mib": round(memory.first[worker] / mib, 1),
        "worker_peak_mib": round(memory.peaks[worker] / mib, 1),
    }


def processor_seconds(pid: int) -> float:
    """User and system time so far, 0 when the process has gone."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return 0.0
    fields = text[text.rindex(")") + 2 :].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _is_front(pid: int) -> bool:
    """The front is the one that listens."""
    try:
        lines = (PROC / str(pid) / "net" / "tcp").read_text().splitlines()[1:]
        listening = {parts[9] for line in lines if (parts := line.split())[3] == "0A"}
        targets = [str(path.readlink()) for path in (PROC / str(pid) / "fd").iterdir()]
    except OSError:
        return False
    return any(f"socket:[{inode}]" in targets for inode in listening)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--formats", default=",".join(one.name for one in RENDERERS))
    parser.add_argument("--gzip", action="store_true", help="each format compressed as well")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="cypherd-streams-") as folder:
        for format_ in options.formats.split(","):
            for gzip in (False, True)[: 1 + options.gzip]:
                # A server each: what one query leaves in a process is not the next one's.
                with Server(Path(folder) / "store", settings={"map_size": "1GiB"}) as server:
                    row = measure(server, options.rows, format_, gzip=gzip)
                print("  ".join(f"{name} {value}" for name, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
