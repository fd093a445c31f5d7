"""Writes, seen from the front: those who wait, the group at work, and settlement.

    run() -> queue -> GROUP -> writer: WRITTEN, DONE (held back) ... COMMITTED -> answers

The queue is here, not in the writer: who waits can be cancelled at once, and a group is all that
waited while the one before it was synced. When the writer is lost, what its last commit holds is
acknowledged; the rest is sent again to a new writer, a bounded
number of times, and the statement that was running at the time by itself from then on. What the
last commit holds, the new writer says, once it has the write lock (see `Writer.get_ready`).

A statement that commits in its midst lets by what is short: when the writer says YIELDED, it gets
a group of those that wait, runs it, and goes on with the statement.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable

from cypherd.errors import CypherdError, QueryStopped, StorageFull, Unavailable
from cypherd.processes.channel import ChannelClosed
from cypherd.processes.forks import Child, ForkFailed, Forks
from cypherd.queries.answer import QueryRequest
from cypherd.queries.jobs import (
    COMMITTED,
    DONE,
    GROUP,
    SEQUENCE,
    WRITTEN,
    YIELDED,
    Ended,
    Planned,
    Settlement,
    WriteGroup,
    WriteJob,
    pack,
    unpack,
)
from cypherd.queries.load_records import LoadBatch
from cypherd.queries.metrics import Metrics
from cypherd.queries.plans import PlanCache
from cypherd.queries.reads import limits_of
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.slots import COMMITS, FINISHED, RUNNING, WAITED, SlotTable, reason_of
from cypherd.queries.spool import Spool
from cypherd.queries.waiting_writes import Outcome, Statement, WaitingWrites
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings

_log = logging.getLogger("cypherd.queries")

_SEQUENCE_GAP = 1_000_000
_FORK_RETRY = 0.1
# Each statement of a group has a slot in the shared map.
_GROUP_MOST = 4096


class Writes:
    def __init__(
        self,
        settings: Settings,
        forks: Forks,
        slots: SlotTable,
        plans: PlanCache,
        registry: Registry,
        metrics: Metrics,
        on_death: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._forks = forks
        self._slots = slots
        self._plans = plans
        self._registry = registry
        self._metrics = metrics
        self._on_death = on_death
        self._loop = asyncio.get_running_loop()
        self._waiting = WaitingWrites()
        self._in_flight: dict[int, Statement] = {}
        # The one in flight that lets others by.
        self._yielding: Statement | None = None
        self._wake = asyncio.Event()
        self._child: Child | None = None
        self._known: dict[str, str] = {}
        self._options: dict[RenderOptions, RenderOptions] = {}
        self._sequences: itertools.count[int] | None = None
        self._task: asyncio.Task[None] | None = None
        self.statements = 0
        """How many have come, without batches of bulk loads."""

    def start(self) -> None:
        self._task = self._loop.create_task(self._serve())

    async def close(self) -> None:
        """End the writer by end-of-file: a commit that is under way is finished."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=1.0)
        if self._child is not None:
            self._child.channel.close()
            try:
                async with asyncio.timeout(self._settings.writer_grace):
                    await self._child.dead()
            except TimeoutError:
                self._child.kill()

    def pids(self) -> list[int]:
        return [] if self._child is None else [self._child.pid]

    def queued(self) -> int:
        return len(self._waiting)

    async def run(
        self,
        entry: Entry,
        request: QueryRequest,
        planned: Planned,
        load: LoadBatch | None = None,
    ) -> tuple[Spool, Ended]:
        """The complete, committed result. Raises CypherdError, of the statement or Unavailable
        when too many wait already."""
        future: asyncio.Future[tuple[Spool, Ended]] = self._loop.create_future()
        statement = self.begin(entry, request, planned, load, outcome=future)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            statement.abandoned = True
            entry.stop(ClientGone("the client went away"))
            raise

    def begin(
        self,
        entry: Entry,
        request: QueryRequest,
        planned: Planned,
        load: LoadBatch | None = None,
        *,
        outcome: Outcome,
    ) -> Statement:
        """The statement among those that wait; `outcome` is told the complete, committed result, or
        a CypherdError. Raises Unavailable when too many wait already, and what `entry` was stopped
        with."""
        entry.check_stopped()
        self._make_room(entry.client)
        self.statements += load is None
        statement = Statement(entry, request, planned, outcome, self._new_spool(), load=load)
        entry.state = "waiting"
        entry.place = "writer"
        entry.waiting_for = lambda: self._waits_for(entry)
        entry.stopper = lambda error: self._stop(statement, error)
        self._waiting.push(statement)
        self._wake.set()
        self._knock()
        return statement

    def _make_room(self, client: str) -> None:
        """In a full queue the client that has most in it gives way. Raises Unavailable."""
        if self.queued() < self._settings.write_queue_limit:
            return
        full = Unavailable(
            f"{self.queued()} writes wait already, as many as the setting write_queue_limit allows"
        )
        last = self._waiting.make_room(client)
        if last is None:
            raise full
        self._fail(last, full)

    # --- the loop -----------------------------------------------------------------------

    async def _serve(self) -> None:
        while True:
            child = self._child = await self._fork()
            self._known.clear()
            try:
                await self._settle_lost(child)
                while True:
                    await self._wait_for_work(child)
                    await child.channel.send(GROUP, pack(self._next_group()))
                    await self._receive_group(child)
            except ChannelClosed:
                await self._bury(child)

    async def _fork(self) -> Child:
        while True:
            try:
                return await self._forks.fork("writer")
            except ForkFailed as error:
                _log.warning("%s", error)
                await asyncio.sleep(_FORK_RETRY)

    async def _wait_for_work(self, child: Child) -> None:
        """Until a statement waits. Raises ChannelClosed if the idle writer dies meanwhile."""
        descriptor = child.channel.fileno()
        died = False

        def on_readable() -> None:
            nonlocal died
            died = True
            self._wake.set()

        while not self._waiting:
            self._wake.clear()
            self._loop.add_reader(descriptor, on_readable)
            try:
                await self._wake.wait()
            finally:
                self._loop.remove_reader(descriptor)
            if died:
                raise ChannelClosed

    def _next_group(self) -> WriteGroup:
        group = self._waiting.take_group(min(self._settings.group_limit, _GROUP_MOST))
        made = self._made(group, self._settings.group_share if len(group) > 1 else None)
        if group[0].planned.commits:
            self._yielding = group[0]
            self._knock()
        return made

    def _knock(self) -> None:
        """Let a statement that commits in its midst know that others wait."""
        if self._yielding is not None and self._yielding.slot is not None and self._waiting:
            self._yielding.slot.set(WAITED, 1)

    def _passing_group(self) -> WriteGroup:
        """Of those that wait, some that a statement lets by between two of its transactions: none
        that needs a transaction to itself, and each with its shares only. Perhaps none."""
        assert self._yielding is not None, "the writer yields for one that commits in its midst"
        assert self._yielding.slot is not None, "it is in flight"
        self._yielding.slot.set(WAITED, 0)
        most = min(self._settings.group_limit, _GROUP_MOST)
        group, more = self._waiting.take_short(most)
        if more:
            self._knock()
        return self._made(group, self._settings.group_share)

    def _made(self, group: list[Statement], share: float | None) -> WriteGroup:
        plans: dict[str, Planned] = {}
        if len(self._known) > self._settings.plan_cache:
            self._known.clear()
        jobs = tuple(self._job(statement, plans) for statement in group)
        return WriteGroup(jobs, plans, share)

    def _job(self, statement: Statement, plans: dict[str, Planned]) -> WriteJob:
        entry, request = statement.entry, statement.request
        text = self._known.get(request.text) if statement.load is None else request.text
        if text is None:
            text = self._known[request.text] = request.text
            plans[text] = statement.planned
        if statement.slot is None:
            statement.slot = self._slots.take()
        assert self._sequences is not None, "a group is sent after the writer was ready"
        statement.sequence = next(self._sequences)
        self._in_flight[statement.sequence] = statement
        entry.slot = statement.slot
        entry.state = "running"
        return WriteJob(
            sequence=statement.sequence,
            query=entry.number,
            slot=statement.slot.number,
            text=text,
            parameters=request.parameters,
            format=request.format,
            options=self._options.setdefault(request.options, request.options),
            limits=limits_of(entry, self._settings),
            clock=entry.started,
            load=statement.load,
            shares=statement.shares,
        )

    async def _receive_group(self, child: Child) -> None:
        while True:
            kind, payload = await child.channel.receive()
            if kind == WRITTEN:
                sequence = SEQUENCE.unpack_from(payload)[0]
                await self._hold(self._in_flight[sequence], payload[SEQUENCE.size :])
            elif kind == DONE:
                for done in unpack(payload):
                    statement = self._in_flight[done.sequence]
                    statement.ended = done.ended
                    if done.tail:
                        await self._hold(statement, done.tail)
            elif kind == YIELDED:
                await child.channel.send(GROUP, pack(self._passing_group()))
            elif kind == COMMITTED:
                self._apply(unpack(payload))
                if not self._in_flight:
                    self._yielding = None
                    return

    async def _hold(self, statement: Statement, chunk: bytes) -> None:
        if statement.abandoned or statement.unkept or statement.held.put_now(chunk):
            return
        try:
            await statement.held.put(chunk)
        except OSError as error:
            statement.unkept = error.strerror or str(error)

    # --- settlement ---------------------------------------------------------------------

    def _apply(self, settlement: Settlement) -> None:
        if settlement.sync is not None:
            self._metrics.groups.observe(len(settlement.settled))
            self._metrics.syncs.observe(settlement.sync)
        self._metrics.vetoes["group share"] += len(settlement.spent)
        for sequence in settlement.settled:
            self._settle(self._in_flight.pop(sequence))
        returned = [self._in_flight.pop(sequence) for sequence in settlement.returned]
        for statement in returned:
            statement.alone = statement.alone or statement.sequence in settlement.alone
            if statement.sequence in settlement.spent:
                statement.shares *= 2
        self._requeue(returned)

    def _settle(self, statement: Statement) -> None:
        """The outcome is final."""
        ended = statement.ended
        if ended is None:
            self._fail(statement, Unavailable("the writer was lost"))
            return
        if ended.planned is not None:
            self._plans.put(statement.request.text, ended.planned)
        statement.entry.rows = ended.rows
        statement.entry.peak_memory = ended.peak
        if ended.error is None and statement.unkept is not None:
            reason = f"the write was done, but its result could not be kept: {statement.unkept}"
            self._fail(statement, StorageFull(reason))
            return
        if ended.error is None:
            statement.held.finish()
            self._let_go(statement)
            if statement.abandoned:
                statement.held.close()
                self._registry.end(statement.entry, statement.entry.stop_error)
            else:
                statement.outcome.set_result((statement.held, ended))
            return
        error = CypherdError.from_wire(ended.error)
        stopped = statement.entry.stop_error
        if stopped is not None and isinstance(error, QueryStopped | Unavailable):
            error = stopped
        self._fail(statement, error)

    def _fail(self, statement: Statement, error: CypherdError) -> None:
        if statement.slot is not None:
            error.note_commits(statement.slot.get(COMMITS))
        self._let_go(statement)
        statement.held.close()
        if statement.abandoned:
            self._registry.end(statement.entry, error)
        elif not statement.outcome.done():
            statement.outcome.set_exception(error)

    def _let_go(self, statement: Statement) -> None:
        entry = statement.entry
        entry.stopper = None
        entry.note_slot()
        if statement.timer is not None:
            statement.timer.cancel()
        if statement.slot is not None:
            self._slots.free(statement.slot)
            statement.slot = None

    def _requeue(self, statements: list[Statement]) -> None:
        """Back to the head of the queue, in order; what was said of them is void."""
        for statement in reversed(statements):
            stopped = statement.entry.stop_error
            if stopped is not None:
                self._fail(statement, stopped)
                continue
            statement.held.close()
            statement.held = self._new_spool()
            statement.ended = None
            statement.unkept = None
            statement.entry.state = "waiting"
            self._waiting.push_again(statement)
        self._knock()

    async def _bury(self, child: Child) -> None:
        self._yielding = None
        self._metrics.lost["writer"] += 1
        _log.warning("the writer (pid %d) was lost", child.pid)
        self._child = None
        child.kill()
        child.channel.close()
        await child.dead()
        self._on_death()

    async def _settle_lost(self, child: Child) -> None:
        """A new writer says what the last commit holds: acknowledge that, send the rest again."""
        _, payload = await child.channel.receive()
        sequence, committed = unpack(payload)
        if self._sequences is None:
            # A crashed front may have got further than the store says: leave a gap.
            self._sequences = itertools.count(sequence + _SEQUENCE_GAP)
        lost = list(self._in_flight.values())
        self._in_flight.clear()
        again = []
        for statement in lost:
            if statement.sequence in committed:
                self._settle(statement)
            elif self._may_try_again(statement):
                again.append(statement)
        self._requeue(again)

    def _may_try_again(self, statement: Statement) -> bool:
        slot = statement.slot
        number = statement.entry.number
        if statement.planned.commits and slot and number in (slot.get(RUNNING), slot.get(FINISHED)):
            # What it has committed would happen twice.
            lost = Unavailable("the writer was lost in the middle of a CALL { } IN TRANSACTIONS")
            self._fail(statement, statement.entry.stop_error or lost)
            return False
        statement.tries += 1
        if slot is not None and slot.get(RUNNING) == number:
            # It may be what ended the writer: nobody else is to share its fate again.
            statement.alone = True
        if statement.tries <= self._settings.write_retries:
            return True
        self._fail(
            statement,
            Unavailable(f"the writer was lost {statement.tries} times; the write did not happen"),
        )
        return False

    # --- stopping -----------------------------------------------------------------------

    def _stop(self, statement: Statement, error: CypherdError) -> None:
        if statement.sequence in self._in_flight:
            slot = statement.slot
            if slot is not None:
                slot.cancel(statement.entry.number, reason_of(error))
            self._watch_stop(statement)
            return
        self._waiting.remove(statement)
        self._fail(statement, error)

    def _watch_stop(self, statement: Statement) -> None:
        grace = self._settings.writer_grace
        statement.timer = self._loop.call_later(grace, self._overdue, statement)

    def _overdue(self, statement: Statement) -> None:
        """It has ignored its flag. If it has ended and only waits for the sync, so be it."""
        slot, child = statement.slot, self._child
        if slot is None or slot.get(FINISHED) == statement.entry.number or child is None:
            return
        if slot.get(RUNNING) == statement.entry.number:
            _log.warning(
                "write %s ignores its cancel: killing the writer",
                statement.entry.id,
                extra={"about": {"query_id": statement.entry.id}},
            )
            child.kill()
        else:
            self._watch_stop(statement)

    def _waits_for(self, entry: Entry) -> str | None:
        """The id of the statement that the writer runs now, unless it is the entry's own."""
        for statement in self._in_flight.values():
            slot = statement.slot
            if slot is not None and slot.get(RUNNING) == statement.entry.number:
                return None if statement.entry is entry else statement.entry.id
        return None

    def _new_spool(self) -> Spool:
        return Spool(self._settings.spool_memory, self._settings.spool_limit)
