"""The values of an index seek for a batch of rows, asked for in one question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IntArray
from cypherd.executor.rows import NO_IDS, zeros
from cypherd.storage.protocols import IndexDescriptor, ReadTransaction
from cypherd.values.equality import equivalence_key
from cypherd.values.lists import is_list


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
    found = transaction.index_seek(index, values)
    if len(values) == 1:
        row = rows[0]
        return np.full(len(found.id), row, dtype=np.int64) if row else zeros(
            len(found.id)
        ), found.id
    return np.array(rows, dtype=np.int64)[found.row], found.id


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
