"""Rows numbered by the group they belong to: for DISTINCT and for aggregation.

Two rows are of one group when all their values are equivalent (null with null, NaN with NaN,
1 with 1.0). Groups are numbered from 0 in the order of their first rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray, TypedColumn
from cypherd.executor.memory import value_bytes
from cypherd.values.equality import equivalence_keys

_ENTRY = 120


class Groups:
    """The groups met so far; `nbytes` is about what they take."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, columns: Sequence[Column]) -> tuple[IntArray, IntArray]:
        """(group of each row, the rows that began a new group)."""
        if len(columns) == 1:
            coded = _coded(columns[0])
            if coded is not None:
                return self._by_code(*coded)
            return self._by_key(_keys(columns[0]))
        return self._by_key(list(zip(*map(_keys, columns), strict=True)))

    def _by_key(self, keys: Sequence[Any]) -> tuple[IntArray, IntArray]:
        numbers = self.numbers
        groups: list[Any] = list(map(numbers.get, keys))
        fresh: list[int] = []
        if None in groups:
            for row, group in enumerate(groups):
                if group is None:
                    groups[row] = self._of_new(keys[row], row, fresh)
        return np.array(groups, dtype=np.int64), np.array(fresh, dtype=np.int64)

    def _of_new(self, key: Any, row: int, fresh: list[int]) -> int:
        """The group of a key that was not there before this batch."""
        group = self.numbers.get(key)
        if group is None:
            group = self.numbers[key] = len(self.numbers)
            fresh.append(row)
            self.nbytes += _ENTRY + value_bytes(key)
        return group

    def _by_code(
        self, different: list[Any], first: IntArray, codes: IntArray
    ) -> tuple[IntArray, IntArray]:
        """As `_by_key`, for values of which the different ones are known already."""
        order = np.argsort(first)
        groups, fresh = self._by_key(equivalence_keys([different[i] for i in order.tolist()]))
        of_code = np.empty(len(order), dtype=np.int64)
        of_code[order] = groups
        return of_code[codes], first[order][fresh]


def _coded(column: Column) -> tuple[list[Any], IntArray, IntArray] | None:
    """(different values, the first row of each, each row's place among them); None for columns
    that no sort can tell this of."""
    if isinstance(column, IdColumn):
        ids, first, codes = np.unique(column.ids, return_index=True, return_inverse=True)
        return IdColumn(column.kind, ids).to_list(), first, codes
    if isinstance(column, TypedColumn) and column.valid is None and column.values.dtype != float:
        values, first, codes = np.unique(column.values, return_index=True, return_inverse=True)
        return values.tolist(), first, codes
    return None


def _keys(column: Column) -> list[Any]:
    coded = _coded(column)
    if coded is None:
        return equivalence_keys(column.to_list())
    keys = equivalence_keys(coded[0])
    return [keys[code] for code in coded[2].tolist()]
