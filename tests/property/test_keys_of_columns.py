"""Keys of columns, typed or not, say exactly what the equivalence of single values says."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cypherd.batch.columns import Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.batch.keys import column_keys
from cypherd.executor.columns_of import column_of
from cypherd.executor.grouping import Groups
from cypherd.functions.aggregates import make_aggregator
from cypherd.values.equality import equivalence_key
from cypherd.values.graph import NodeRef, RelationshipRef

BIG = 2**53
WHOLE = st.one_of(
    st.integers(-2, 2), st.sampled_from([BIG, BIG + 1, BIG - 1, 2**63 - 1, -(2**63), 10**30])
)
FLOATS = st.sampled_from(
    [0.0, -0.0, 1.0, 2.0, -1.5, float("nan"), float("inf"), float(BIG), float(2**63)]
)
NODES = st.integers(0, 3).map(NodeRef)
RELATIONSHIPS = st.integers(0, 3).map(RelationshipRef)
TEXTS = st.sampled_from(["", "a", "1", "true", "NaN"])
ATOMS = st.one_of(st.none(), st.booleans(), WHOLE, FLOATS, TEXTS, NODES, RELATIONSHIPS)
MIXED = st.one_of(ATOMS, st.lists(ATOMS, max_size=2), st.dictionaries(TEXTS, ATOMS, max_size=2))


def _typed(values: list[Any], kind: type) -> Column:
    """An array of `kind` with nulls, as kernels give it; what stands under a null is arbitrary."""
    valid = np.array([value is not None for value in values], dtype=np.bool_)
    filled = [values.index(value) % 2 if value is None else value for value in values]
    return TypedColumn(np.array(filled, dtype=kind), valid)


def _ids(values: list[Any]) -> Column:
    kind = "node" if any(isinstance(value, NodeRef) for value in values) else "relationship"
    ids = [-1 if value is None else value.id for value in values]
    return IdColumn(kind, np.array(ids, dtype=np.int64))  # type: ignore[arg-type]


def _some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, max_size=8)


WORD = st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2)
COLUMNS = st.one_of(
    _some(MIXED).map(ObjectColumn),
    _some(MIXED.filter(lambda v: not isinstance(v, int) or abs(v) < 2**63)).map(column_of),
    _some(st.none() | WORD).map(lambda v: _typed(v, np.int64)),
    _some(st.none() | FLOATS).map(lambda v: _typed(v, np.float64)),
    _some(st.none() | st.booleans()).map(lambda v: _typed(v, np.bool_)),
    _some(st.none() | NODES).map(_ids),
    _some(st.none() | RELATIONSHIPS).map(_ids),
)


@given(COLUMNS)
def test_keys_are_the_keys_of_the_values(column: Column) -> None:
    assert column_keys(column) == [equivalence_key(value) for value in column.to_list()]


@given(st.lists(COLUMNS, min_size=1, max_size=4))
def test_groups_over_columns_of_any_kinds(columns: list[Column]) -> None:
    groups = Groups()
    numbers: list[int] = []
    for column in columns:
        found, _ = groups.number([column])
        numbers.extend(found.tolist())
    reference: dict[Any, int] = {}
    for number, value in zip(numbers, _values(columns), strict=True):
        assert reference.setdefault(equivalence_key(value), len(reference)) == number
    assert len(groups) == len(reference)


@given(st.lists(COLUMNS, min_size=1, max_size=4), st.integers(1, 3), st.randoms())
def test_count_distinct_by_group(columns: list[Column], group_count: int, random: Any) -> None:
    aggregator = make_aggregator("count", True)
    expected: list[set[Any]] = [set() for _ in range(group_count)]
    for column in columns:
        groups = [random.randrange(group_count) for _ in range(len(column))]
        aggregator.add(np.array(groups, dtype=np.int64), group_count, [column])
        for group, value in zip(groups, column.to_list(), strict=True):
            expected[group] |= set() if value is None else {equivalence_key(value)}
    assert aggregator.results(group_count).to_list() == [len(values) for values in expected]


def _values(columns: list[Column]) -> list[Any]:
    return [value for column in columns for value in column.to_list()]
