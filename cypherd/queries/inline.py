"""Inline reads: bounded plans that run in the event loop itself, on a budget.

The budget belongs to a turn of the loop, not to a query: budgets of their own would add up, and
the loop would lag by as many of them as there are queries ready. A query starts only while half
of it is left, otherwise it waits for the next turn; what it has not finished by the end of the
budget is thrown away and starts again in a worker. No byte has been sent by then, and a read has
no side effects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from resource import RUSAGE_SELF, getrusage
from time import monotonic, thread_time
from typing import Any, TypeVar

from cypherd.engine import Engine
from cypherd.errors import InlineBudgetSpent
from cypherd.queries.fair import FairQueue
from cypherd.queries.guard import InlineGuard
from cypherd.queries.metrics import Metrics
from cypherd.queries.outcome import as_answer
from cypherd.queries.plans import KnownPlan
from cypherd.queries.registry import Entry
from cypherd.render.gzipping import gzip_whole
from cypherd.render.registry import renderer_named
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore

Given = TypeVar("Given")

_MEMORY = 4 << 20
# Compressing this much takes half a millisecond; larger bodies go out as they are.
_GZIP_MOST = 32 * 1024
# Page faults cannot be vetoed: a read of pages that are not in memory takes as long as the disk
# takes. When the loop has lagged this much and waited for the disk meanwhile, inlining stops for a
# while. Lag alone, when other processes have the processors, is no reason: a worker would wait too.
_LAG_LIMIT = 0.020
_LAG_PAUSE = 0.25
_LAG_PERIOD = 0.010


class Inline:
    def __init__(
        self, settings: Settings, store: GraphStore, engine: Engine, metrics: Metrics
    ) -> None:
        self._metrics = metrics
        self._budget = settings.inline_budget
        self._max_rows = settings.max_rows
        self._store = store
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._turn_end = 0.0
        self._turn_cpu_end = 0.0
        self._paused_until = 0.0
        self._waiting: FairQueue[Callable[[], None]] = FairQueue()
        self._drains = False
        self._lag_timer: asyncio.TimerHandle | None = None
        self._lag_due = 0.0
        self._faults = getrusage(RUSAGE_SELF).ru_majflt
        self.lag = 0.0
        """Seconds by which the loop was late, at the last look."""
        self.worst_lag = 0.0
        """The most of the last second."""
        self._worst, self._worst_until = 0.0, 0.0

    def start(self) -> None:
        self._lag_due = monotonic() + _LAG_PERIOD
        self._lag_timer = self._loop.call_later(_LAG_PERIOD, self._measure_lag)

    def stop(self) -> None:
        if self._lag_timer is not None:
            self._lag_timer.cancel()

    def queued(self) -> int:
        """How many wait for a turn of the loop that has room."""
        return len(self._waiting)

    def open(self) -> bool:
        """Whether inlining is on: not while the loop waits for the disk."""
        return not self._paused_until or monotonic() >= self._paused_until

    async def in_turn(self, client: str, run: Callable[[], Given]) -> Given:
        """What `run` gives, called when a turn of the loop has enough budget left to start."""
        if self.has_room():
            return run()
        future: asyncio.Future[Given] = self._loop.create_future()

        def call() -> None:
            if future.done():
                return
            try:
                future.set_result(run())
            except Exception as error:
                future.set_exception(error)

        self.later(client, call)
        return await future

    def later(self, client: str, call: Callable[[], None]) -> None:
        """`call` when a turn of the loop has room, client by client, each in the order in which
        they came. Nobody asks again and again: a thousand that wait would take the turns for
        asking."""
        self._waiting.push(client, call)
        self._drain_soon()

    def _drain_soon(self) -> None:
        if not self._drains:
            self._drains = True
            self._loop.call_soon(self._drain)

    def _drain(self) -> None:
        self._drains = False
        try:
            while self._waiting and self._is_room():
                self._waiting.pop()()
        finally:
            # Whatever one of them raises, the others must not wait for ever.
            if self._waiting:
                self._drain_soon()

    def run(
        self,
        entry: Entry,
        text: str,
        parameters: dict[str, Any],
        format_: str,
        options: RenderOptions,
        known: KnownPlan,
    ) -> bytes | None:
        """The whole answer; None: it did not fit, or its plan is too old. Raises CypherdError.

        Call it in `in_turn`, in `later`, or right after `has_room`."""
        try:
            with self._store.read() as transaction:
                plan = known.plan()
                if plan.schema_version != transaction.schema.version:
                    return None
                renderer = renderer_named(format_)
                guard = InlineGuard(self._turn_end, self._turn_cpu_end, self._max_rows, _MEMORY)
                result = self._engine.run_short(plan, parameters, transaction, guard)
                if result is None:
                    result = self._engine.run(
                        plan, parameters, transaction, guard, clock=entry.started
                    )
                try:
                    body = b"".join(renderer.render(result, options))
                finally:
                    result.close()
                entry.rows = guard.rows
                known.fitted()
                return gzip_whole(body, options.gzip_from, _GZIP_MOST)
        except InlineBudgetSpent:
            self._metrics.vetoes["inline budget"] += 1
            known.spent()
            return None
        except Exception as error:
            raise as_answer(error, text) from None

    def has_room(self) -> bool:
        """Whether this turn of the loop has enough budget left to start, and none waits for it."""
        return not self._waiting and self._is_room()

    def _is_room(self) -> bool:
        now = monotonic()
        if self._turn_end == 0.0:
            self._turn_end = now + self._budget
            self._turn_cpu_end = thread_time() + self._budget
            self._loop.call_soon(self._end_turn)
            return True
        return self._turn_end - now >= self._budget / 2

    def _end_turn(self) -> None:
        self._turn_end = 0.0

    def _measure_lag(self) -> None:
        now = monotonic()
        self.lag = max(0.0, now - self._lag_due)
        self._metrics.lag.observe(self.lag)
        self._worst = max(self._worst, self.lag)
        if now >= self._worst_until:
            self.worst_lag, self._worst, self._worst_until = self._worst, 0.0, now + 1.0
        faults = getrusage(RUSAGE_SELF).ru_majflt
        if self.lag > _LAG_LIMIT and faults > self._faults:
            self._paused_until = now + _LAG_PAUSE
        self._faults = faults
        self._lag_due = now + _LAG_PERIOD
        self._lag_timer = self._loop.call_later(_LAG_PERIOD, self._measure_lag)
