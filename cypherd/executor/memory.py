"""How much memory kept rows take, and the guard's account of it."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from cypherd.batch.columns import Batch, Column, ObjectColumn
from cypherd.executor.context import Guard
from cypherd.values.graph import NodeRef, RelationshipRef
from cypherd.values.temporal import TemporalValue

_SLOT = 8
_SMALL = 48
_ENTRY = 100
_TEMPORAL = 160
_DEEPEST = 8
_SMALL_KINDS = {int, float, bool, type(None), NodeRef, RelationshipRef}


class Holding:
    """A context manager: what it holds is released at the end, however that comes."""

    __slots__ = ("guard", "held")

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.held = 0

    def add(self, nbytes: int) -> None:
        """Raises MemoryLimitExceeded."""
        self.held += nbytes
        self.guard.hold(nbytes)

    def set(self, nbytes: int) -> None:
        """Make `nbytes` all that is held. Raises MemoryLimitExceeded."""
        if nbytes > self.held:
            self.add(nbytes - self.held)
        elif nbytes < self.held:
            self.guard.release(self.held - nbytes)
            self.held = nbytes

    def __enter__(self) -> Holding:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.guard.release(self.held)
        self.held = 0


def value_bytes(value: Any, depth: int = 0) -> int:
    """About what a Cypher value takes, its slot in a list included."""
    kind = type(value)
    if kind is str:
        return _SLOT + 49 + len(value)
    if kind is bytes:
        return _SLOT + 33 + len(value)
    if depth < _DEEPEST:
        if kind is list or kind is tuple:
            return _SLOT + 56 + sum(value_bytes(item, depth + 1) for item in value)
        if kind is dict:
            items = value.values()
            return _SLOT + 64 + sum(_ENTRY + value_bytes(item, depth + 1) for item in items)
        if isinstance(value, TemporalValue):
            return _SLOT + _TEMPORAL
        if hasattr(value, "relationships"):
            return _SLOT + _SMALL + 2 * (_SLOT + _SMALL) * (len(value.relationships) + 1)
    return _SLOT + _SMALL


def column_bytes(column: Column) -> int:
    if isinstance(column, ObjectColumn):
        kinds = set(map(type, column.values))
        if kinds == {str}:
            # The most frequent column by far, and the account must not cost more than the work.
            return (_SLOT + 49) * len(column.values) + sum(map(len, column.values))
        if kinds <= _SMALL_KINDS:
            return (_SLOT + _SMALL) * len(column.values)
        return sum(map(value_bytes, column.values))
    return column.nbytes()


def batch_bytes(batch: Batch) -> int:
    return _ENTRY + sum(column_bytes(column) for column in batch.columns.values())
