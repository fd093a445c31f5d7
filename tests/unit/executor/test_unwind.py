"""Lists into rows, in pieces."""

from __future__ import annotations

from typing import Any

import pytest

from cypherd.batch.columns import ObjectColumn, TypedColumn
from cypherd.executor.operators.unwind import unwound


def _rows(lists: list[Any], size: int) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    for rows, column in unwound(lists, size):
        assert 0 < len(rows) <= size
        found.extend(zip(rows.tolist(), column.to_list(), strict=True))
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_sizes_agree(size: int) -> None:
    lists = [[1, 2, 3], None, "one", [], range(4, 9), [["x"], None]]
    expected = [(0, 1), (0, 2), (0, 3), (2, "one"), *((4, i) for i in range(4, 9))]
    assert _rows(lists, size) == [*expected, (5, ["x"]), (5, None)]


def test_a_huge_range_comes_in_pieces() -> None:
    pieces = unwound([range(-5, 2**63 - 1)], 1000)
    rows, column = next(pieces)
    assert rows.tolist() == [0] * 1000
    assert isinstance(column, TypedColumn)
    assert column.values[0] == -5
    assert next(pieces)[1].to_list()[0] == 995


def test_a_range_to_the_greatest_integer() -> None:
    greatest = 2**63 - 1
    assert _rows([range(greatest - 2, greatest + 1)], 3)[-1] == (0, greatest)


def test_mixed_kinds_are_objects() -> None:
    [(_, column)] = unwound([[1, 1.0]], 10)
    assert isinstance(column, ObjectColumn)
