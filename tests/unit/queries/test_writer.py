"""Group commit, in one process: a real writer on a real store, its frames collected."""

from __future__ import annotations

import itertools
import mmap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cypherd.engine import Engine
from cypherd.processes.channel import HEADER, BlockingChannel
from cypherd.queries.guard import Limits
from cypherd.queries.jobs import (
    COMMITTED,
    DONE,
    READY,
    SEQUENCE,
    WRITTEN,
    Ended,
    Settlement,
    WriteGroup,
    WriteJob,
    unpack,
)
from cypherd.queries.slots import CANCELLED, Slot, SlotTable, words_of
from cypherd.queries.writer import Writer
from cypherd.render.renderer import RenderOptions
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import LmdbStore, open_store
from cypherd.storage.lmdb.writing import LmdbWriteTransaction


class Frames(BlockingChannel):
    """Collects what the writer sends, and what the store held when each frame was sent."""

    def __init__(self, store: LmdbStore) -> None:
        self.store = store
        self.sent: list[tuple[int, bytes]] = []
        self.kinds: list[tuple[int, int]] = []

    def send(self, *frames: bytes) -> None:
        data = b"".join(frames)
        while data:
            length, kind = HEADER.unpack_from(data)
            end = HEADER.size + length
            self.sent.append((kind, data[HEADER.size : end]))
            self.kinds.append((kind, self.store.last_statements()[0]))
            data = data[end:]


@dataclass
class Bench:
    """A writer with its front's side by hand."""

    store: LmdbStore
    settings: Settings
    frames: Frames = field(init=False)
    writer: Writer = field(init=False)
    slots: SlotTable = field(init=False)
    sequences: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        shared = mmap.mmap(-1, 1 << 19)
        self.slots = SlotTable(shared)
        self.frames = Frames(self.store)
        engine = Engine(self.settings)
        words = words_of(shared)
        self.writer = Writer(self.settings, self.store, engine, self.frames, words)

    def job(self, text: str, **parameters: Any) -> WriteJob:
        number = next(self.sequences)
        limits = Limits(time.monotonic() + 60, "late", self.settings.max_rows, 1 << 30)
        slot = self.slots.take().number
        return WriteJob(
            number, number, slot, text, parameters, "json", RenderOptions(), limits, time.time()
        )

    def run(
        self, *jobs: WriteJob, share: float | None = 10.0
    ) -> tuple[Settlement, dict[int, Ended], dict[int, bytes]]:
        """The settlement, how each statement ended, and its bytes."""
        self.frames.sent.clear()
        self.frames.kinds.clear()
        self.writer.run(WriteGroup(jobs, {}, share))
        ended: dict[int, Ended] = {}
        bodies: dict[int, bytes] = {}
        for kind, payload in self.frames.sent:
            if kind == WRITTEN:
                sequence = SEQUENCE.unpack_from(payload)[0]
                bodies[sequence] = bodies.get(sequence, b"") + payload[SEQUENCE.size :]
            elif kind == DONE:
                for done in unpack(payload):
                    ended[done.sequence] = done.ended
                    bodies[done.sequence] = bodies.get(done.sequence, b"") + done.tail
        kind, payload = self.frames.sent[-1]
        assert kind == COMMITTED
        return unpack(payload), ended, bodies

    def count(self, label: str) -> int:
        with self.store.read() as transaction:
            token = transaction.schema.label_id(label)
            return 0 if token is None else transaction.counts.nodes(token)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    yield Bench(store, Settings())
    store.close()


CREATE = "CREATE (n:Item {key: $key}) RETURN n.key"


def test_a_group_is_one_commit_told_after_its_results(bench: Bench) -> None:
    jobs = [bench.job(CREATE, key=key) for key in range(20)]
    settlement, ended, bodies = bench.run(*jobs)
    sequences = tuple(job.sequence for job in jobs)
    assert replace(settlement, sync=None) == Settlement(sequences)
    assert settlement.sync is not None
    assert all(ended[sequence].error is None for sequence in sequences)
    assert bodies[jobs[7].sequence].startswith(b'{"columns":["n.key"],"data":[[7]]')
    assert bench.count("Item") == 20
    assert bench.store.last_statements() == (sequences[-1], sequences)
    # Results before the commit, COMMITTED after it.
    before = [last for kind, last in bench.frames.kinds if kind in (DONE, WRITTEN)]
    assert set(before) == {0}
    assert bench.frames.kinds[-1] == (COMMITTED, sequences[-1])


def test_a_failing_statement_takes_only_itself_back(bench: Bench) -> None:
    bench.run(bench.job("CREATE CONSTRAINT FOR (n:Item) REQUIRE n.key IS UNIQUE"), share=None)
    jobs = [bench.job(CREATE, key=key) for key in (1, 2, 1, 3)]
    failing = bench.job("CREATE (:Item {key: 9}) WITH 1 AS x RETURN x / 0")
    settlement, ended, _ = bench.run(*jobs, failing)
    assert settlement.settled[:3] == tuple(jobs[i].sequence for i in (0, 1, 3))
    assert set(settlement.settled[3:]) == {jobs[2].sequence, failing.sequence}
    error = ended[jobs[2].sequence].error
    assert error is not None
    assert error["code"] == "Neo.ClientError.Schema.ConstraintValidationFailed"
    assert ended[failing.sequence].error is not None
    assert bench.count("Item") == 3


def test_a_statement_that_leaves_a_value_out_takes_only_itself_back(bench: Bench) -> None:
    bench.run(
        bench.job("CREATE CONSTRAINT FOR (n:Item) REQUIRE n.key IS NOT NULL"),
        share=None,
    )
    first, last = bench.job(CREATE, key=1), bench.job(CREATE, key=3)
    failing = bench.job("CREATE (n:Item {size: 2}) RETURN n.size")
    settlement, ended, _ = bench.run(first, failing, last)
    assert set(settlement.settled) == {first.sequence, failing.sequence, last.sequence}
    assert settlement.returned == ()
    error = ended[failing.sequence].error
    assert error is not None
    assert error["code"] == "Neo.ClientError.Schema.ConstraintValidationFailed"
    assert ended[first.sequence].error is ended[last.sequence].error is None
    assert bench.count("Item") == 2
    # Alone, in the transaction itself, it fails as well, and leaves nothing.
    alone = bench.job("CREATE (n:Item {size: 2}) RETURN n.size")
    _, ended, _ = bench.run(alone, share=None)
    assert ended[alone.sequence].error is not None
    assert bench.count("Item") == 2


def test_statements_see_those_before_them(bench: Bench) -> None:
    jobs = [bench.job("MERGE (c:Counter) SET c.n = coalesce(c.n, 0) + 1 RETURN c.n")] + [
        bench.job("MERGE (c:Counter) SET c.n = coalesce(c.n, 0) + 1 RETURN c.n") for _ in range(9)
    ]
    _, _, bodies = bench.run(*jobs)
    assert [b"[[%d]]" % (n + 1) in bodies[job.sequence] for n, job in enumerate(jobs)] == [
        True
    ] * 10
    assert bench.count("Counter") == 1


def test_one_over_its_share_is_returned_and_leaves_nothing(bench: Bench) -> None:
    # Many times its share also where a node takes a microsecond.
    long = bench.job("UNWIND range(1, 300000) AS x CREATE (:Long {x: x})")
    quick = [bench.job(CREATE, key=1), bench.job(CREATE, key=2)]
    bench.run(bench.job(CREATE, key=0))
    settlement, ended, _ = bench.run(quick[0], long, quick[1], share=0.05)
    assert (settlement.spent, settlement.alone) == ((long.sequence,), ())
    assert long.sequence in settlement.returned
    assert quick[0].sequence in settlement.settled
    assert long.sequence not in ended
    assert bench.count("Long") == 0
    again, ended, _ = bench.run(long, share=None)
    assert again.settled == (long.sequence,)
    names = ("nodes_created", "labels_added", "properties_set")
    assert ended[long.sequence].stats == dict.fromkeys(names, 300_000)
    assert bench.count("Long") == 300_000


def test_more_shares_are_not_at_the_expense_of_those_behind(bench: Bench) -> None:
    text = "UNWIND range(1, 30000) AS x CREATE (:Long {x: x})"
    bench.run(bench.job(CREATE, key=0))
    long, last = bench.job(text)._replace(shares=1_000_000), bench.job(CREATE, key=1)
    # Far beyond the time of a group with such shares.
    settlement, _, _ = bench.run(long, last, share=0.0001)
    assert long.sequence in settlement.settled
    assert last.sequence not in settlement.returned or last.sequence in settlement.spent
    assert bench.count("Long") == 30_000


def test_a_group_s_time_is_bounded_too(bench: Bench) -> None:
    """Each below its share, together beyond the group's time: the last ones come back."""
    text = "UNWIND range(1, 3000) AS x CREATE (:Item {key: x})"
    bench.run(bench.job(text), share=None)
    jobs = [bench.job(text) for _ in range(100)]
    settlement, _, _ = bench.run(*jobs, share=0.05)
    assert settlement.settled
    assert settlement.returned
    done, back = len(settlement.settled), len(settlement.returned)
    assert done + back == len(jobs)
    assert bench.count("Item") == 3000 * (done + 1)


def test_a_cancelled_statement_ends_and_its_neighbours_commit(bench: Bench) -> None:
    jobs = [bench.job(CREATE, key=key) for key in range(3)]
    Slot(bench.slots.words, jobs[1].slot).cancel(jobs[1].query, CANCELLED)
    settlement, ended, _ = bench.run(*jobs)
    assert set(settlement.settled) == {job.sequence for job in jobs}
    error = ended[jobs[1].sequence].error
    assert error is not None
    assert error["code"] == "Neo.ClientError.Transaction.Terminated"
    assert bench.count("Item") == 2


def test_a_full_store_is_told_to_whom_it_concerns(tmp_path: Path) -> None:
    """Nothing is lost: what was there stays, what fits still goes in."""
    store = open_store(tmp_path / "small", map_size=2 * MIB, create=True)
    bench = Bench(store, Settings())
    bench.run(bench.job(CREATE, key=1))
    big = bench.job("UNWIND range(1, 100000) AS x CREATE (:Big {x: x, t: 'some text'})")
    small = bench.job(CREATE, key=2)
    settlement, ended, _ = bench.run(big, small, share=60.0)
    if settlement.returned:
        # The group as a whole did not fit; each then finds out for itself.
        _, first, _ = bench.run(big, share=None)
        _, second, _ = bench.run(small, share=None)
        ended = {**first, **second}
    error = ended[big.sequence].error
    assert error is not None
    assert error["class"] == "StorageFull"
    assert ended[small.sequence].error is None
    assert (bench.count("Item"), bench.count("Big")) == (2, 0)
    store.close()


def test_a_plan_older_than_the_schema_is_made_anew(bench: Bench) -> None:
    with bench.store.read() as transaction:
        old = Engine(bench.settings).plan("MATCH (n:Fresh) SET n.seen = true", transaction)
    bench.run(bench.job("CREATE (:Fresh), (:Fresh)"))
    job = bench.job(old.text)
    bench.writer._remember(old.text, old)
    _, ended, _ = bench.run(job)
    assert ended[job.sequence].stats == {"properties_set": 2}
    planned = ended[job.sequence].planned
    assert planned is not None
    assert planned.schema_version > old.schema_version


def test_a_big_result_travels_in_pieces(bench: Bench) -> None:
    job = bench.job("UNWIND range(1, 30000) AS x MERGE (n:One) RETURN x")
    _, ended, bodies = bench.run(job, share=None)
    assert ended[job.sequence].rows == 30_000
    assert bodies[job.sequence].count(b"],[") == 29_999
    assert [kind for kind, _ in bench.frames.sent].count(WRITTEN) >= 1


def test_a_result_over_the_spool_s_limit_writes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    bench = Bench(store, Settings(spool_limit=1000))
    job = bench.job("UNWIND range(1, 1000) AS x CREATE (n:One) RETURN x")
    _, ended, _ = bench.run(job, share=None)
    error = ended[job.sequence].error
    assert error is not None
    assert "spool_limit" in error["message"]
    assert bench.count("One") == 0
    store.close()


def test_readiness_tells_the_last_commit(bench: Bench) -> None:
    jobs = [bench.job(CREATE, key=key) for key in range(3)]
    bench.run(*jobs)
    bench.frames.sent.clear()
    bench.writer.get_ready()
    ((kind, payload),) = bench.frames.sent
    assert kind == READY
    assert unpack(payload) == (jobs[-1].sequence, tuple(job.sequence for job in jobs))


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one with each nested transaction."""
    begun: list[int] = []
    begin = LmdbWriteTransaction.child

    def child(self: LmdbWriteTransaction) -> LmdbWriteTransaction:
        begun.append(1)
        return begin(self)

    monkeypatch.setattr(LmdbWriteTransaction, "child", child)
    return begun


def test_short_creates_need_no_nested_transactions(bench: Bench, children: list[int]) -> None:
    bench.run(bench.job("CREATE CONSTRAINT FOR (n:U) REQUIRE n.k IS UNIQUE"), share=None)
    text = "CREATE (:U {k: $k})"
    bench.run(bench.job(text, k=0), share=None)
    jobs = [bench.job(text, k=k) for k in range(1, 6)]
    settlement, ended, bodies = bench.run(*jobs)
    assert settlement.settled == tuple(job.sequence for job in jobs)
    assert bench.count("U") == 6
    assert not children
    assert {ended[job.sequence].error is None for job in jobs} == {True}
    assert {bodies[job.sequence] for job in jobs} == {
        b'{"columns":[],"data":[],"stats":{"nodes_created":1,"properties_set":1,"labels_added":1}}'
    }
    # Beside another kind of write they are nested like that.
    bench.run(bench.job(text, k=6), bench.job("MATCH (n:U {k: 6}) SET n.j = 1"))
    assert len(children) == 2


def test_where_one_fails_all_run_again_nested(bench: Bench, children: list[int]) -> None:
    bench.run(bench.job("CREATE CONSTRAINT FOR (n:U) REQUIRE n.k IS UNIQUE"), share=None)
    text = "CREATE (:U {k: $k})"
    bench.run(bench.job(text, k=0), share=None)
    jobs = [bench.job(text, k=k) for k in (1, 2, 0, 3, [[1]], 2)]
    settlement, ended, _ = bench.run(*jobs)
    assert len(children) == len(jobs)
    assert sorted(settlement.settled) == [job.sequence for job in jobs]
    errors = [ended[job.sequence].error for job in jobs]
    codes = [None if error is None else error["code"].rpartition(".")[2] for error in errors]
    broken = "ConstraintValidationFailed"
    assert codes == [None, None, broken, None, "TypeError", broken]
    assert bench.count("U") == 4
    # Each is told once, and ids have no gaps.
    told = [done.sequence for kind, data in bench.frames.sent if kind == DONE
            for done in unpack(data)]  # fmt: skip
    assert sorted(told) == [job.sequence for job in jobs]
    with bench.store.read() as transaction:
        assert transaction.counts.nodes() == 4
        assert transaction.node_properties([3], [transaction.schema.property_id("k") or 0]) == [[3]]
    # Groups after it are nested from the beginning for a while, and then trusted again.
    nested = []
    for group in range(20):
        before = len(children)
        bench.run(bench.job(text, k=100 + 2 * group), bench.job(text, k=101 + 2 * group))
        nested.append(len(children) - before)
    assert nested == [2] * 16 + [0] * 4


def test_what_a_group_that_runs_again_has_said_is_void(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if its answers were so large that they would go out before its end."""
    monkeypatch.setattr("cypherd.queries.writer._SMALL", 16)
    monkeypatch.setattr("cypherd.queries.writer._FLUSH", 64)
    bench.run(bench.job("CREATE CONSTRAINT FOR (n:U) REQUIRE n.k IS UNIQUE"), share=None)
    text = "CREATE (:U {k: $k})"
    bench.run(bench.job(text, k=0), share=None)
    jobs = [bench.job(text, k=k) for k in (*range(1, 40), 0)]
    _, ended, bodies = bench.run(*jobs)
    assert [ended[job.sequence].error is None for job in jobs] == [True] * 39 + [False]
    assert {bodies[job.sequence].count(b"columns") for job in jobs[:-1]} == {1}
    assert bench.count("U") == 40


def test_a_cancelled_short_create_takes_only_itself_back(bench: Bench) -> None:
    text = "CREATE (:N {k: $k})"
    bench.run(bench.job(text, k=0), share=None)
    jobs = [bench.job(text, k=k) for k in range(3)]
    Slot(bench.slots.words, jobs[1].slot).cancel(jobs[1].query, CANCELLED)
    _, ended, _ = bench.run(*jobs)
    assert [ended[job.sequence].error is None for job in jobs] == [True, False, True]
    assert bench.count("N") == 3


def test_short_creates_have_a_group_s_time(bench: Bench, children: list[int]) -> None:
    text = "CREATE (:N {k: $k})"
    bench.run(bench.job(text, k=0), share=None)
    jobs = [bench.job(text, k=k) for k in range(2000)]
    settlement, _, _ = bench.run(*jobs, share=0.001)
    assert 0 < len(settlement.settled) < len(jobs)
    settled = {*settlement.settled}
    assert settled.isdisjoint(settlement.returned)
    assert settled.union(settlement.returned) == {job.sequence for job in jobs}
    assert bench.count("N") == len(settled) + 1
