"""Reads on workers, seen from the front: one job from its JOB frame to its END."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from cypherd.errors import CypherdError, QueryStopped, Unavailable
from cypherd.processes.channel import ChannelClosed
from cypherd.queries.answer import QueryRequest
from cypherd.queries.asking import Question, Registered, Told
from cypherd.queries.guard import Limits
from cypherd.queries.jobs import (
    ASK,
    CHUNK,
    END,
    JOB,
    PLANNED,
    TOLD,
    Ended,
    Planned,
    ReadJob,
    pack,
    unpack,
)
from cypherd.queries.plans import PlanCache
from cypherd.queries.pool import Pool, Worker
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.slots import FINISHED, PEAK, RUNNING, Slot, SlotTable, reason_of
from cypherd.settings import Settings

_log = logging.getLogger("cypherd.queries")

# A read whose worker was lost before any byte was sent starts once more; not if it may have died
# of its own hunger for memory.
_RETRIES = 1
# A worker that has finished, but whose END has not come, is not ignoring its flag: it gets this.
_END_GRACE = 1.0


@dataclass(frozen=True, slots=True)
class Reads:
    """What every read on a pool needs."""

    settings: Settings
    pool: Pool
    slots: SlotTable
    plans: PlanCache
    registry: Registry

    async def start(
        self, entry: Entry, request: QueryRequest, planned: Planned | None, *, plan_only: bool
    ) -> Planned | tuple[ReadRun, bytes, Ended | None]:
        """Run a text. Either its plan (it is a write, or only that was asked for), or the run,
        its first bytes, and how it ended if that is all. Raises CypherdError."""
        tries = 0
        while True:
            worker = await self.pool.acquire(entry)
            run = ReadRun(self, entry, worker)
            try:
                return await run.begin(request, planned, plan_only=plan_only)
            except ChannelClosed:
                begun, hungry = run.had_begun(), run.was_hungry()
                run.lost()
                entry.check_stopped()
                tries += begun
                if tries > _RETRIES or hungry:
                    raise Unavailable("the process that ran the query was lost") from None
            except CypherdError:
                run.finish(Ended())
                raise
            except BaseException:
                run.abandon()
                raise


class ReadRun:
    """One job on one worker. It ends by `finish`, `lost` or `abandon`, once."""

    def __init__(self, reads: Reads, entry: Entry, worker: Worker) -> None:
        self._reads = reads
        self._loop = asyncio.get_running_loop()
        self.entry = entry
        self.worker = worker
        self._slot: Slot | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._sent = False
        self._read_only = True
        self._ahead: tuple[int, bytes] | None = None
        self._draining: asyncio.Task[None] | None = None

    async def begin(
        self, request: QueryRequest, planned: Planned | None, *, plan_only: bool
    ) -> Planned | tuple[ReadRun, bytes, Ended | None]:
        entry = self.entry
        entry.check_stopped()
        self._read_only = request.read_only
        slot = self._slot = self._reads.slots.take()
        entry.place = f"{self._reads.pool.role} {self.worker.number}"
        entry.state = "planning" if planned is None else "running"
        entry.slot = slot
        entry.stopper = self.stop
        job = ReadJob(
            query=entry.number,
            slot=slot.number,
            text=request.text,
            data=None if planned is None else planned.data,
            schema_version=-1 if planned is None else planned.schema_version,
            parameters={} if plan_only else request.parameters,
            format=request.format,
            options=request.options,
            limits=limits_of(entry, self._reads.settings),
            clock=entry.started,
            plan_only=plan_only,
        )
        self._sent = True
        await self.worker.child.channel.send(JOB, pack(job))
        return await self._first(request)

    async def _first(self, request: QueryRequest) -> Planned | tuple[ReadRun, bytes, Ended | None]:
        while True:
            kind, payload = await self.receive()
            if kind == PLANNED:
                planned: Planned = unpack(payload)
                self._reads.plans.put(request.text, planned)
                if planned.stops:
                    self.finish(Ended())
                    return planned
            elif kind == CHUNK:
                self._ahead = self.worker.child.channel.buffered()
                ended = None
                if self._ahead is not None and self._ahead[0] == END:
                    ended = self.end(self._ahead[1])
                self._raise_failure(ended)
                return self, payload, ended
            else:
                ended = self.end(payload)
                self._raise_failure(ended)
                return self, b"", ended

    async def receive(self) -> tuple[int, bytes]:
        """The next frame of the answer; questions on the way are answered. Raises ChannelClosed."""
        channel = self.worker.child.channel
        while True:
            ahead, self._ahead = self._ahead, None
            kind, payload = await channel.receive() if ahead is None else ahead
            if kind != ASK:
                return kind, payload
            await channel.send(TOLD, pack(self._told(unpack(payload))))

    def _told(self, question: Question) -> Told:
        reads = self._reads
        hides = reads.settings.hide_queries
        return Registered(reads.registry, self.entry, self._read_only, hides).told(question)

    def end(self, payload: bytes) -> Ended:
        """The END frame has come: give slot and worker back."""
        ended: Ended = unpack(payload)
        self.entry.rows = ended.rows
        self.entry.peak_memory = max(self.entry.peak_memory, ended.peak)
        self.finish(ended)
        return ended

    def _raise_failure(self, ended: Ended | None) -> None:
        """No byte has been sent yet: an error is the answer, also one told in the body."""
        error = None if ended is None else self.failure(ended)
        if error is not None:
            raise error

    def failure(self, ended: Ended) -> CypherdError | None:
        """What the client is to be told: if it was stopped from here, with those words."""
        if ended.error is None:
            return None
        error = CypherdError.from_wire(ended.error)
        stopped = self.entry.stop_error
        return stopped if stopped is not None and isinstance(error, _STOPPED) else error

    # --- stopping -----------------------------------------------------------------------

    def stop(self, error: CypherdError) -> None:
        """Set the flag; kill the worker if it does not listen."""
        slot = self._slot
        if slot is None:
            return
        slot.cancel(self.entry.number, reason_of(error))
        grace = self._reads.settings.cancel_grace
        self._timer = self._loop.call_later(grace, self._overdue, 0)

    def _overdue(self, tries: int) -> None:
        slot = self._slot
        if slot is None:
            return
        if slot.get(FINISHED) == self.entry.number and tries == 0:
            self._timer = self._loop.call_later(_END_GRACE, self._overdue, 1)
            return
        _log.info(
            "query %s ignores its cancel: killing its process",
            self.entry.id,
            extra={"about": {"query_id": self.entry.id}},
        )
        self._reads.pool.discard(self.worker)

    def stall(self, stalled: bool) -> None:
        """The worker waits, or no longer waits, for its client."""
        if stalled or self.worker.stalled:
            self._reads.pool.stall(self.worker, stalled)

    def had_begun(self) -> bool:
        """False if the worker was dead before it looked at the job."""
        slot = self._slot
        return slot is not None and slot.get(RUNNING) == self.entry.number

    def was_hungry(self) -> bool:
        slot = self._slot
        return slot is not None and slot.get(PEAK) > self._reads.settings.query_memory // 4

    # --- ending -------------------------------------------------------------------------

    def finish(self, ended: Ended) -> None:
        """The worker is ready for another job."""
        if self._close():
            if self._sent:
                self._reads.pool.release(self.worker, ended.resident)
            else:
                self._reads.pool.release(self.worker)

    def lost(self) -> None:
        """The worker is dead, or has to be."""
        self._close()
        self._reads.pool.discard(self.worker)

    def abandon(self) -> None:
        """Nobody waits for the answer any more: stop the query and wait for its end aside."""
        if self._slot is None or not self._sent:
            # No job has reached the worker: no END would ever come.
            self.finish(Ended())
            self._reads.registry.end(self.entry, self.entry.stop_error or ClientGone("gone"))
            return
        self.entry.stop(ClientGone("the client went away"))
        self._draining = self._loop.create_task(self._drain())

    async def _drain(self) -> None:
        try:
            while True:
                kind, payload = await self.receive()
                if kind not in (CHUNK, PLANNED):
                    self.end(payload)
                    break
                if kind == PLANNED and unpack(payload).stops:
                    self.finish(Ended())
                    break
        except ChannelClosed:
            self.lost()
        self._reads.registry.end(self.entry, self.entry.stop_error)

    def _close(self) -> bool:
        """Free what the run holds; False if that has been done."""
        slot, self._slot = self._slot, None
        if self._timer is not None:
            self._timer.cancel()
        if slot is None:
            return not self._sent
        self.entry.stopper = None
        self.entry.note_slot()
        self._reads.slots.free(slot)
        return True


def limits_of(entry: Entry, settings: Settings) -> Limits:
    return Limits(entry.deadline, entry.deadline_message, settings.max_rows, settings.query_memory)


_STOPPED = (QueryStopped, Unavailable)
