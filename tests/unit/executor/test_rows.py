"""Batches cut, joined and numbered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import Batch, Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.errors import CypherTypeError
from cypherd.executor.columns_of import column_of
from cypherd.executor.rows import (
    entity_ids,
    join_batches,
    join_columns,
    pieces,
    regrouped,
    single_rows,
    taken,
)
from cypherd.values.graph import NodeRef, RelationshipRef


def _ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def _batch(*values: int) -> Batch:
    return Batch(len(values), {"x": TypedColumn(_ints(*values))})


def test_pieces_are_bounded_and_in_order() -> None:
    parts = [batch.columns["x"].to_list() for batch in pieces(_batch(1, 2, 3, 4, 5), 2)]
    assert parts == [[1, 2], [3, 4], [5]]


def test_an_empty_batch_has_no_pieces() -> None:
    assert list(pieces(_batch(), 2)) == []


def test_taken_repeats_rows_with_new_columns() -> None:
    added = {"y": ObjectColumn(["a", "b", "c"])}
    parts = list(taken(_batch(7, 8), _ints(0, 1, 1), added, 2))
    assert [part.columns["x"].to_list() for part in parts] == [[7, 8], [8]]
    assert [part.columns["y"].to_list() for part in parts] == [["a", "b"], ["c"]]


def test_single_rows_of_a_batch_without_columns() -> None:
    assert [row.length for row in single_rows(Batch(3, {}))] == [1, 1, 1]


@pytest.mark.parametrize(
    ("parts", "kind", "values"),
    [
        pytest.param(
            [TypedColumn(_ints(1)), TypedColumn(_ints(2))], TypedColumn, [1, 2], id="typed"
        ),
        pytest.param(
            [TypedColumn(_ints(1, 0), np.array([True, False])), TypedColumn(_ints(2))],
            TypedColumn,
            [1, None, 2],
            id="typed with nulls",
        ),
        pytest.param(
            [TypedColumn(_ints(1)), TypedColumn(np.array([1.5]))],
            ObjectColumn,
            [1, 1.5],
            id="integers and floats stay what they are",
        ),
        pytest.param(
            [IdColumn("node", _ints(4)), ObjectColumn([None])],
            IdColumn,
            [NodeRef(4), None],
            id="ids and nulls",
        ),
        pytest.param(
            [IdColumn("node", _ints(4)), IdColumn("relationship", _ints(4))],
            ObjectColumn,
            [NodeRef(4), RelationshipRef(4)],
            id="nodes and relationships",
        ),
    ],
)
def test_join_columns(parts: list[Column], kind: type, values: list[Any]) -> None:
    joined = join_columns(parts)
    assert isinstance(joined, kind)
    assert [(type(v), v) for v in joined.to_list()] == [(type(v), v) for v in values]


def test_join_batches_keeps_the_columns_that_all_have() -> None:
    joined = join_batches([_batch(1), _batch(2).with_columns({"y": ObjectColumn(["a"])})])
    assert joined.length == 2
    assert list(joined.columns) == ["x"]


def test_regrouped_gathers_small_batches() -> None:
    parts = regrouped(iter([_batch(1), _batch(2), _batch(3)]), 2)
    assert [part.columns["x"].to_list() for part in parts] == [[1, 2], [3]]


def test_entity_ids_from_values() -> None:
    assert entity_ids(ObjectColumn([NodeRef(3), None]), "node").tolist() == [3, -1]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(ObjectColumn([1]), id="a number"),
        pytest.param(ObjectColumn([RelationshipRef(1)]), id="a relationship"),
        pytest.param(IdColumn("relationship", _ints(1)), id="ids of relationships"),
    ],
)
def test_entity_ids_of_something_else(column: Column) -> None:
    with pytest.raises(CypherTypeError):
        entity_ids(column, "node")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], TypedColumn),
        ([1.0], TypedColumn),
        ([1, 1.0], ObjectColumn),
        ([True, 1], ObjectColumn),
        ([NodeRef(1)], IdColumn),
        ([NodeRef(1), None], ObjectColumn),
        ([], ObjectColumn),
    ],
)
def test_column_of(values: list[Any], kind: type) -> None:
    column = column_of(values)
    assert isinstance(column, kind)
    assert column.to_list() == values
