"""Sorting in parts gives exactly the order of one sort, and asks the guard all the while."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.batch.columns import TypedColumn
from cypherd.errors import QueryCancelled
from cypherd.executor.context import Unguarded
from cypherd.executor.partitioning import ordered_rows
from cypherd.executor.sorting import sorted_rows


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans(), st.floats(-2, 2)), max_size=300),
    st.integers(2, 40),
)
def test_as_one_sort(rows: list[tuple[int, bool, float]], at_once: int) -> None:
    keys: list[Any] = [
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.bool_),
        np.array([row[2] for row in rows], dtype=np.float64),
    ]
    for chosen in (keys, keys[:2], keys[::-1], keys[:1]):
        order = ordered_rows(chosen, Unguarded(), at_once)
        assert order.tolist() == np.lexsort(chosen).tolist()


@pytest.mark.parametrize(
    "shape", ["random", "one value", "two values", "ascending", "rare outlier"]
)
def test_many_rows_of_any_shape(shape: str) -> None:
    random = np.random.default_rng(1)
    count = 300_000
    values = {
        "random": random.integers(-(2**62), 2**62, count),
        "one value": np.zeros(count, dtype=np.int64),
        "two values": random.integers(0, 2, count),
        "ascending": np.arange(count),
        "rare outlier": np.where(np.arange(count) % 50_000 == 7, -5, 3),
    }[shape]
    second = random.random(count)
    keys = [second, values]
    assert ordered_rows(keys, Unguarded(), 20_000).tolist() == np.lexsort(keys).tolist()


class _Watch(Unguarded):
    """Remembers the longest time between two checks, in processor time."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.longest = 0.0
        self.checks = 0
        self._stop_after = stop_after
        self._last = time.thread_time()

    def check(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now
        self.checks += 1
        if self.checks == self._stop_after:
            raise QueryCancelled("stop")


def test_the_guard_is_asked_often_and_may_stop_it() -> None:
    values = np.random.default_rng(1).integers(0, 2**62, 3_000_000)
    column = TypedColumn(values)
    longest = []
    for _ in range(3):
        watch = _Watch()
        order = sorted_rows([column], [False], watch)
        longest.append(watch.longest)
    assert (np.diff(values[order]) <= 0).all()
    assert watch.checks > 3_000_000 / (1 << 17)
    # One uninterrupted sort of these takes some 300 ms; generous and the best of three, as machines
    # are busy and what others take of a virtual processor counts as a thread's own time.
    assert min(longest) < 0.15
    with pytest.raises(QueryCancelled):
        sorted_rows([column], [True], _Watch(stop_after=10))
