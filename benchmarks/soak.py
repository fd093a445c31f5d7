"""A random mix for as long as one likes, against a model.

    python -m benchmarks.soak --minutes 60

At the same time: creates of pairs, counters that are added to, point reads, reads that need a
worker, queries that are cancelled, clients that go away in the middle, slow clients, bulk loads
that are broken off and go on, statements that commit in their midst; and now and then a read
worker, the writer, a front or the whole server is killed. Checked, in rounds: what was
acknowledged is there once, a counter lies between what was acknowledged and what was sent, reads
are right, cancelled queries say so, loads are complete. Checked at the end: processes,
descriptors, reader slots, shared memory; and that memory and file have not grown since the first
rounds by more than the data.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.client import RawConnection, Server, ask, request
from benchmarks.kill_rounds import (
    Client,
    Held,
    Killer,
    Model,
    check_round,
    create,
    held,
    read,
    settle,
)
from benchmarks.processes import anonymous_memory, descendants, shared_memory_files

COUNTERS = 20
ADD = "MATCH (c:Counter {id: $id}) SET c.value = c.value + 1 RETURN c.value AS value"
LOOK = "MATCH (c:Counter {id: $id}) RETURN c.value AS value"
LONG = "UNWIND range(1, 1000000000) AS x RETURN count(x) + $n AS n"
STREAM = "UNWIND range(1, 400000) AS x RETURN x, 'a row that fills the socket of a slow client'"
CLEAN = (
    "MATCH (n:Left|Right|Loaded|Lot) WHERE n.key < $low OR n:Loaded OR n:Lot "
    "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS"
)
LOTS = (
    "UNWIND range(1, $count) AS x CALL (x) { CREATE (:Lot {run: $run}) } IN TRANSACTIONS OF 50 ROWS"
)
LOT, LOT_COUNT = 50, 20_000
LOAD_RECORDS = 3000
ROUND = 10.0
KILL_EVERY = 4.0
FRONT_EVERY = 20.0
_TERMINATED = "Neo.ClientError.Transaction.Terminated"
_COMMITTED = re.compile(
    r"\((\d[\d,]*) transactions? of the statement (?:was|were) committed before"
)
_BROKEN = (OSError, EOFError, asyncio.IncompleteReadError)
_CUT = (OSError, http.client.IncompleteRead)


@dataclass(slots=True)
class Soak:
    """The model of everything but the pairs, which `pairs` is."""

    server: Server
    chance: random.Random
    pairs: Model = field(default_factory=Model)
    added: Counter[int] = field(default_factory=Counter)
    perhaps: Counter[int] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    number: int = 0
    front_killed: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def fresh(self, kind: str) -> str:
        self.number += 1
        return f"{kind}-{self.number}"

    # --- actors: each until `end` ---------------------------------------------------------

    async def add(self, end: float) -> None:
        client = Client(self.server.port)
        while time.monotonic() < end:
            id = self.chance.randrange(COUNTERS)
            self.perhaps[id] += 1
            least = self.added[id]
            try:
                status, body = await client.ask(ADD, {"id": id})
            except _BROKEN:
                await asyncio.sleep(0.02)
                continue
            if status == 200:
                self.added[id] += 1
                self.done["added"] += 1
                # Answers of two fronts may come in another order than their commits.
                if not least < body["data"][0][0] <= self.perhaps[id]:
                    self.wrong.append(f"counter {id} is {body['data'][0][0]} after an addition")
        client.close()

    async def look(self, end: float) -> None:
        client = Client(self.server.port)
        while time.monotonic() < end:
            id = self.chance.randrange(COUNTERS)
            least = self.added[id]
            try:
                status, body = await client.ask(LOOK, {"id": id})
            except _BROKEN:
                await asyncio.sleep(0.02)
                continue
            self.done["looked"] += 1
            if status == 200 and not least <= body["data"][0][0] <= self.perhaps[id]:
                self.wrong.append(f"counter {id} is {body['data'][0][0]}, not from {least} on")
        client.close()

    async def cancel(self, end: float) -> None:
        while time.monotonic() < end:
            id = self.fresh("cancel")
            asked = asyncio.create_task(
                asyncio.to_thread(_asked, self.server.port, LONG, {"n": self.number}, id)
            )
            await asyncio.sleep(self.chance.uniform(0.0, 0.3))
            while not asked.done():
                with contextlib.suppress(*_CUT):
                    await asyncio.to_thread(
                        request, self.server.port, "DELETE", f"/queries/{id}", timeout=10.0
                    )
                await asyncio.wait({asked}, timeout=0.2)
            found = asked.result()
            if found is None:
                continue
            status, code = found
            self.done["cancelled"] += 1
            if (status, code) != (409, _TERMINATED) and status != 503:
                self.wrong.append(f"{id}: a cancelled query gave {status} {code}")

    async def leave(self, end: float) -> None:
        """A client that goes away, one way or the other."""
        while time.monotonic() < end:
            await asyncio.to_thread(self._leave)
            self.done["left"] += 1

    def _leave(self) -> None:
        try:
            raw = RawConnection(self.server.port, receive_buffer=4096)
        except OSError:
            time.sleep(0.05)
            return
        try:
            query = self.chance.choice((STREAM, LONG.replace("$n", "1")))
            raw.send(query, self.fresh("leave"))
            time.sleep(self.chance.uniform(0.0, 0.2))
            if query == STREAM and self.chance.random() < 0.5:
                raw.socket.settimeout(2.0)
                for _ in range(20):
                    if not raw.socket.recv(4096):
                        break
                    time.sleep(0.01)
        except OSError:
            pass
        finally:
            (raw.reset if self.chance.random() < 0.5 else raw.close)()

    async def lots(self, end: float) -> None:
        """A statement that commits in its midst and lets the others by."""
        while time.monotonic() < end:
            await asyncio.to_thread(self._lots)

    def _lots(self) -> None:
        run = self.fresh("lots")
        try:
            answer = ask(self.server.port, LOTS, {"count": LOT_COUNT, "run": run}, query_id=run)
            count = ask(
                self.server.port, "MATCH (n:Lot {run: $run}) RETURN count(n)", {"run": run}
            ).rows()[0][0]
        except (*_CUT, AssertionError):
            time.sleep(0.05)
            return
        self.done["lots"] += 1
        if answer.status == 200:
            right = count == LOT_COUNT
        else:
            said = _COMMITTED.search(answer.error()["message"])
            told = int(said[1].replace(",", "")) if said else 0
            # The last one may have been committed without the writer having told so.
            right = count in (told * LOT, (told + 1) * LOT)
        if not right:
            self.wrong.append(f"{run}: {count} after {answer.status} {answer.body[:300]!r}")

    async def load(self, end: float) -> None:
        """A bulk load in pieces, each broken off, until it is whole."""
        while time.monotonic() < end:
            await asyncio.to_thread(self._load)

    def _load(self) -> None:
        id = self.fresh("load")
        data = b"".join(
            b'{"labels": ["Loaded"], "properties": {"id": "%b-%d"}}\n' % (id.encode(), n)
            for n in range(LOAD_RECORDS)
        )
        headers = {"Content-Type": "application/x-ndjson"}
        for _ in range(self.chance.randrange(3)):
            self._load_part(id, data[: self.chance.randrange(len(data))])
        while True:
            try:
                answer = request(
                    self.server.port, "POST", f"/bulk?id={id}", body=data, headers=headers
                )
            except _CUT:
                time.sleep(0.05)
                continue
            if answer.status == 200 or "has ended" in answer.body.decode():
                break
            # It still runs under the broken connection, or the writer was lost too often.
            time.sleep(0.05)
        try:
            told = request(self.server.port, "GET", f"/bulk/{id}").json()
            count = ask(
                self.server.port,
                "MATCH (n:Loaded) WHERE n.id STARTS WITH $id RETURN count(n)",
                {"id": f"{id}-"},
            ).rows()[0][0]
        except (*_CUT, AssertionError):
            return
        self.done["loaded"] += 1
        if (told["nodes_created"], count) != (LOAD_RECORDS, LOAD_RECORDS):
            self.wrong.append(f"{id}: {count} nodes, {told}")

    def _load_part(self, id: str, data: bytes) -> None:
        try:
            raw = RawConnection(self.server.port)
            head = (
                f"POST /bulk?id={id} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n"
                "Content-Type: application/x-ndjson\r\nContent-Length: 99999999\r\n\r\n"
            )
            raw.socket.sendall(head.encode() + data)
            time.sleep(self.chance.uniform(0.0, 0.2))
            raw.reset()
        except OSError:
            pass

    # --- rounds -----------------------------------------------------------------------------

    async def round(self, seconds: float, killer: Killer | None) -> None:
        end = time.monotonic() + seconds
        port = self.server.port
        actors = [
            *(create(port, self.pairs, end) for _ in range(4)),
            read(port, self.pairs, end),
            *(self.add(end) for _ in range(4)),
            *(self.look(end) for _ in range(4)),
            *(self.cancel(end) for _ in range(2)),
            *(self.leave(end) for _ in range(2)),
            self.load(end),
            self.lots(end),
        ]
        load = asyncio.gather(*actors)
        while killer is not None and time.monotonic() + KILL_EVERY < end:
            await asyncio.sleep(self.chance.uniform(0.2, KILL_EVERY))
            kind = self.chance.choices(("worker", "writer", "front", "server"), (6, 4, 2, 1))[0]
            if kind == "front":
                # A server whose fronts die five times in a minute gives up, as it should.
                if time.monotonic() - self.front_killed < FRONT_EVERY:
                    continue
                self.front_killed = time.monotonic()
            await asyncio.to_thread(getattr(killer, f"kill_{kind}"))
        await asyncio.wait_for(load, seconds + 60)

    def check(self) -> None:
        check_round(self.server.port, self.pairs)
        rows = ask(self.server.port, "MATCH (c:Counter) RETURN c.id, c.value").rows()
        for id, value in rows:
            if not self.added[id] <= value <= self.perhaps[id]:
                self.wrong.append(
                    f"counter {id} is {value}; added {self.added[id]}, sent {self.perhaps[id]}"
                )
            # What was sent without an answer is settled now.
            self.added[id] = self.perhaps[id] = value
        self.pairs.begin_round()
        for _ in range(5):
            if ask(self.server.port, CLEAN, {"low": self.pairs.low}).status == 200:
                return
        self.wrong.append("the round could not be cleaned up")


def _asked(port: int, query: str, params: dict[str, Any], id: str) -> tuple[int, str] | None:
    try:
        answer = ask(port, query, params, query_id=id)
        return answer.status, answer.error()["code"] if answer.status != 200 else ""
    except (*_CUT, json.JSONDecodeError):
        return None


@dataclass(frozen=True, slots=True)
class Size:
    """After a round was cleaned up: anonymous memory of all processes, the store's file, shared
    memory; and what was in use of the file before and after that. All in bytes."""

    memory: int
    file: int
    shared: int
    full: int
    used: int

    @staticmethod
    def of(server: Server, full: int) -> Size:
        pids = [server.pid, *(one.pid for one in descendants(server.pid))]
        return Size(
            sum(map(anonymous_memory, pids)),
            (server.store / "data.mdb").stat().st_size,
            shared_memory_files(),
            full,
            used_bytes(server),
        )


def used_bytes(server: Server) -> int:
    """Of the store's file."""
    body = request(server.port, "GET", "/metrics").body.decode()
    found = re.search(r"^cypherd_store_used_bytes (\S+)$", body, re.MULTILINE)
    assert found, body
    return int(float(found[1]))


@dataclass(slots=True)
class Report:
    wrong: list[str]
    done: dict[str, int]
    killed: dict[str, int]
    before: Held
    after: Held
    sizes: list[Size]


def run(
    store: Path,
    seconds: float,
    *,
    seed: int,
    settings: dict[str, Any],
    tell: Callable[[str], None] = lambda line: None,
) -> Report:
    """Rounds until `seconds` are over; the first, without kills, is not measured. What is told
    after each round is there if the end is never reached."""
    began = time.monotonic()
    chance = random.Random(seed)
    with Server(store, settings=settings) as server:
        soak = Soak(server, chance)
        ask(server.port, "CREATE INDEX FOR (n:Left) ON (n.key)")
        ask(server.port, "CREATE INDEX FOR (n:Right) ON (n.key)")
        ask(server.port, "CREATE INDEX FOR (n:Counter) ON (n.id)")
        ask(
            server.port,
            f"UNWIND range(0, {COUNTERS - 1}) AS i CREATE (:Counter {{id: i, value: 0}})",
        )
        soak.pairs.begin_round()
        end = time.monotonic() + seconds
        asyncio.run(soak.round(min(ROUND, seconds / 4), None))
        full = used_bytes(server)
        soak.check()
        killer = Killer(server, chance)
        before, sizes = held(server), [Size.of(server, full)]
        while time.monotonic() < end:
            left = end - time.monotonic()
            asyncio.run(soak.round(max(3.0, min(ROUND, left)), killer))
            full = used_bytes(server)
            soak.check()
            sizes.append(size := Size.of(server, full))
            wrong = [*soak.wrong, *soak.pairs.wrong]
            tell(
                f"{(time.monotonic() - began) / 60:5.1f} min  memory {size.memory >> 20} MiB  "
                f"file {size.file >> 20} MiB, used {size.full >> 20} and {size.used >> 20}  "
                f"killed {sum(killer.killed.values())}  "
                f"created {soak.pairs.total_acknowledged}  wrong {len(wrong)} {wrong[-1:] or ''}"
            )
        soak.done["created"] = soak.pairs.total_acknowledged
        wrong = [*soak.wrong, *soak.pairs.wrong]
        return Report(
            wrong, dict(soak.done), dict(killer.killed), before, settle(server, before), sizes
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fronts", type=int, default=2)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="cypherd-soak-") as folder:
        report = run(
            Path(folder) / "store", 60 * options.minutes, seed=options.seed,
            settings={"workers": 2, "load_batch": "32KiB", "fronts": options.fronts},
            tell=partial(print, flush=True),
        )  # fmt: skip
    print(f"done {report.done}\nkilled {report.killed}")
    print(f"held before {report.before}\nheld after  {report.after}")
    sizes = report.sizes
    for name in ("memory", "file", "full", "used", "shared"):
        values = [getattr(size, name) >> 10 for size in sizes]
        shown = values[:: max(1, len(values) // 12)]
        print(f"{name}, KiB: {' '.join(map(str, shown))}")
    print(f"wrong: {len(report.wrong)}", *report.wrong[:10], sep="\n    ")
    raise SystemExit(1 if report.wrong else 0)


if __name__ == "__main__":
    main()
