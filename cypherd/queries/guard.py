"""The veto guard: the one thing that every running query asks whether it may go on.

`check` is a closure kept in an attribute, because cells are read faster than attributes: a
comparison of the cancel word and one of the clock, about 100 ns. Everything dearer (the memory
of the process, the words that the front watches) waits until the clock says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic, thread_time
from typing import NamedTuple

from cypherd.errors import (
    DeadlinePassed,
    GroupShareSpent,
    InlineBudgetSpent,
    MemoryLimitExceeded,
    QueryStopped,
    RowLimitExceeded,
)
from cypherd.processes.limits import MemoryGauge
from cypherd.queries.slots import CANCEL, COMMITS, PEAK, REASON, ROWS, Slot, error_for

_MEMORY_INTERVAL = 0.02

YIELD_INTERVAL = 0.001
"""Seconds after which a query that yields offers its core to others. The kernel would take it only
at its next tick, of 4 ms or more, even for a process that comes long before it by priority."""


class Limits(NamedTuple):
    """`deadline` is in CLOCK_MONOTONIC seconds, the same in every process."""

    deadline: float
    deadline_message: str
    max_rows: int
    max_memory: int


class QueryGuard:
    """The guard of a statement in a worker or in the writer. `share_end`: when a statement of a
    group has had its share. `between` is called between two transactions of the statement.
    `yields`: its checks offer the core to other processes now and then."""

    __slots__ = ("_base_memory", "_between", "_due", "_gauge", "_limits", "_share_end", "_slot",
                 "_yields", "check", "held", "peak", "rows")  # fmt: skip

    check: Callable[[], None]

    def __init__(
        self,
        slot: Slot,
        query: int,
        limits: Limits,
        gauge: MemoryGauge,
        share_end: float | None = None,
        between: Callable[[], None] | None = None,
        yields: bool = False,
    ) -> None:
        self._slot = slot
        self._limits = limits
        self._gauge = gauge
        self._share_end = share_end
        self._between = between
        self._yields = yields
        self._base_memory = gauge.read()
        self._due = self._next_due(monotonic())
        self.held = 0
        self.peak = 0
        self.rows = 0
        self.check = self._make_check(slot.words, slot.base + CANCEL, query)

    def _make_check(self, words: memoryview, cancel: int, query: int) -> Callable[[], None]:
        wake = self._next_look(monotonic())
        look = self._look

        def check() -> None:
            nonlocal wake
            if words[cancel] == query or monotonic() >= wake:
                wake = look(words[cancel] == query)

        return check

    def _look(self, cancelled: bool) -> float:
        """The dear part of a check; when the next one is due. Raises QueryStopped."""
        if cancelled:
            raise error_for(self._slot.get(REASON), self._limits.deadline_message)
        if self._yields:
            os.sched_yield()
        now = monotonic()
        if now >= self._due:
            self._look_at_limits(now)
        return self._next_look(now)

    def _next_look(self, now: float) -> float:
        return min(self._due, now + YIELD_INTERVAL) if self._yields else self._due

    def _look_at_limits(self, now: float) -> None:
        limits = self._limits
        if now >= limits.deadline:
            raise DeadlinePassed(limits.deadline_message)
        if self._share_end is not None and now >= self._share_end:
            raise GroupShareSpent("the statement took more than its share of a group commit")
        grown = self._gauge.read() - self._base_memory
        self._note_peak(max(grown, self.held))
        if grown > limits.max_memory:
            raise self._over_memory()
        self._due = self._next_due(now)

    def _next_due(self, now: float) -> float:
        due = min(self._limits.deadline, now + _MEMORY_INTERVAL)
        return due if self._share_end is None else min(due, self._share_end)

    def hold(self, nbytes: int) -> None:
        self.held += nbytes
        if self.held > self.peak:
            self._note_peak(self.held)
            if self.held > self._limits.max_memory:
                raise self._over_memory()

    def release(self, nbytes: int) -> None:
        self.held -= nbytes

    def emitted(self, rows: int) -> None:
        self.rows += rows
        self._slot.set(ROWS, self.rows)
        if self.rows > self._limits.max_rows:
            raise over_rows(self._limits.max_rows)

    def committed(self) -> None:
        self._slot.set(COMMITS, self._slot.get(COMMITS) + 1)
        if self._between is not None:
            self._between()

    def _note_peak(self, nbytes: int) -> None:
        if nbytes > self.peak:
            self.peak = nbytes
            self._slot.set(PEAK, nbytes)

    def _over_memory(self) -> QueryStopped:
        return MemoryLimitExceeded(
            f"the query needs more than the {self._limits.max_memory:,} bytes "
            "that the setting query_memory allows"
        )


def over_rows(limit: int) -> RowLimitExceeded:
    return RowLimitExceeded(
        f"the result has more than the {limit:,} rows that the setting max_rows allows"
    )


class InlineGuard:
    """The guard of a read in the event loop: until `end` on the clock, and beyond it as long as
    the loop has not had `cpu_end` of processor time: what other processes took from it meanwhile
    is not the query's fault. It needs no slot: nothing else runs there that could cancel it."""

    __slots__ = ("_held", "_max_memory", "_max_rows", "check", "rows")

    check: Callable[[], None]

    def __init__(self, end: float, cpu_end: float, max_rows: int, max_memory: int) -> None:
        self._max_rows = max_rows
        self._max_memory = max_memory
        self._held = 0
        self.rows = 0

        def check() -> None:
            # The thread's clock is a system call, some microseconds; the other one is not.
            if monotonic() >= end and thread_time() >= cpu_end:
                raise InlineBudgetSpent("the query took its time in the event loop")

        self.check = check

    def hold(self, nbytes: int) -> None:
        self._held += nbytes
        if self._held > self._max_memory:
            raise InlineBudgetSpent("the query needs more memory than the event loop gives")

    def release(self, nbytes: int) -> None:
        self._held -= nbytes

    def emitted(self, rows: int) -> None:
        self.rows += rows
        if self.rows > self._max_rows:
            raise over_rows(self._max_rows)

    def committed(self) -> None:
        """Only writes commit, and none runs here."""
