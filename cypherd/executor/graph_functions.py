"""Functions that need the graph or the statement: whole columns in, a column out.

Each takes the argument columns, the number of rows and the context; storage is asked once a
column. Null gives null. A value of another type raises CypherTypeError (InvalidArgumentValue, as
the TCK has it), an entity deleted by this query EntityNotFound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray, ObjectColumn, TypedColumn
from cypherd.errors import CypherTypeError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.entities import Entities, check_alive, entities_of
from cypherd.executor.expressions.properties import read_property, whole_properties
from cypherd.executor.repeats import endpoints
from cypherd.functions.operators import subscript as subscript_value
from cypherd.storage.protocols import RelationshipRows
from cypherd.values.description import type_of, wrong_type

GraphFunction: TypeAlias = Callable[[Sequence[Column], int, ExecutionContext], Column]


def entity_id(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    entities = _only("id()", columns[0], "a node or relationship")
    ids = np.zeros(length, dtype=np.int64)
    valid = np.zeros(length, dtype=np.bool_)
    for rows, found in (
        (entities.node_rows, entities.nodes),
        (entities.relationship_rows, entities.relationships),
    ):
        ids[rows], valid[rows] = found, True
    return TypedColumn(ids, None if valid.all() else valid)


def element_id(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    entities = _only("elementId()", columns[0], "a node or relationship")
    values: list[Any] = [None] * length
    for row, node in zip(entities.node_rows.tolist(), entities.nodes.tolist(), strict=True):
        values[row] = f"n{node}"
    for row, relationship in zip(
        entities.relationship_rows.tolist(), entities.relationships.tolist(), strict=True
    ):
        values[row] = f"r{relationship}"
    return ObjectColumn(values)


def labels(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    entities = _only("labels()", columns[0], "a node", refuse="relationships")
    check_alive(entities, context)
    values: list[Any] = [None] * length
    if len(entities.nodes):
        name_of = context.transaction.schema.label_name
        records = context.transaction.node_records(entities.nodes)
        for row, record in zip(entities.node_rows.tolist(), records, strict=True):
            values[row] = [] if record is None else [name_of(label) for label in record[0]]
    return ObjectColumn(values)


def relationship_type(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    rows, found = _endpoints("type()", columns[0], context)
    name_of = context.transaction.schema.type_name
    values: list[Any] = [None] * length
    for row, token in zip(rows.tolist(), found.type.tolist(), strict=True):
        values[row] = name_of(token) if token >= 0 else None
    return ObjectColumn(values)


def start_node(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    rows, found = _endpoints("startNode()", columns[0], context)
    return _nodes_at(rows, found.start, length)


def end_node(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    rows, found = _endpoints("endNode()", columns[0], context)
    return _nodes_at(rows, found.end, length)


def properties(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    return ObjectColumn(whole_properties(columns[0], context, "properties()"))


def keys(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    maps = whole_properties(columns[0], context, "keys()")
    return ObjectColumn([None if found is None else list(found) for found in maps])


def timestamp(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    return TypedColumn(np.full(length, int(context.clock * 1000), dtype=np.int64))


def subscript(columns: Sequence[Column], length: int, context: ExecutionContext) -> Column:
    """container[index]: also a property of a node or relationship by a computed name."""
    containers, indexes = columns[0], columns[1].to_list()
    entities = entities_of(containers)
    values: list[Any] = [None] * length
    for row, container in entities.others:
        index = indexes[row]
        values[row] = None if index is None else subscript_value(container, index)
    by_key: dict[str, list[int]] = {}
    for row in (*entities.node_rows.tolist(), *entities.relationship_rows.tolist()):
        if indexes[row] is not None:
            by_key.setdefault(_property_name(indexes[row]), []).append(row)
    for key, rows in by_key.items():
        part = containers.take(np.array(rows, dtype=np.int64))
        for row, value in zip(rows, read_property(part, key, context), strict=True):
            values[row] = value
    return ObjectColumn(values)


def _property_name(index: Any) -> str:
    if not isinstance(index, str):
        raise CypherTypeError(
            f"a property is accessed by a string, not by {type_of(index).value}",
            detail="MapElementAccessByNonString",
        )
    return index


def _only(
    function: str,
    column: Column,
    expected: str,
    refuse: Literal["nodes", "relationships"] | None = None,
) -> Entities:
    entities = entities_of(column)
    for _, value in entities.others:
        raise wrong_type(function, expected, value, "InvalidArgumentValue")
    if refuse is not None and len(getattr(entities, refuse)):
        raise CypherTypeError(
            f"{function} expects {expected}, but was given one of the {refuse}",
            detail="InvalidArgumentValue",
        )
    return entities


def _endpoints(
    function: str, column: Column, context: ExecutionContext
) -> tuple[IntArray, RelationshipRows]:
    """Rows that are not null, and the types and ends of their relationships; they stay known
    after a relationship is deleted."""
    entities = _only(function, column, "a relationship", refuse="nodes")
    return entities.relationship_rows, endpoints(context.transaction, entities.relationships)


def _nodes_at(rows: IntArray, nodes: IntArray, length: int) -> Column:
    ids = np.full(length, -1, dtype=np.int64)
    ids[rows] = nodes
    return IdColumn("node", ids)


GRAPH_FUNCTIONS: Mapping[str, GraphFunction] = {
    "id": entity_id,
    "elementid": element_id,
    "labels": labels,
    "type": relationship_type,
    "startnode": start_node,
    "endnode": end_node,
    "properties": properties,
    "keys": keys,
    "timestamp": timestamp,
    "subscript": subscript,
}
