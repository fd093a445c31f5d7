"""The order of rows by columns, as openCypher's orderability has it; stable.

Numbers, booleans and ids without objects among them are sorted by NumPy, many rows in parts that
executor.partitioning cuts. Other values are sorted by their sort keys in runs, which are then
merged. Either way the guard is asked in between.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import BoolArray, Column, IdColumn, IntArray, TypedColumn
from cypherd.executor.context import Guard
from cypherd.executor.partitioning import ordered_rows
from cypherd.values.ordering import sort_key, sort_rows

_RUN = 1 << 15


def sorted_rows(columns: Sequence[Column], ascending: Sequence[bool], guard: Guard) -> IntArray:
    """Row numbers in order of the first column, then the second, and so on."""
    if all(isinstance(column, TypedColumn | IdColumn) for column in columns):
        return _lexsorted(columns, ascending, guard)
    if len(columns[0]) <= _RUN:
        return sort_rows([column.to_list() for column in columns], list(ascending))
    return _merged(columns, ascending, guard)


def _lexsorted(columns: Sequence[Column], ascending: Sequence[bool], guard: Guard) -> IntArray:
    keys: list[Any] = []
    for column, up in zip(reversed(columns), reversed(ascending), strict=True):
        guard.check()
        keys.extend(_numeric_keys(column, up))
    return ordered_rows(keys, guard)


def _numeric_keys(column: Column, ascending: bool) -> list[Any]:
    """Arrays to sort by, the least important first: the value, then NaN after numbers, then
    null after all. Turned round where descending."""
    if isinstance(column, IdColumn):
        values: NDArray[Any] = column.ids
        null: BoolArray | None = column.ids < 0
    else:
        assert isinstance(column, TypedColumn)
        values = column.values
        null = None if column.valid is None else ~column.valid
    keys: list[Any] = []
    if values.dtype == np.float64:
        nan = np.isnan(values)
        if nan.any():
            values = np.where(nan, 0.0, values)
            keys.append(nan if ascending else ~nan)
        values = values if ascending else -values
    elif not ascending:
        values = ~values
    if null is not None:
        # What stands under a null is arbitrary and must not order the nulls among themselves.
        values = np.where(null, values.dtype.type(0), values)
        keys = [np.where(null, False, key) for key in keys]
        keys.append(null if ascending else ~null)
    return [values, *keys]


class _Descending:
    """A sort key turned round."""

    __slots__ = ("key",)

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: _Descending) -> bool:
        return bool(other.key < self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def _merged(columns: Sequence[Column], ascending: Sequence[bool], guard: Guard) -> IntArray:
    lists = [column.to_list() for column in columns]
    length = len(columns[0])
    keys: list[Any] = []
    runs: list[list[int]] = []
    for start in range(0, length, _RUN):
        guard.check()
        end = min(start + _RUN, length)
        keys.extend(zip(*_run_keys(lists, ascending, start, end), strict=True))
        runs.append(sorted(range(start, end), key=keys.__getitem__))
    order: IntArray = np.empty(length, dtype=np.int64)
    for position, row in enumerate(heapq.merge(*runs, key=keys.__getitem__)):
        order[position] = row
        if position % 4096 == 0:
            guard.check()
    return order


def _run_keys(
    lists: Sequence[list[Any]], ascending: Sequence[bool], start: int, end: int
) -> list[list[Any]]:
    found: list[list[Any]] = []
    for values, up in zip(lists, ascending, strict=True):
        keys: list[Any] = [sort_key(value) for value in values[start:end]]
        found.append(keys if up else [_Descending(key) for key in keys])
    return found
