"""When a read in the event loop has to go."""

from __future__ import annotations

import time

import pytest

from cypherd.errors import InlineBudgetSpent, RowLimitExceeded
from cypherd.queries.guard import InlineGuard

BUDGET = 0.002


def guard_of(budget: float = BUDGET) -> InlineGuard:
    return InlineGuard(time.monotonic() + budget, time.thread_time() + budget, 10, 1000)


def test_processor_time_over_the_budget_is_vetoed() -> None:
    guard = guard_of()
    end = time.thread_time() + 2 * BUDGET
    while time.thread_time() < end:
        pass
    with pytest.raises(InlineBudgetSpent):
        guard.check()


def test_time_that_others_took_is_not() -> None:
    guard = guard_of(0.05)
    time.sleep(0.06)
    guard.check()


def test_memory_over_the_loop_s_share_is_vetoed() -> None:
    guard = guard_of()
    guard.hold(900)
    guard.release(800)
    guard.hold(900)
    with pytest.raises(InlineBudgetSpent):
        guard.hold(1)


def test_rows_over_the_limit_are_an_error() -> None:
    guard = guard_of()
    guard.emitted(10)
    with pytest.raises(RowLimitExceeded):
        guard.emitted(1)
