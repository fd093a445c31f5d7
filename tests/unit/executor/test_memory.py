"""The guard's account."""

from __future__ import annotations

import pytest

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.errors import MemoryLimitExceeded
from cypherd.executor.context import Unguarded
from cypherd.executor.memory import Holding, batch_bytes, value_bytes


class _Limited(Unguarded):
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0

    def hold(self, nbytes: int) -> None:
        self.held += nbytes
        if self.held > self.limit:
            raise MemoryLimitExceeded("too much")

    def release(self, nbytes: int) -> None:
        self.held -= nbytes


def test_all_is_released_at_the_end() -> None:
    guard = _Limited(1000)
    with Holding(guard) as held:
        held.add(100)
        held.set(700)
        held.set(300)
        assert guard.held == 300
    assert guard.held == 0


def test_all_is_released_after_a_refusal() -> None:
    guard = _Limited(1000)
    with pytest.raises(MemoryLimitExceeded), Holding(guard) as held:
        held.add(1001)
    assert guard.held == 0


def test_long_values_count() -> None:
    assert value_bytes("x" * 10_000) > 10_000
    assert value_bytes([["x" * 1000] * 100]) > 100_000
    assert batch_bytes(Batch(1, {"a": ObjectColumn([{"k": "x" * 5000}])})) > 5000
