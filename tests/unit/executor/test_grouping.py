"""Groups for DISTINCT and aggregation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import IdColumn, ObjectColumn, TypedColumn
from cypherd.executor.columns_of import column_of
from cypherd.executor.grouping import Groups
from cypherd.values.graph import NodeRef


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        pytest.param([3, 1, 3, 2, 1], [0, 1, 0, 2, 1], id="integers"),
        pytest.param([True, 1, "a", 1.0, True], [0, 1, 2, 1, 0], id="true is not 1, 1.0 is"),
        pytest.param([float("nan"), None, float("nan"), None], [0, 1, 0, 1], id="NaN and null"),
        pytest.param([[1], [1.0], [2], [None], [None]], [0, 0, 1, 2, 2], id="lists"),
        pytest.param([{"a": 1}, {"a": 1}, {}], [0, 0, 1], id="maps"),
        pytest.param([NodeRef(1), NodeRef(2), NodeRef(1)], [0, 1, 0], id="nodes"),
        pytest.param([True, False, True], [0, 1, 0], id="booleans"),
    ],
)
def test_one_column(values: list[Any], groups: list[int]) -> None:
    for column in (column_of(values), ObjectColumn(values)):
        numbers, fresh = Groups().number([column])
        assert numbers.tolist() == groups
        assert fresh.tolist() == [groups.index(group) for group in range(max(groups) + 1)]


def test_kinds_of_columns_agree_across_batches() -> None:
    groups = Groups()
    groups.number([TypedColumn(np.array([7, 8], dtype=np.int64))])
    numbers, fresh = groups.number([ObjectColumn([8, 7.0, None])])
    assert numbers.tolist() == [1, 0, 2]
    assert fresh.tolist() == [2]


def test_nodes_agree_across_batches() -> None:
    groups = Groups()
    groups.number([IdColumn("node", np.array([5, -1], dtype=np.int64))])
    numbers, _ = groups.number([ObjectColumn([None, NodeRef(5), NodeRef(6)])])
    assert numbers.tolist() == [1, 0, 2]


def test_two_columns() -> None:
    groups = Groups()
    columns = [column_of([1, 1, 2, 1]), column_of(["a", "b", "a", "a"])]
    numbers, fresh = groups.number(columns)
    assert numbers.tolist() == [0, 1, 2, 0]
    assert fresh.tolist() == [0, 1, 2]
    assert groups.nbytes > 0
