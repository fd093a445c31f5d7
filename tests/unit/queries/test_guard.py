"""Slots and guards: who is stopped, by what, and who is not."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    GroupShareSpent,
    MemoryLimitExceeded,
    QueryCancelled,
    RowLimitExceeded,
    Unavailable,
)
from cypherd.processes.limits import MemoryGauge
from cypherd.queries import guard as guard_module
from cypherd.queries.guard import YIELD_INTERVAL, Limits, QueryGuard
from cypherd.queries.slots import (
    CANCEL,
    FINISHED,
    PEAK,
    ROWS,
    RUNNING,
    SLOT_WORDS,
    STATE,
    Slot,
    SlotTable,
    error_for,
    reason_of,
    words_of,
)
from tests.unit.memory import private_memory

HOUR = 3600.0


def limits(**changed: object) -> Limits:
    given: dict[str, object] = {
        "deadline": time.monotonic() + HOUR,
        "deadline_message": "the limit that passed",
        "max_rows": 100,
        "max_memory": 1 << 20,
    }
    return Limits(**{**given, **changed})  # type: ignore[arg-type]


@pytest.fixture
def table() -> SlotTable:
    return SlotTable(mmap.mmap(-1, 4096))


def guard_in(
    slot: Slot,
    query: int = 7,
    share_end: float | None = None,
    yields: bool = False,
    **changed: object,
) -> QueryGuard:
    return QueryGuard(slot, query, limits(**changed), MemoryGauge(), share_end, yields=yields)


def test_nothing_stops_a_query_that_is_within_its_limits(table: SlotTable) -> None:
    guard = guard_in(table.take())
    for _ in range(1000):
        guard.check()
    guard.hold(1 << 20)
    guard.release(1 << 20)
    guard.hold(1 << 20)
    guard.emitted(100)
    assert (guard.rows, guard.peak) == (100, 1 << 20)


@pytest.mark.parametrize(
    "error",
    [QueryCancelled("x"), DeadlinePassed("x"), Unavailable("x")],
    ids=lambda error: type(error).__name__,
)
def test_the_flag_stops_it_and_says_why(table: SlotTable, error: CypherdError) -> None:
    slot = table.take()
    guard = guard_in(slot)
    slot.cancel(7, reason_of(error))
    with pytest.raises(type(error)):
        guard.check()


def test_a_late_flag_cannot_hit_the_next_query_of_the_slot(table: SlotTable) -> None:
    slot = table.take()
    slot.cancel(7, 1)
    after = guard_in(slot, query=8)
    for _ in range(1000):
        after.check()


def test_a_flag_set_in_another_process_is_seen() -> None:
    """The map is anonymous and shared: made before the fork, it is one memory for both."""
    shared = mmap.mmap(-1, 4096)
    slot = SlotTable(shared).take()
    pid = os.fork()
    if pid == 0:
        time.sleep(0.05)
        Slot(words_of(shared), slot.number).cancel(7, 1)
        os._exit(0)
    guard = guard_in(slot)
    with pytest.raises(QueryCancelled):
        _check_for(guard.check, 10)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("yields", [False, True])
def test_the_deadline_names_its_limit(table: SlotTable, yields: bool) -> None:
    guard = guard_in(table.take(), yields=yields, deadline=time.monotonic() + 0.02)
    with pytest.raises(DeadlinePassed, match="the limit that passed"):
        _check_for(guard.check, 5)


def test_a_share_of_a_group_ends(table: SlotTable) -> None:
    guard = guard_in(table.take(), share_end=time.monotonic() + 0.02)
    with pytest.raises(GroupShareSpent):
        _check_for(guard.check, 5)


def test_memory_that_operators_hold(table: SlotTable) -> None:
    slot = table.take()
    guard = guard_in(slot)
    guard.hold(1 << 20)
    with pytest.raises(MemoryLimitExceeded, match="query_memory"):
        guard.hold(1)
    assert slot.get(PEAK) == (1 << 20) + 1


@pytest.mark.parametrize("yields", [False, True])
def test_memory_that_nobody_accounted_for(table: SlotTable, yields: bool) -> None:
    """What a function allocates beside the account still is this process's own memory."""
    guard = guard_in(table.take(), yields=yields, max_memory=16 << 20)
    held = private_memory(64 << 20)
    with pytest.raises(MemoryLimitExceeded):
        _check_for(guard.check, 5)
    held.close()


def test_rows_over_the_limit_are_an_error_that_names_it(table: SlotTable) -> None:
    slot = table.take()
    guard = guard_in(slot)
    guard.emitted(60)
    assert slot.get(ROWS) == 60
    with pytest.raises(RowLimitExceeded, match=r"100 rows.*max_rows"):
        guard.emitted(41)


@pytest.mark.parametrize("yields", [False, True])
def test_a_guard_that_yields_offers_its_core_now_and_then(
    table: SlotTable, yields: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    offered: list[float] = []
    monkeypatch.setattr(guard_module, "monotonic", lambda: clock[0])
    monkeypatch.setattr(os, "sched_yield", lambda: offered.append(clock[0]))
    guard = guard_in(table.take(), yields=yields, deadline=200.0)
    for tenths in range(1, 101):
        clock[0] = 100.0 + tenths * YIELD_INTERVAL / 10
        for _ in range(3):
            guard.check()
    # A tenth may fall on either side of the end of an interval; then the next ends later.
    assert len(offered) in ((9, 10) if yields else (0,))
    assert all(b - a >= YIELD_INTERVAL * 0.99 for a, b in pairwise(offered))


@pytest.mark.parametrize("yields", [False, True])
def test_a_check_is_cheap(table: SlotTable, yields: bool) -> None:
    """About 100 ns; the limit here only finds a check that has become dear by accident."""
    guard = guard_in(table.take(), yields=yields)
    check = guard.check
    best = HOUR
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(20_000):
            check()
        best = min(best, (time.perf_counter() - began) / 20_000)
    assert best < 3e-6


def test_slots_run_out_with_an_answer(table: SlotTable) -> None:
    slots = [table.take() for _ in range(4096 // (8 * SLOT_WORDS))]
    assert len({slot.number for slot in slots}) == len(slots)
    with pytest.raises(Unavailable):
        table.take()
    table.free(slots[3])
    assert table.take().number == 3


def test_a_taken_slot_is_clean(table: SlotTable) -> None:
    for _ in range(4096 // (8 * SLOT_WORDS)):
        slot = table.take()
        slot.cancel(7, 1)
        slot.begin(7, 1)
        slot.set(ROWS, 5)
        table.free(slot)
    slot = table.take()
    words = (CANCEL, RUNNING, STATE, ROWS, PEAK, FINISHED)
    assert [slot.get(word) for word in words] == [0] * len(words)


@pytest.mark.parametrize("reason", [0, 1, 99], ids=str)
def test_an_unknown_reason_is_a_cancel(reason: int) -> None:
    assert isinstance(error_for(reason, ""), QueryCancelled)


def _check_for(check: Callable[[], None], seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        check()
