"""Rows of batches: cut into pieces, put together, numbered, and read as entity ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cypherd.batch.columns import (
    Batch,
    Column,
    EntityKind,
    IdColumn,
    IntArray,
    ObjectColumn,
    TypedColumn,
)
from cypherd.errors import CypherTypeError
from cypherd.executor.operator import HIDDEN
from cypherd.values.graph import NodeRef, RelationshipRef

NO_IDS: IntArray = np.empty(0, dtype=np.int64)


def zeros(length: int) -> IntArray:
    return np.zeros(length, dtype=np.int64)


def pieces(batch: Batch, size: int) -> Iterator[Batch]:
    """The batch in pieces of at most `size` rows."""
    if batch.length <= size:
        if batch.length:
            yield batch
        return
    for start in range(0, batch.length, size):
        yield batch.take(np.arange(start, min(start + size, batch.length), dtype=np.int64))


def taken(batch: Batch, rows: IntArray, added: Mapping[str, Column], size: int) -> Iterator[Batch]:
    """`batch.take(rows)` with the `added` columns (as long as `rows`), at most `size` a piece."""
    if len(rows) <= size:
        if len(rows):
            yield batch.take(rows).with_columns(added)
        return
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        window = np.arange(start, start + len(part), dtype=np.int64)
        columns = {name: column.take(window) for name, column in added.items()}
        yield batch.take(part).with_columns(columns)


def single_rows(batch: Batch) -> Iterator[Batch]:
    """Every row as a batch of its own."""
    if batch.length == 1:
        yield batch
        return
    for row in range(batch.length):
        yield batch.take(np.array([row], dtype=np.int64))


def has_nulls(ids: IntArray) -> bool:
    # NumPy's reductions cost microseconds, which a point read of one row would pay.
    return bool(ids[0] < 0) if len(ids) == 1 else bool((ids < 0).any())


def null_column(length: int) -> ObjectColumn:
    return ObjectColumn([None] * length)


def hidden_columns(batch: Batch) -> dict[str, Column]:
    return {name: c for name, c in batch.columns.items() if name.startswith(HIDDEN)}


def entity_ids(column: Column, kind: EntityKind) -> IntArray:
    """The ids in a column of nodes or relationships, -1 where null.

    Raises CypherTypeError (InvalidArgumentType) for any other value.
    """
    if isinstance(column, IdColumn):
        if column.kind != kind and bool((column.ids >= 0).any()):
            raise CypherTypeError(
                f"Expected a {kind}, but got a {column.kind}", detail="InvalidArgumentType"
            )
        return column.ids
    wanted = NodeRef if kind == "node" else RelationshipRef
    ids = []
    for value in column.to_list():
        if value is None:
            ids.append(-1)
        elif isinstance(value, wanted):
            ids.append(value.id)
        else:
            raise CypherTypeError(
                f"Expected a {kind}, but got {type(value).__name__}", detail="InvalidArgumentType"
            )
    return np.array(ids, dtype=np.int64)


def join_columns(parts: Sequence[Column]) -> Column:
    """One column after the other. Kinds that differ become objects, except that nulls join
    any kind of ids."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, TypedColumn) and all(
        isinstance(part, TypedColumn) and part.values.dtype == first.values.dtype for part in parts
    ):
        return _join_typed([part for part in parts if isinstance(part, TypedColumn)])
    kinds = {part.kind for part in parts if isinstance(part, IdColumn)}
    if len(kinds) == 1 and all(isinstance(p, IdColumn) or _all_null(p) for p in parts):
        arrays = [
            p.ids if isinstance(p, IdColumn) else np.full(len(p), -1, dtype=np.int64) for p in parts
        ]
        return IdColumn(kinds.pop(), np.concatenate(arrays))
    values = []
    for part in parts:
        values.extend(part.to_list())
    return ObjectColumn(values)


def _all_null(column: Column) -> bool:
    return isinstance(column, ObjectColumn) and all(value is None for value in column.values)


def _join_typed(parts: Sequence[TypedColumn]) -> TypedColumn:
    values = np.concatenate([part.values for part in parts])
    if all(part.valid is None for part in parts):
        return TypedColumn(values)
    masks = [
        np.ones(len(part), dtype=np.bool_) if part.valid is None else part.valid for part in parts
    ]
    return TypedColumn(values, np.concatenate(masks))


def join_batches(parts: Sequence[Batch]) -> Batch:
    """One batch of all rows; the columns are those that every part has."""
    if len(parts) == 1:
        return parts[0]
    names = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
    columns = {name: join_columns([part.columns[name] for part in parts]) for name in names}
    return Batch(sum(part.length for part in parts), columns)


def regrouped(parts: Iterator[Batch], size: int) -> Iterator[Batch]:
    """The same rows in batches of about `size`, for sources that give very small ones."""
    waiting: list[Batch] = []
    length = 0
    for part in parts:
        waiting.append(part)
        length += part.length
        if length >= size:
            yield from pieces(join_batches(waiting), size)
            waiting, length = [], 0
    if waiting:
        yield from pieces(join_batches(waiting), size)
