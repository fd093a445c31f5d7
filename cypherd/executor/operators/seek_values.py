"""The values of an index seek for a batch of rows, asked for in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IntArray
from cypherd.executor.rows import NO_IDS, zeros
from cypherd.storage.protocols import IndexDescriptor, ReadTransaction, SeekRows
from cypherd.values.equality import equivalence_key
from cypherd.values.lists import is_list

_HASHED = frozenset({str, int, float, bool})


def seek(
    transaction: ReadTransaction,
    index: IndexDescriptor,
    columns: Sequence[Column],
    many: bool,
) -> tuple[IntArray, IntArray]:
    """(row, entity id) for every row's values, in order of rows; a null asks for nothing.
    With `many` the one column holds lists, each different element of which is sought."""
    rows, values = _listed(columns[0]) if many else _tuples(columns)
    if not values:
        return NO_IDS, NO_IDS
    if len(values) > 1:
        once = _different(values)
        if len(once) < len(values):
            return _spread(transaction.index_seek(index, list(once.values())), once, rows, values)
    found = transaction.index_seek(index, values)
    if len(values) == 1:
        row = rows[0]
        return np.full(len(found.id), row, dtype=np.int64) if row else zeros(
            len(found.id)
        ), found.id
    return np.array(rows, dtype=np.int64)[found.row], found.id


def _key(values: tuple[Any, ...]) -> Any:
    """The same for values that are alike and of one type; 1 and true are not."""
    return tuple(
        (kind, value if kind in _HASHED else repr(value))
        for kind, value in ((type(value), value) for value in values)
    )


def _different(values: Sequence[tuple[Any, ...]]) -> dict[Any, tuple[Any, ...]]:
    return {_key(value): value for value in values}


def _spread(
    found: SeekRows,
    once: dict[Any, tuple[Any, ...]],
    rows: Sequence[int],
    values: Sequence[tuple[Any, ...]],
) -> tuple[IntArray, IntArray]:
    """What was found for each different value, for the rows that have it."""
    number = {key: place for place, key in enumerate(once)}
    begins = np.searchsorted(found.row, np.arange(len(once) + 1)).tolist()
    spread_rows: list[IntArray] = []
    spread_ids: list[IntArray] = []
    for row, value in zip(rows, values, strict=True):
        place = number[_key(value)]
        ids = found.id[begins[place] : begins[place + 1]]
        spread_ids.append(ids)
        spread_rows.append(np.full(len(ids), row, dtype=np.int64))
    return np.concatenate(spread_rows), np.concatenate(spread_ids)


def _tuples(columns: Sequence[Column]) -> tuple[list[int], list[tuple[Any, ...]]]:
    if len(columns) == 1:
        values = columns[0].to_list()
        rows = [row for row, value in enumerate(values) if value is not None]
        return rows, [(values[row],) for row in rows]
    tuples = list(zip(*(column.to_list() for column in columns), strict=True))
    rows = [row for row, values in enumerate(tuples) if None not in values]
    return rows, [tuples[row] for row in rows]


def _listed(column: Column) -> tuple[list[int], list[tuple[Any, ...]]]:
    rows: list[int] = []
    values: list[tuple[Any, ...]] = []
    for row, value in enumerate(column.to_list()):
        if value is None:
            continue
        items = value if is_list(value) else [value]
        different = {equivalence_key(item): item for item in items if item is not None}
        rows.extend([row] * len(different))
        values.extend((item,) for item in different.values())
    return rows, values
