"""The two orders of Cypher: comparability (`<`, ternary) and orderability (ORDER BY, total).

Orderability, ascending (openCypher CIP2016-06-14): map, node, relationship, list, path, point,
datetime, localdatetime, date, time, localtime, duration, string, boolean, number, NaN, null.
Temporal values are comparable within their kind, durations are not: how long a month is depends.
Nor are points: which of two is less?
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.values.graph import Node, NodeRef, Path, PathRef, Relationship, RelationshipRef
from cypherd.values.lists import ListValue, is_list
from cypherd.values.points import Point
from cypherd.values.temporal import Duration, TemporalValue

IntArray = NDArray[np.int64]

UNORDERED = 2
"""What `compare` gives where NaN takes part: neither less nor equal nor greater, not null."""

(
    _MAP,
    _NODE,
    _RELATIONSHIP,
    _LIST,
    _PATH,
    _POINT,
    _TEMPORAL,
    _OTHER,
    _STRING,
    _BOOLEAN,
    _NUMBER,
    _NAN,
    _NULL,
) = range(13)
_FIRST_TEMPORAL = 100
"""Kinds of temporal values in comparisons: this plus their rank."""


def compare(left: Any, right: Any) -> int | None:
    """-1, 0 or 1; UNORDERED with NaN; None (null) where the values are not comparable."""
    kind = _comparable_kind(left)
    if kind is None or kind != _comparable_kind(right):
        return None
    if kind == _LIST:
        return _compare_lists(left, right)
    if kind >= _FIRST_TEMPORAL:
        left, right = left.order_key(), right.order_key()
    if left < right:
        return -1
    if left > right:
        return 1
    return 0 if left == right else UNORDERED


def less(left: Any, right: Any) -> bool | None:
    order = compare(left, right)
    return None if order is None else order == -1


def less_equal(left: Any, right: Any) -> bool | None:
    order = compare(left, right)
    return None if order is None else order in (-1, 0)


def greater(left: Any, right: Any) -> bool | None:
    order = compare(left, right)
    return None if order is None else order == 1


def greater_equal(left: Any, right: Any) -> bool | None:
    order = compare(left, right)
    return None if order is None else order in (0, 1)


def sort_key(value: Any) -> tuple[Any, ...]:
    """A key in whose order values stand ascending; exact across integers and floats."""
    if value is None:
        return (_NULL,)
    if isinstance(value, bool):
        return (_BOOLEAN, value)
    if isinstance(value, int | float):
        return (_NUMBER, value) if value == value else (_NAN,)
    if isinstance(value, str):
        return (_STRING, value)
    if is_list(value):
        return (_LIST, tuple(map(sort_key, value)))
    if isinstance(value, dict):
        return _map_key(value)
    if isinstance(value, TemporalValue):
        return (_TEMPORAL, value.rank, *value.order_key())
    if isinstance(value, Point):
        return (_POINT, *value.order_key())
    return _graph_key(value)


def sort_rows(columns: Sequence[list[Any] | NDArray[Any]], ascending: Sequence[bool]) -> IntArray:
    """Row numbers in the order of ORDER BY `columns`, the first one weighing most; stable.

    A column is a list of Cypher values, or an array of int64, float64 or bool without nulls.
    """
    if not columns:
        return np.empty(0, dtype=np.int64)
    rows = np.arange(len(columns[0]), dtype=np.int64)
    # Sorting by the last column first, each time stably, orders by all of them.
    for column, upward in reversed(list(zip(columns, ascending, strict=True))):
        array = column if isinstance(column, np.ndarray) else _as_array(column)
        rows = _by_array(rows, array, upward) if array is not None else _by_keys(
            rows, column, upward
        )  # fmt: skip
    return rows


def _comparable_kind(value: Any) -> int | None:
    if isinstance(value, bool):
        return _BOOLEAN
    if isinstance(value, int | float):
        return _NUMBER
    if isinstance(value, str):
        return _STRING
    if isinstance(value, TemporalValue) and not isinstance(value, Duration):
        return _FIRST_TEMPORAL + value.rank
    return _LIST if is_list(value) else None


def _compare_lists(left: ListValue, right: ListValue) -> int | None:
    for a, b in zip(left, right, strict=False):
        order = compare(a, b)
        if order != 0:
            return order
    return (len(left) > len(right)) - (len(left) < len(right))


def _map_key(value: dict[str, Any]) -> tuple[Any, ...]:
    names = sorted(value)
    return (_MAP, len(names), tuple(names), tuple(sort_key(value[name]) for name in names))


def _graph_key(value: Any) -> tuple[Any, ...]:
    if isinstance(value, NodeRef | Node):
        return (_NODE, value.id)
    if isinstance(value, RelationshipRef | Relationship):
        return (_RELATIONSHIP, value.id)
    if isinstance(value, PathRef | Path):
        nodes = [node.id for node in value.nodes]
        relationships = [relationship.id for relationship in value.relationships]
        steps = zip(relationships, nodes[1:], strict=True)
        return (_PATH, nodes[0], *(part for step in steps for part in step))
    return (_OTHER, value)


def _as_array(values: list[Any]) -> NDArray[Any] | None:
    """An array of plain numbers of one kind; None where keys are needed."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return np.array(values, dtype=np.int64)
    if kinds == {float}:
        return np.array(values, dtype=np.float64)
    return None


def _by_array(rows: IntArray, values: NDArray[Any], upward: bool) -> IntArray:
    ordered = values[rows]
    if upward:
        return rows[np.argsort(ordered, kind="stable")]
    # Descending and stable: sort the reversed rows upward and reverse the outcome. NumPy puts
    # NaN last when ascending, so first here: both as Cypher has it.
    backward = np.argsort(ordered[::-1], kind="stable")[::-1]
    return rows[len(ordered) - 1 - backward]


def _by_keys(rows: IntArray, values: Any, upward: bool) -> IntArray:
    homogeneous = set(map(type, values)) == {str}
    keys = values if homogeneous else [sort_key(value) for value in values]
    ordered = sorted(rows.tolist(), key=keys.__getitem__, reverse=not upward)
    return np.array(ordered, dtype=np.int64)
