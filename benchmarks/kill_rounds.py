"""Kills under load, against a model of what was acknowledged.

    python -m benchmarks.kill_rounds --rounds 200

In each round one process is killed with SIGKILL at a random moment while creates and reads go on:
a read worker, the writer, a front, or the whole server, which is then started again. Every create
has a key of its own and makes a pair of nodes and a relationship. Checked after each round: a
create that was acknowledged is there once, any other at most once and whole, and nothing is there
that was not sent. Checked at the end: processes, descriptors and reader slots are as many as at
first.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lmdb

from benchmarks.client import Server, ask, post_cypher, registry, wait_for
from benchmarks.processes import descendants, fronts, open_descriptors, process, workers, writers

CREATE = "CREATE (:Left {key: $key})-[:PAIR {key: $key}]->(:Right {key: $key})"
WHOLE = (
    "MATCH (a:Left)-[p:PAIR]->(b:Right) WHERE a.key >= $low AND p.key = a.key AND b.key = a.key "
    "RETURN a.key AS key"
)
LEFTS = "MATCH (a:Left) WHERE a.key >= $low RETURN a.key AS key"
RIGHTS = "MATCH (b:Right) WHERE b.key >= $low RETURN b.key AS key"
BALANCE = "MATCH (a:Left) WITH count(a) AS lefts MATCH (b:Right) RETURN lefts, count(b) AS rights"
SLOW_READ = "UNWIND range(1, 300000) AS x RETURN sum(x) AS total"
SLOW_TOTAL = 300_000 * 300_001 // 2
KINDS = ("worker", "writer", "front", "server")
CREATORS = 8
READERS = 2
ROUND_SECONDS = 0.6


@dataclass(slots=True)
class Model:
    """What was sent in this round, and what was acknowledged."""

    keys: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    low: int = 0
    sent: set[int] = field(default_factory=set)
    acknowledged: set[int] = field(default_factory=set)
    total_acknowledged: int = 0
    wrong: list[str] = field(default_factory=list)

    def begin_round(self) -> None:
        self.low = next(self.keys)
        self.total_acknowledged += len(self.acknowledged)
        self.sent, self.acknowledged = set(), set()


class Client:
    """A keep-alive connection that is made anew when it breaks."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, query: str, params: dict[str, Any]) -> tuple[int, Any]:
        """Status and JSON body. Raises OSError or EOFError when the connection breaks."""
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._streams
            writer.write(post_cypher(self._port, query, params))
            return await read_answer(reader)
        except (OSError, EOFError):
            self.close()
            raise

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    body = b""
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"]))
    else:
        while size := await _chunk_size(reader):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    return int(head[0].split()[1]), json.loads(body)


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    line = await reader.readline()
    if not line.endswith(b"\n"):
        raise EOFError("the answer was broken off")
    return int(line.split(b";")[0], 16)


async def create(port: int, model: Model, end: float) -> None:
    client = Client(port)
    while time.monotonic() < end:
        key = next(model.keys)
        model.sent.add(key)
        try:
            status, _ = await client.ask(CREATE, {"key": key})
        except (OSError, EOFError):
            await asyncio.sleep(0.01)
            continue
        if status == 200:
            model.acknowledged.add(key)
    client.close()


async def read(port: int, model: Model, end: float) -> None:
    """Reads in a snapshot: as many left as right nodes; a slow one that needs a worker."""
    client = Client(port)
    while time.monotonic() < end:
        for query in (BALANCE, SLOW_READ):
            try:
                status, body = await client.ask(query, {})
            except (OSError, EOFError):
                await asyncio.sleep(0.01)
                continue
            if status == 200 and "errors" not in body and body["data"]:
                _check_read(query, body["data"][0], model)
    client.close()


def _check_read(query: str, row: list[int], model: Model) -> None:
    if query == BALANCE and row[0] != row[1]:
        model.wrong.append(f"a read saw half a create: {row}")
    if query == SLOW_READ and row != [SLOW_TOTAL]:
        model.wrong.append(f"a read gave {row}, not {SLOW_TOTAL}")


async def _round(
    server: Server, model: Model, kill: Callable[[], None], at: float, creators: int
) -> None:
    end = time.monotonic() + ROUND_SECONDS
    tasks = [
        *(create(server.port, model, end) for _ in range(creators)),
        *(read(server.port, model, end) for _ in range(READERS)),
    ]
    load = asyncio.gather(*tasks)
    await asyncio.sleep(at)
    await asyncio.to_thread(kill)
    await asyncio.wait_for(load, ROUND_SECONDS + 30)


@dataclass(slots=True)
class Killer:
    """The kinds of kill, on one server."""

    server: Server
    chance: random.Random
    killed: Counter[str] = field(default_factory=Counter)

    def kill_worker(self) -> None:
        self._kill("worker", workers(self.server.pid))

    def kill_writer(self) -> None:
        """One that was just killed may not have a successor yet."""
        wait_for(lambda: bool(writers(self.server.pid)), 10.0, 0.005)
        self._kill("writer", writers(self.server.pid))

    def kill_front(self) -> None:
        """Any of them, perhaps the first, which has the registry."""
        self._kill("front", fronts(self.server.pid))

    def _kill(self, kind: str, pids: list[int]) -> None:
        if pids:
            os.kill(self.chance.choice(pids), signal.SIGKILL)
            self.killed[kind] += 1

    def kill_server(self) -> None:
        """The first process alone: the others have to notice. Then start again."""
        others = [one.pid for one in descendants(self.server.pid)]
        self.server.kill()
        self.killed["server"] += 1
        if wait_for(lambda: not any(_lives(pid) for pid in others), 10.0, 0.005) is None:
            raise RuntimeError(f"still there 10 s after the server's kill: {others}")
        self.server.start()


def _lives(pid: int) -> bool:
    found = process(pid)
    return found is not None and found.is_alive


def check_round(port: int, model: Model) -> None:
    """Compare the store with the model; differences go to `model.wrong`."""
    found = {
        name: Counter(row[0] for row in ask(port, query, {"low": model.low}).rows())
        for name, query in (("pairs", WHOLE), ("lefts", LEFTS), ("rights", RIGHTS))
    }
    pairs = found["pairs"]
    if not found["lefts"] == found["rights"] == pairs:
        model.wrong.append("half of a create is there")
    doubled = [key for key, count in pairs.items() if count > 1]
    lost = model.acknowledged - set(pairs)
    strange = set(pairs) - model.sent
    for name, keys in (("done twice", doubled), ("lost", lost), ("never sent", strange)):
        if keys:
            model.wrong.append(f"{name}: {sorted(keys)[:5]} and more, {len(keys)} in all")


@dataclass(frozen=True, slots=True)
class Held:
    """What a quiet server holds."""

    processes: int
    descriptors: int
    dead_readers: int


def held(server: Server) -> Held:
    """Counted when nothing runs and every process killed has been replaced."""
    wait_for(lambda: not registry(server.port)["running"], 10.0, 0.05)
    return Held(
        len(descendants(server.pid)), open_descriptors(server.pid), dead_readers(server.store)
    )


def dead_readers(store: Path) -> int:
    """Slots of the reader table that belong to no living process."""
    (data,) = (path for path in store.rglob("*.mdb") if "lock" not in path.name)
    subdir = data.name == "data.mdb"
    environment = lmdb.open(
        str(data.parent if subdir else data), readonly=True, subdir=subdir, max_dbs=64, create=False
    )
    try:
        lines = environment.readers().splitlines()[1:]
    finally:
        environment.close()
    pids = (int(line.split()[0]) for line in lines if line.split()[0].isdigit())
    return sum(1 for pid in pids if not _lives(pid))


def settle(server: Server, before: Held) -> Held:
    """What is held once it is no more than before, or after 10 s."""
    after = held(server)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and (
        after.processes != before.processes
        or after.descriptors > before.descriptors
        or after.dead_readers
    ):
        time.sleep(0.1)
        after = held(server)
    return after


def run_rounds(
    store: Path,
    kinds: list[str],
    rounds: int,
    *,
    seed: int = 1,
    settings: dict[str, Any],
    creators: int = CREATORS,
) -> tuple[Model, Counter[str], Held, Held]:
    """`rounds` of each kind; the model, how many were killed, what was held first and last."""
    model, chance = Model(), random.Random(seed)
    with Server(store, settings=settings) as server:
        ask(server.port, "CREATE INDEX left_key FOR (n:Left) ON (n.key)")
        ask(server.port, "CREATE INDEX right_key FOR (n:Right) ON (n.key)")
        asyncio.run(_round(server, model, lambda: None, 0.1, creators))
        killer = Killer(server, chance)
        before = held(server)
        for kind in kinds:
            for _ in range(rounds):
                model.begin_round()
                kill = getattr(killer, f"kill_{kind}")
                asyncio.run(_round(server, model, kill, chance.uniform(0.02, 0.45), creators))
                check_round(server.port, model)
        model.begin_round()
        return model, killer.killed, before, settle(server, before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--creators", type=int, default=CREATORS)
    parser.add_argument("--fronts", type=int, default=1)
    options = parser.parse_args()
    kinds = options.kind or list(KINDS)
    with TemporaryDirectory(prefix="cypherd-kill-") as folder:
        store = Path(folder) / "store"
        model, killed, before, after = run_rounds(
            store, kinds, options.rounds, seed=options.seed, creators=options.creators,
            settings={"workers": 2, "fronts": options.fronts},
        )  # fmt: skip
    print(f"killed: {dict(killed)}; acknowledged {model.total_acknowledged}")
    print(f"held before {before}")
    print(f"held after  {after}")
    print(f"wrong: {len(model.wrong)}", *model.wrong[:10], sep="\n    ")


if __name__ == "__main__":
    main()
