"""The writer: runs every write of the server, one after another, and commits them in groups.

    front -> GROUP (s1 s2 s3)     one LMDB transaction
                                    child: s1    ok      WRITTEN... DONE ->
                                    child: s2    fails   DONE ->              (child aborted)
                                    child: s3    ok      WRITTEN... DONE ->
                                  record (last sequence number, statements), commit, sync
          <- COMMITTED (settled s1 s2 s3)

A group of short creates runs without children; if one of them fails, all of it again with them.
Results travel before the commit, so none need be kept here; the front holds them back until
COMMITTED. A lone statement runs in the transaction itself and may take its time. One that takes
more than its share of a group is returned, to be sent again alone, or with a larger share where
another lets it by; so are those that the group's time does not reach. Nothing is read from the
channel while a group runs: those who wait, wait in the front, where they can be cancelled at once.
A statement that commits in its midst
(`CALL { } IN TRANSACTIONS`) lets a group by after each commit, if the front has noted in its slot
that others wait.
"""

from __future__ import annotations

import contextlib
import gc
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

from cypherd.engine import Engine
from cypherd.errors import CypherdError, GroupShareSpent, MemoryLimitExceeded
from cypherd.executor.short_creates import ShortCreate
from cypherd.planner.plan import Plan
from cypherd.procedures.running import NotFromHere
from cypherd.processes.channel import BlockingChannel, ChannelClosed, frame
from cypherd.processes.context import ChildContext
from cypherd.processes.limits import MemoryGauge, limit_data
from cypherd.queries.guard import QueryGuard
from cypherd.queries.jobs import (
    COMMITTED,
    DONE,
    READY,
    SEQUENCE,
    WRITTEN,
    YIELDED,
    Done,
    Ended,
    Planned,
    Settlement,
    WriteGroup,
    WriteJob,
    pack,
    unpack,
)
from cypherd.queries.load_writing import load
from cypherd.queries.outcome import as_answer
from cypherd.queries.slots import EXECUTING, WAITED, Slot, words_of
from cypherd.render.registry import rendered
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore, WriteTransaction

_log = logging.getLogger("cypherd.queries")

# A group ends after so many shares: those behind it should not wait for hundreds of statements
# that each stay just below their share.
_GROUP_SHARES = 5
# After a group that had to be run again, so many are not trusted: where one fails, others do.
_DISTRUSTED = 16
_FLUSH = 64 * 1024
_SMALL = 4 * 1024


def run_writer(context: ChildContext) -> None:
    """The role of the one process that writes."""
    limit_data(context.settings.worker_memory)
    channel = BlockingChannel(context.channel)
    store = context.open_store()
    words = words_of(context.shared)
    writer = Writer(context.settings, store, Engine(context.settings), channel, words)
    with contextlib.suppress(ChannelClosed):
        writer.get_ready()
        while True:
            _, payload = channel.receive()
            writer.run(unpack(payload))


@dataclass(slots=True)
class _Group:
    """What has become of a group's statements so far."""

    succeeded: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    returned: list[int] = field(default_factory=list)
    spent: list[int] = field(default_factory=list)


class Writer:
    def __init__(
        self,
        settings: Settings,
        store: GraphStore,
        engine: Engine,
        channel: BlockingChannel,
        words: memoryview,
    ) -> None:
        self._settings = settings
        self._store = store
        self._engine = engine
        self._channel = channel
        self._words = words
        self._plans: OrderedDict[str, Plan] = OrderedDict()
        self._gauge = MemoryGauge()
        self._output: list[bytes] = []
        self._output_size = 0
        self._done: list[Done] = []
        self._highest = 0
        self._distrusted = 0
        # Nothing is sent of a group before all of it has run, if it may have to run again.
        self._holds = False

    def get_ready(self) -> None:
        """Tell what the store's last commit holds, after taking the write lock once.

        A writer that is killed between writing LMDB's meta page and announcing it in the lock
        file leaves a commit that no reader sees, until the next writer takes the lock and finds
        it: asked any earlier, the store would deny what it is about to remember."""
        self._store.write().abort()
        self._put(frame(READY, pack(self._store.last_statements())))
        self._flush()

    def run(self, group: WriteGroup) -> None:
        """Run, commit and report a group. Raises ChannelClosed when the front has gone."""
        for text, planned in group.plans.items():
            self._remember(text, unpack(planned.data))
        try:
            transaction = self._store.write()
        except CypherdError as error:
            self._fail_all(group, error)
            return
        try:
            outcome = _Group()
            trusted = self._is_trusted(group, transaction)
            self._holds = trusted
            if not self._run_statements(group, transaction, outcome, nested=not trusted):
                self._distrusted = _DISTRUSTED
                self._drop_output()
                transaction.abort()
                transaction = self._store.write()
                outcome = _Group()
                self._run_statements(group, transaction, outcome, nested=True)
            self._holds = False
            self._flush()
            settlement = self._commit(transaction, outcome)
        except ChannelClosed:
            transaction.abort()
            raise
        except Exception as error:
            self._holds = False
            with contextlib.suppress(Exception):
                transaction.abort()
            self._undone(group, error)
            return
        self._report(settlement)

    # --- one transaction ----------------------------------------------------------------

    def _is_trusted(self, group: WriteGroup, transaction: WriteTransaction) -> bool:
        """Whether a group runs without nested transactions, which cost a third of what a short
        create does: all of it are such creates, which only a rule of the schema, a value that
        cannot be stored, or a stop makes fail. Nothing is sent of them before all have run."""
        if group.share is None:
            return False
        if self._distrusted:
            self._distrusted -= 1
            return False
        version = transaction.schema.version
        texts = {job.text for job in group.jobs if job.load is None}
        plans = [self._plans.get(text) for text in texts]
        return all(job.load is None for job in group.jobs) and all(
            plan is not None
            and plan.schema_version == version
            and isinstance(self._engine.short_form(plan), ShortCreate)
            for plan in plans
        )

    def _run_statements(
        self, group: WriteGroup, transaction: WriteTransaction, outcome: _Group, *, nested: bool
    ) -> bool:
        """Each in a transaction within this one, or if not `nested` in this one itself until the
        first fails: False then, and the transaction is of no use."""
        if group.share is None:
            for job in group.jobs:
                self._run_in(transaction, job, None, outcome)
            return True
        group_end = monotonic() + group.share * _GROUP_SHARES
        for job in group.jobs:
            now = monotonic()
            if now >= group_end:
                outcome.returned.append(job.sequence)
                continue
            share_end = now + group.share * job.shares
            if nested:
                self._run_nested(transaction, job, share_end, outcome)
            elif not self._run_in(transaction, job, share_end, outcome):
                return False
            if job.shares > 1:
                # What it takes is not at the expense of those behind it.
                group_end += monotonic() - now
        return True

    def _run_nested(
        self, transaction: WriteTransaction, job: WriteJob, share_end: float, outcome: _Group
    ) -> None:
        child = transaction.child()
        done = False
        try:
            done = self._run_in(child, job, share_end, outcome)
        finally:
            if done:
                child.commit()
            else:
                child.abort()

    def _run_in(
        self,
        transaction: WriteTransaction,
        job: WriteJob,
        share_end: float | None,
        outcome: _Group,
    ) -> bool:
        """Whether the statement succeeded; if not, what it did is to be aborted."""
        slot = Slot(self._words, job.slot)
        slot.begin(job.query, EXECUTING)
        guard = QueryGuard(
            slot, job.query, job.limits, self._gauge, share_end, partial(self._let_by, slot)
        )
        try:
            guard.check()
            tail, stats, planned = self._execute(transaction, job, guard)
            ended = Ended(guard.rows, guard.peak, stats, planned=planned)
            outcome.succeeded.append(job.sequence)
        except ChannelClosed:
            raise
        except GroupShareSpent:
            outcome.returned.append(job.sequence)
            outcome.spent.append(job.sequence)
            slot.end(0)
            return False
        except Exception as error:
            wire = as_answer(error, job.text).to_wire()
            tail, ended = b"", Ended(guard.rows, guard.peak, error=wire)
            error.__traceback__ = None
            outcome.failed.append(job.sequence)
        self._note(Done(job.sequence, ended, tail))
        slot.end(job.query)
        return ended.error is None

    def _let_by(self, slot: Slot) -> None:
        """Run a group of those that wait. Raises ChannelClosed."""
        if slot.get(WAITED):
            self._put(frame(YIELDED, b""))
            self._flush()
            _, payload = self._channel.receive()
            group: WriteGroup = unpack(payload)
            if group.jobs:
                self.run(group)

    def _execute(
        self, transaction: WriteTransaction, job: WriteJob, guard: QueryGuard
    ) -> tuple[bytes, dict[str, int], Planned | None]:
        """The last bytes of the result, the stats, and the plan if it had to be made anew."""
        if job.load is not None:
            # Thousands of new objects a batch and no cycle among them: looking for cycles again
            # and again would take a tenth of the time.
            gc.disable()
            try:
                return pack(load(transaction, job.load, guard)), {}, None
            finally:
                gc.enable()
        plan = self._plans.get(job.text)
        planned = None
        if plan is None or plan.schema_version != transaction.schema.version:
            plan = self._engine.plan(job.text, transaction)
            planned = Planned.of(plan)
            self._remember(job.text, plan)
        result = self._engine.run_short(plan, job.parameters, transaction, guard)
        if result is None:
            result = self._engine.run(
                plan, job.parameters, transaction, guard, clock=job.clock, queries=NotFromHere()
            )
        tail = b""
        size = 0
        try:
            for chunk in rendered(job.format, result, job.options):
                size += len(chunk)
                if size > self._settings.spool_limit:
                    raise self._too_large()
                if tail:
                    self._put(frame(WRITTEN, SEQUENCE.pack(job.sequence) + tail))
                tail = chunk
        finally:
            result.close()
        return tail, result.stats.to_dict(), planned

    def _commit(self, transaction: WriteTransaction, outcome: _Group) -> Settlement:
        settled = outcome.succeeded + outcome.failed
        sync = None
        if outcome.succeeded:
            # One that let others by commits after them, with a lower number.
            self._highest = max(self._highest, *settled)
            transaction.record_statements(self._highest, settled)
            began = monotonic()
            transaction.commit()
            sync = monotonic() - began
        else:
            transaction.abort()
        returned, spent = tuple(outcome.returned), tuple(outcome.spent)
        return Settlement(tuple(settled), returned, spent, sync=sync)

    def _undone(self, group: WriteGroup, error: Exception) -> None:
        """The transaction as a whole failed: each statement is to find out for itself, also one
        that had failed, perhaps by what has now been undone."""
        if len(group.jobs) == 1:
            self._fail_all(group, error)
            return
        everyone = tuple(job.sequence for job in group.jobs)
        self._report(Settlement((), everyone, alone=everyone))

    def _fail_all(self, group: WriteGroup, error: Exception) -> None:
        for job in group.jobs:
            ended = Ended(error=as_answer(error, job.text).to_wire())
            self._note(Done(job.sequence, ended, b""))
        self._report(Settlement(tuple(job.sequence for job in group.jobs)))

    # --- output -------------------------------------------------------------------------

    def _report(self, settlement: Settlement) -> None:
        self._put_done()
        self._put(frame(COMMITTED, pack(settlement)))
        self._flush()

    def _note(self, done: Done) -> None:
        self._done.append(done)
        if len(done.tail) > _SMALL:
            self._put_done()

    def _put_done(self) -> None:
        if self._done:
            done, self._done = self._done, []
            self._put(frame(DONE, pack(done)))

    def _put(self, data: bytes) -> None:
        self._output.append(data)
        self._output_size += len(data)
        if self._output_size >= _FLUSH and not self._holds:
            self._send()

    def _drop_output(self) -> None:
        """Of a trusted group, all that there is."""
        self._done.clear()
        self._output.clear()
        self._output_size = 0
        self._holds = False

    def _flush(self) -> None:
        self._put_done()
        self._send()

    def _send(self) -> None:
        if self._output:
            self._channel.send(*self._output)
            self._output.clear()
            self._output_size = 0

    # --- plans --------------------------------------------------------------------------

    def _remember(self, text: str, plan: Plan) -> None:
        self._plans[text] = plan
        self._plans.move_to_end(text)
        while len(self._plans) > self._settings.plan_cache:
            self._plans.popitem(last=False)

    def _too_large(self) -> MemoryLimitExceeded:
        return MemoryLimitExceeded(
            f"the result of the write is larger than the {self._settings.spool_limit:,} bytes "
            "that the setting spool_limit allows"
        )
