"""ORDER BY: NumPy's way and the merged runs against a plain sort by sort keys."""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import Column, ObjectColumn, TypedColumn
from cypherd.executor import sorting
from cypherd.executor.columns_of import column_of
from cypherd.executor.context import Unguarded
from cypherd.executor.sorting import sorted_rows
from cypherd.values.ordering import sort_key

_INTEGERS = [0, 1, -1, 2**63 - 1, -(2**63), 5, 5, 5]
_FLOATS = [0.5, -0.0, 0.0, float("nan"), float("inf"), float("-inf"), 2.5, 0.5]
_MIXED = ["b", "a", None, 1, 1.5, True, [1], {"a": 1}]


def _expected(columns: list[list[Any]], ascending: list[bool]) -> list[int]:
    def compare(left: int, right: int) -> int:
        for values, up in zip(columns, ascending, strict=True):
            a, b = sort_key(values[left]), sort_key(values[right])
            if a != b:
                return -1 if (a < b) == up else 1
        return left - right

    return sorted(range(len(columns[0])), key=functools.cmp_to_key(compare))


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("values", [_INTEGERS, _FLOATS, _MIXED, [True, False, True]])
def test_one_column(values: list[Any], ascending: bool) -> None:
    order = sorted_rows([column_of(values)], [ascending], Unguarded())
    assert order.tolist() == _expected([values], [ascending])


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_two_columns(first: bool, second: bool) -> None:
    columns: list[list[Any]] = [[1, 2, 1, 2, 1, 2, 1, 2], _FLOATS]
    order = sorted_rows([column_of(c) for c in columns], [first, second], Unguarded())
    assert order.tolist() == _expected(columns, [first, second])


@pytest.mark.parametrize("ascending", [True, False])
def test_nulls_in_a_typed_column_are_equal_whatever_stands_under_them(ascending: bool) -> None:
    valid = np.array([False, True, False, True])
    first: Column = TypedColumn(np.array([9, 5, 1, 7], dtype=np.int64), valid)
    second: Column = TypedColumn(np.array([1, 2, 3, 4], dtype=np.int64))
    order = sorted_rows([first, second], [ascending, True], Unguarded())
    assert order.tolist() == ([1, 3, 0, 2] if ascending else [0, 2, 3, 1])


@pytest.mark.parametrize("ascending", [[True, True], [False, True], [False, False]])
def test_merged_runs(monkeypatch: pytest.MonkeyPatch, ascending: list[bool]) -> None:
    monkeypatch.setattr(sorting, "_RUN", 7)
    chance = random.Random(1)
    columns: list[list[Any]] = [
        [chance.choice(["a", "b", None, 1]) for _ in range(100)],
        [chance.randrange(5) for _ in range(100)],
    ]
    order = sorted_rows([ObjectColumn(c) for c in columns], ascending, Unguarded())
    assert order.tolist() == _expected(columns, ascending)
