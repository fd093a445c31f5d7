"""A worker: plans texts and runs reads, one at a time, for one front.

Chunks go out as the renderer finishes them, by a blocking send: when the client stops reading,
so does the front, and the query waits here. The worker ends when its channel does.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from time import monotonic

from cypherd.engine import Engine
from cypherd.planner.plan import Plan
from cypherd.processes.channel import BlockingChannel, ChannelClosed, frame
from cypherd.processes.context import ChildContext
from cypherd.processes.limits import MemoryGauge, limit_data
from cypherd.queries.asking import FrontQueries
from cypherd.queries.guard import QueryGuard
from cypherd.queries.jobs import (
    CHUNK,
    END,
    PLANNED,
    Ended,
    Planned,
    ReadJob,
    pack,
    place_kind,
    unpack,
)
from cypherd.queries.outcome import as_answer
from cypherd.queries.slots import EXECUTING, PLANNING, SENDING, STATE, Slot, words_of
from cypherd.render.registry import rendered, renderer_named
from cypherd.storage.protocols import GraphStore, ReadTransaction

NICE = 19

_YOUNG = 50_000
"""A batch of rows may be tens of thousands of objects without any cycle. With fewer than these
counted as young, looking for cycles took a third of the time of queries that make paths."""

_LONG = 0.1
"""Seconds after which a query may have left enough to be worth a whole collection: there is none
while queries run, because it would stop a query that holds millions of values for a second."""

# A renderer gives chunks of about 64 KiB; a much smaller one is the end of the result, and goes
# out together with the END frame, so that the front has the whole answer at once.
_SMALL = 32 * 1024


def run_worker(context: ChildContext) -> None:
    """The role of a process for long reads."""
    os.nice(NICE)
    # The front's loop may get a core back from a process that is merely nice a millisecond or two
    # late; from an idle one it gets it at once.
    if sys.platform == "linux" and context.settings.worker_priority == "idle":
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    _run(context, yields=True)


def run_planner(context: ChildContext) -> None:
    """The role of the process that plans while all workers are busy: the same, not nice."""
    _run(context, yields=False)


def _run(context: ChildContext, yields: bool) -> None:
    limit_data(context.settings.worker_memory)
    gc.set_threshold(_YOUNG, 2, 1_000_000)
    channel = BlockingChannel(context.channel)
    store = context.open_store()
    worker = Worker(store, Engine(context.settings), channel, words_of(context.shared), yields)
    with contextlib.suppress(ChannelClosed):
        while True:
            _, payload = channel.receive()
            began = monotonic()
            worker.run(unpack(payload))
            if monotonic() - began > _LONG:
                gc.collect()


class Worker:
    def __init__(
        self,
        store: GraphStore,
        engine: Engine,
        channel: BlockingChannel,
        words: memoryview,
        yields: bool,
    ) -> None:
        self._store = store
        self._engine = engine
        self._channel = channel
        self._words = words
        self._yields = yields
        self._gauge = MemoryGauge()

    def run(self, job: ReadJob) -> None:
        """Answer one job. Raises ChannelClosed when the front has gone."""
        slot = Slot(self._words, job.slot)
        slot.begin(job.query, PLANNING)
        guard = QueryGuard(slot, job.query, job.limits, self._gauge, yields=self._yields)
        answer = _Answer(self._channel, slot)
        ended: Ended | None
        try:
            guard.check()
            ended = self._answer(job, guard, answer, slot)
        except ChannelClosed:
            raise
        except Exception as error:
            failure = as_answer(error, job.text)
            ended = Ended(error=failure.to_wire(), told=answer.tells_errors())
            # Locals of the frames that failed can hold the query's memory.
            error.__traceback__ = None
        if ended is None:
            slot.end(job.query)
            return
        ended = ended._replace(rows=guard.rows, peak=guard.peak, resident=self._gauge.read())
        slot.end(job.query)
        answer.finish(ended)

    def _answer(self, job: ReadJob, guard: QueryGuard, answer: _Answer, slot: Slot) -> Ended | None:
        """How the read ended; None: only a plan was asked for, or the plan is a write."""
        with self._store.read() as transaction:
            plan = self._plan(job, transaction)
            stops = job.plan_only or place_kind(plan) != "read"
            if stops or job.data is None or plan.schema_version != job.schema_version:
                planned = Planned.of(plan, stops=stops)
                self._channel.send(frame(PLANNED, pack(planned)))
            if stops:
                return None
            slot.set(STATE, EXECUTING)
            result = self._engine.run(
                plan,
                job.parameters,
                transaction,
                guard,
                clock=job.clock,
                queries=FrontQueries(self._channel),
            )
            answer.in_band = renderer_named(job.format).in_band_errors
            try:
                answer.send(rendered(job.format, result, job.options))
            finally:
                result.close()
            return Ended(stats=result.stats.to_dict())

    def _plan(self, job: ReadJob, transaction: ReadTransaction) -> Plan:
        if job.data is not None and job.schema_version == transaction.schema.version:
            plan: Plan = unpack(job.data)
            return plan
        return self._engine.plan(job.text, transaction)


class _Answer:
    """The body of one answer on its way to the front."""

    def __init__(self, channel: BlockingChannel, slot: Slot) -> None:
        self._channel = channel
        self._slot = slot
        self._held = b""
        self._sent = False
        self.in_band = False

    def send(self, chunks: Iterator[bytes]) -> None:
        for chunk in chunks:
            if self._held:
                self._put(self._held)
                self._held = b""
            if len(chunk) < _SMALL:
                self._held = chunk
            else:
                self._put(chunk)

    def tells_errors(self) -> bool:
        """Whether the error stands in the bytes sent. If none were sent, the error becomes the
        whole answer, with its own status."""
        if not self._sent:
            self._held = b""
        return self._sent and self.in_band

    def finish(self, ended: Ended) -> None:
        frames = [frame(END, pack(ended))]
        if self._held:
            frames.insert(0, frame(CHUNK, self._held))
        self._channel.send(*frames)

    def _put(self, chunk: bytes) -> None:
        self._slot.set(STATE, SENDING)
        self._channel.send(frame(CHUNK, chunk))
        self._slot.set(STATE, EXECUTING)
        self._sent = True
