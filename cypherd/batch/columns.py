"""Columns and batches.

A batch is a number of rows and its columns by variable name. A column is one of

    IdColumn      int64 ids of nodes or of relationships, -1 where null
    TypedColumn   int64, float64 or bool array with a validity mask (None: no nulls)
    ObjectColumn  a list of Cypher values (NodeRef, RelationshipRef, PathRef inside)

Columns are immutable by agreement: nobody writes into an array or a list that stands in a
column. `to_list()` gives the Cypher values (ids as NodeRef / RelationshipRef), `take(rows)` the
rows at an int64 index array (-1 gives null), in order, repeats allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from cypherd.values.graph import NodeRef, RelationshipRef

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

NULL_ID = -1
EntityKind = Literal["node", "relationship"]


class Column(Protocol):
    """What every kind of column can do."""

    def __len__(self) -> int: ...
    def to_list(self) -> list[Any]: ...
    def take(self, rows: IntArray) -> Column: ...
    def nbytes(self) -> int:
        """About how much memory the column holds, for the guard's account."""


@dataclass(frozen=True, slots=True)
class IdColumn:
    kind: EntityKind
    ids: IntArray

    def __len__(self) -> int:
        return len(self.ids)

    def to_list(self) -> list[Any]:
        make = NodeRef if self.kind == "node" else RelationshipRef
        return [make(i) if i >= 0 else None for i in self.ids.tolist()]

    def take(self, rows: IntArray) -> IdColumn:
        if len(rows) and rows.min() < 0:
            ids = np.full(len(rows), NULL_ID, dtype=np.int64)
            there = rows >= 0
            ids[there] = self.ids[rows[there]]
            return IdColumn(self.kind, ids)
        return IdColumn(self.kind, self.ids[rows])

    def nbytes(self) -> int:
        return int(self.ids.nbytes)


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """`values` is int64, float64 or bool; `valid` is None when no value is null."""

    values: NDArray[Any]
    valid: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.values)

    def to_list(self) -> list[Any]:
        values: list[Any] = self.values.tolist()
        if self.valid is None:
            return values
        return [v if ok else None for v, ok in zip(values, self.valid.tolist(), strict=True)]

    def take(self, rows: IntArray) -> TypedColumn:
        if len(rows) and rows.min() < 0:
            there = rows >= 0
            values = np.zeros(len(rows), dtype=self.values.dtype)
            values[there] = self.values[rows[there]]
            valid = there.copy()
            if self.valid is not None:
                valid[there] = self.valid[rows[there]]
            return TypedColumn(values, valid)
        return TypedColumn(self.values[rows], None if self.valid is None else self.valid[rows])

    def nbytes(self) -> int:
        return int(self.values.nbytes) + (0 if self.valid is None else int(self.valid.nbytes))


@dataclass(frozen=True, slots=True)
class ObjectColumn:
    values: list[Any]

    def __len__(self) -> int:
        return len(self.values)

    def to_list(self) -> list[Any]:
        return self.values

    def take(self, rows: IntArray) -> ObjectColumn:
        values = self.values
        return ObjectColumn([values[i] if i >= 0 else None for i in rows.tolist()])

    def nbytes(self) -> int:
        # A list slot and a small object each: exact sizes would cost more than they tell;
        # operators that keep rows (sort, aggregate, collect) account for long strings and lists.
        return 56 * len(self.values)


@dataclass(frozen=True, slots=True)
class Batch:
    """`length` rows; every column has that length. A batch may have no columns at all."""

    length: int
    columns: Mapping[str, Column]

    def take(self, rows: IntArray) -> Batch:
        return Batch(len(rows), {name: c.take(rows) for name, c in self.columns.items()})

    def with_columns(self, added: Mapping[str, Column]) -> Batch:
        return Batch(self.length, {**self.columns, **added})

    def select(self, names: tuple[str, ...]) -> Batch:
        return Batch(self.length, {name: self.columns[name] for name in names})

    def nbytes(self) -> int:
        return sum(column.nbytes() for column in self.columns.values())


SINGLE_ROW = Batch(1, {})
