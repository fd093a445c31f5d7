"""Aggregates: many rows in, one value a group out.

    add(group of each row, number of groups so far, argument columns)   once a batch
    results(number of groups) -> a column with a value for every group

Groups are numbered from 0 and grow in number; a group may get no row at all. Nulls are passed
over. Arrays of numbers go through NumPy and give exactly what the loop over values gives.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import (
    BoolArray,
    Column,
    IdColumn,
    IntArray,
    ObjectColumn,
    TypedColumn,
)
from cypherd.batch.keys import column_keys
from cypherd.errors import InternalError
from cypherd.functions.statistics import Deviation, PercentileCont, PercentileDisc
from cypherd.values.arithmetic import checked, is_number
from cypherd.values.description import wrong_type
from cypherd.values.graph import NodeRef, RelationshipRef
from cypherd.values.ordering import sort_key
from cypherd.values.temporal import TemporalValue
from cypherd.values.temporal.duration import Duration, added, divided

_SLOT = 8
_SMALL = 56
_TEMPORAL = 160
_KEY = 150
_FLAT = frozenset({int, float, bool, NodeRef, RelationshipRef})
_SAFE_PARTIAL = 1 << 62


class Aggregator(Protocol):
    """The state of one aggregate over all groups."""

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        """Raises CypherTypeError for values that it cannot take."""

    def results(self, group_count: int) -> Column: ...
    def nbytes(self) -> int:
        """About what the state takes, for the guard's account."""


def make_aggregator(name: str, distinct: bool) -> Aggregator:
    """A fresh state. `name` in lower case; "count(*)" counts rows."""
    aggregator = _make(name)
    return Distinct(aggregator) if distinct else aggregator


def _make(name: str) -> Aggregator:
    match name:
        case "count(*)":
            return CountRows()
        case "count":
            return Count()
        case "sum":
            return Sum()
        case "avg":
            return Average()
        case "min":
            return Extreme(greatest=False)
        case "max":
            return Extreme(greatest=True)
        case "collect":
            return Collect()
        case "stdev":
            return Deviation(population=False)
        case "stdevp":
            return Deviation(population=True)
        case "percentilecont":
            return PercentileCont()
        case "percentiledisc":
            return PercentileDisc()
    raise InternalError(f"there is no aggregate {name}")


def not_null(column: Column) -> BoolArray:
    """True where the column is not null."""
    if isinstance(column, IdColumn):
        return column.ids >= 0
    if isinstance(column, TypedColumn):
        return np.ones(len(column), dtype=np.bool_) if column.valid is None else column.valid
    return np.fromiter((value is not None for value in column.to_list()), np.bool_, len(column))


def grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array with at least `length` places, new ones zero; doubled so that growing is cheap."""
    if len(array) >= length:
        return array
    wider = np.zeros(max(length, 2 * len(array)), dtype=array.dtype)
    wider[: len(array)] = array
    return wider


class CountRows:
    def __init__(self) -> None:
        self.counts: IntArray = np.zeros(1, dtype=np.int64)

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        self.counts = grown(self.counts, group_count)
        if group_count == 1:
            self.counts[0] += len(groups)
        else:
            np.add.at(self.counts, groups, 1)

    def results(self, group_count: int) -> Column:
        return TypedColumn(grown(self.counts, group_count)[:group_count])

    def nbytes(self) -> int:
        return int(self.counts.nbytes)


class Count(CountRows):
    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        super().add(groups[not_null(arguments[0])], group_count, arguments)


class Sum:
    """Integers are summed exactly and checked at the end; floats apart from them, in order.
    Durations have sums of their own: a group holds either numbers or durations."""

    def __init__(self, name: str = "sum()") -> None:
        self.name = name
        self.whole: list[int] = []
        self.floating: NDArray[np.float64] = np.zeros(1, dtype=np.float64)
        self.has_float: BoolArray = np.zeros(1, dtype=np.bool_)
        self.durations: dict[int, Duration] = {}

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        self._grow(group_count)
        column = arguments[0]
        if isinstance(column, TypedColumn) and column.valid is not None:
            groups, column = groups[column.valid], TypedColumn(column.values[column.valid])
        if isinstance(column, TypedColumn) and self._add_array(groups, column.values):
            return
        self._add_values(groups, column.to_list())

    def _grow(self, group_count: int) -> None:
        self.whole.extend([0] * (group_count - len(self.whole)))
        self.floating = grown(self.floating, group_count)
        self.has_float = grown(self.has_float, group_count)

    def _add_array(self, groups: IntArray, values: NDArray[Any]) -> bool:
        """False where the loop must do it: booleans, and integers that may overflow."""
        if values.dtype == np.float64:
            np.add.at(self.floating, groups, values)
            self.has_float[groups] = True
            return True
        if values.dtype != np.int64 or not _safe_to_sum(values):
            return False
        different, places = np.unique(groups, return_inverse=True)
        partial = np.zeros(len(different), dtype=np.int64)
        np.add.at(partial, places, values)
        for group, total in zip(different.tolist(), partial.tolist(), strict=True):
            self.whole[group] += total
        return True

    def _add_values(self, groups: IntArray, values: list[Any]) -> None:
        for group, value in zip(groups.tolist(), values, strict=True):
            if value is None:
                continue
            if not is_number(value):
                self._add_duration(group, value)
            elif isinstance(value, float):
                self.floating[group] += value
                self.has_float[group] = True
            else:
                self.whole[group] += value

    def _add_duration(self, group: int, value: Any) -> None:
        if not isinstance(value, Duration):
            raise wrong_type(self.name, "numbers or durations", value)
        held = self.durations.get(group)
        self.durations[group] = value if held is None else added(held, value)

    def total(self, group: int) -> int | float | Duration:
        """The sum of one group, not yet checked. Raises CypherTypeError where numbers and
        durations are mixed."""
        duration = self.durations.get(group)
        if duration is not None:
            if self.has_float[group] or self.whole[group]:
                raise wrong_type(self.name, "numbers only, or durations only", duration)
            return duration
        if self.has_float[group]:
            return float(self.floating[group]) + self.whole[group]
        return self.whole[group]

    def results(self, group_count: int) -> Column:
        """Raises CypherArithmeticError where integers sum up beyond 64 bits."""
        self._grow(group_count)
        totals = [self.total(group) for group in range(group_count)]
        return ObjectColumn([checked(t) if isinstance(t, int) else t for t in totals])

    def nbytes(self) -> int:
        durations = 4 * _SMALL * len(self.durations)
        arrays = int(self.floating.nbytes + self.has_float.nbytes)
        return (_SLOT + 32) * len(self.whole) + arrays + durations


def _safe_to_sum(values: IntArray) -> bool:
    if not len(values):
        return True
    largest = max(abs(int(values.max())), abs(int(values.min())))
    return largest * len(values) < _SAFE_PARTIAL


class Average:
    """The exact sum of integers (however large), floats or durations, divided once."""

    def __init__(self) -> None:
        self.sum = Sum("avg()")
        self.count = Count()

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        self.sum.add(groups, group_count, arguments)
        self.count.add(groups, group_count, arguments)

    def results(self, group_count: int) -> Column:
        counts = self.count.results(group_count).to_list()
        return ObjectColumn([self._mean(g, count) for g, count in enumerate(counts)])

    def _mean(self, group: int, count: int) -> float | Duration | None:
        if not count:
            return None
        total = self.sum.total(group)
        return divided(total, count) if isinstance(total, Duration) else total / count

    def nbytes(self) -> int:
        return self.sum.nbytes() + self.count.nbytes()


class Extreme:
    """min() and max() by orderability, over values of any types; of equal ones the first."""

    def __init__(self, greatest: bool) -> None:
        self.greatest = greatest
        self.values: list[Any] = []
        self.keys: list[Any] = []

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        missing = group_count - len(self.values)
        self.values.extend([None] * missing)
        self.keys.extend([None] * missing)
        column = arguments[0]
        groups, candidates = self._candidates(groups, column)
        for group, value in zip(groups.tolist(), candidates, strict=True):
            if value is None:
                continue
            key = sort_key(value)
            best = self.keys[group]
            if best is None or (key > best if self.greatest else key < best):
                self.keys[group], self.values[group] = key, value

    def _candidates(self, groups: IntArray, column: Column) -> tuple[IntArray, list[Any]]:
        """The values that may be the extreme ones of their groups: of an array, one a group."""
        if not isinstance(column, TypedColumn) or not len(column):
            return groups, column.to_list()
        values = column.values
        if column.valid is not None:
            groups, values = groups[column.valid], values[column.valid]
        if not len(groups) or (values.dtype == np.float64 and bool(np.isnan(values).any())):
            return groups, values.tolist()
        different, first, places = np.unique(groups, return_index=True, return_inverse=True)
        best = values[first]
        (np.maximum if self.greatest else np.minimum).at(best, places, values)
        if values.dtype == np.float64 and not best.all():
            # 0.0 and -0.0 are equal, so the first of them is it.
            zeros = np.flatnonzero(values == 0.0)
            met, firsts = np.unique(places[zeros], return_index=True)
            best[met] = np.where(best[met] == 0.0, values[zeros[firsts]], best[met])
        return different, best.tolist()

    def results(self, group_count: int) -> Column:
        return ObjectColumn(self.values + [None] * (group_count - len(self.values)))

    def nbytes(self) -> int:
        return 3 * (_SLOT + _SMALL) * len(self.values)


class Collect:
    def __init__(self) -> None:
        self.lists: list[list[Any]] = []
        self.held = 0

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        missing = group_count - len(self.lists)
        self.lists.extend([] for _ in range(missing))
        self.held += missing * 2 * _SMALL
        for group, value in zip(groups.tolist(), arguments[0].to_list(), strict=True):
            if value is not None:
                self.lists[group].append(value)
                self.held += _value_bytes(value)

    def results(self, group_count: int) -> Column:
        return ObjectColumn(self.lists + [[] for _ in range(group_count - len(self.lists))])

    def nbytes(self) -> int:
        return self.held


def _value_bytes(value: Any) -> int:
    if type(value) in _FLAT:
        return _SLOT + _SMALL
    if isinstance(value, str):
        return _SMALL + len(value)
    if isinstance(value, list | tuple):
        return _SMALL + sum(_SLOT + _value_bytes(item) for item in value)
    if isinstance(value, dict):
        return _SMALL + sum(2 * _SMALL + _value_bytes(item) for item in value.values())
    return _SLOT + (_TEMPORAL if isinstance(value, TemporalValue) else _SMALL)


class Distinct:
    """Lets another aggregate see each value of a group once, by equivalence."""

    def __init__(self, inner: Aggregator) -> None:
        self.inner = inner
        # (group, key); of group 0, often the only one, the keys alone: none of them is a tuple
        # that begins with a number.
        self.seen: set[Hashable] = set()
        self.held = 0

    def add(self, groups: IntArray, group_count: int, arguments: Sequence[Column]) -> None:
        keys = column_keys(arguments[0])
        marks: list[Any] = keys
        if group_count > 1:
            pairs = zip(groups.tolist(), keys, strict=True)
            marks = [(group, key) if group and key is not None else key for group, key in pairs]
        seen = self.seen
        fresh: list[int] = []
        for row, mark in enumerate(marks):
            if mark is not None and mark not in seen:
                seen.add(mark)
                fresh.append(row)
        self.held += _KEY * len(fresh) + sum(_value_bytes(keys[row]) for row in fresh)
        kept = np.array(fresh, dtype=np.int64)
        self.inner.add(groups[kept], group_count, [column.take(kept) for column in arguments])

    def results(self, group_count: int) -> Column:
        return self.inner.results(group_count)

    def nbytes(self) -> int:
        return self.held + self.inner.nbytes()
