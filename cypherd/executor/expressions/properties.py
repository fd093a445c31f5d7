"""Properties and map projections: what expressions read from storage.

column --split--> nodes, relationships: one question of storage each
              \\-> maps, temporal values, points: looked up in Python
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cypherd.batch.columns import Batch, Column, EntityKind, IntArray, ObjectColumn
from cypherd.binder.expressions import HasLabels, MapProjection, Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.compiler import Compiler, Evaluate, located
from cypherd.executor.expressions.entities import check_alive, entities_of
from cypherd.executor.expressions.logic import null_mask
from cypherd.executor.remembering import Remembered, properties_together
from cypherd.executor.repeats import properties_of
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.description import wrong_type
from cypherd.values.points import Point
from cypherd.values.spatial import point_component
from cypherd.values.temporal import TemporalValue
from cypherd.values.temporal.components import component


@dataclass(frozen=True, slots=True)
class Along:
    """Whose properties are remembered, and the keys that are read along."""

    variable: str
    keys: tuple[str, ...]


def along_of(expression: Property | HasLabels) -> Along | None:
    if expression.together and isinstance(expression.source, Variable):
        return Along(expression.source.name, expression.together)
    return None


def compile_property(expression: Property, compiler: Compiler) -> Evaluate:
    source, key = compiler.compile(expression.source), expression.key
    along = along_of(expression)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        column = source(batch, context)
        with located(expression.at):
            return ObjectColumn(read_property(column, key, context, along))

    return evaluate


def read_property(
    column: Column, key: str, context: ExecutionContext, along: Along | None = None
) -> list[Any]:
    """The property `key` of every value, of temporal ones and points the component: null of null.
    Raises CypherTypeError for a value that has no properties, ArgumentError for a component that
    there is not, EntityNotFound for an entity that this query has deleted."""
    entities = entities_of(column)
    check_alive(entities, context)
    values: list[Any] = [None] * len(column)
    for row, value in entities.others:
        if isinstance(value, dict):
            values[row] = value.get(key)
        elif isinstance(value, TemporalValue):
            values[row] = component(value, key)
        elif isinstance(value, Point):
            values[row] = point_component(value, key)
        else:
            expected = "a node, relationship, map, temporal value or point"
            raise wrong_type(f"access to the property {key}", expected, value)
    if not len(entities.nodes) and not len(entities.relationships):
        return values
    token = context.transaction.schema.property_id(key)
    if token is None:
        return values
    if len(entities.nodes):
        [found] = properties_read(context, "node", entities.nodes, [token], along)
        _scatter(values, entities.node_rows, found)
    if len(entities.relationships):
        ids = entities.relationships
        [found] = properties_read(context, "relationship", ids, [token], along)
        _scatter(values, entities.relationship_rows, found)
    return values


def properties_read(
    context: ExecutionContext,
    kind: EntityKind,
    ids: IntArray,
    keys: Sequence[int],
    along: Along | None,
) -> list[list[Any]]:
    """A list a key: from the store, or from what is remembered of the variable."""
    transaction = context.transaction
    if along is None:
        return properties_of(transaction, kind, ids, keys)
    remembered = context.remembered.setdefault(along.variable, Remembered())
    return properties_together(
        transaction, remembered, kind, ids, keys, key_ids(along.keys, transaction)
    )


def key_ids(keys: Iterable[str], transaction: ReadTransaction) -> list[int]:
    """Those that there are."""
    found = map(transaction.schema.property_id, keys)
    return [key for key in found if key is not None]


def _scatter(values: list[Any], rows: IntArray, found: list[Any]) -> None:
    if len(found) == len(values):
        values[:] = found
        return
    for row, value in zip(rows.tolist(), found, strict=True):
        values[row] = value


def whole_properties(column: Column, context: ExecutionContext, function: str) -> list[Any]:
    """All properties of every value as a map: null of null, a map as it is."""
    entities = entities_of(column)
    check_alive(entities, context)
    values: list[Any] = [None] * len(column)
    for row, value in entities.others:
        if not isinstance(value, dict):
            raise wrong_type(function, "a node, relationship or map", value)
        values[row] = value
    transaction = context.transaction
    if len(entities.nodes):
        nodes = transaction.node_records(entities.nodes)
        for row, node in zip(entities.node_rows.tolist(), nodes, strict=True):
            values[row] = {} if node is None else named(node[1], transaction)
    if len(entities.relationships):
        relationships = transaction.relationship_records(entities.relationships)
        for row, record in zip(entities.relationship_rows.tolist(), relationships, strict=True):
            values[row] = {} if record is None else named(record[3], transaction)
    return values


def named(properties: dict[int, Any], transaction: ReadTransaction) -> dict[str, Any]:
    """Properties by name instead of key id."""
    name_of = transaction.schema.property_name
    return {name_of(key): value for key, value in properties.items()}


def compile_map_projection(expression: MapProjection, compiler: Compiler) -> Evaluate:
    source = compiler.compile(expression.source)
    items: list[tuple[str, Evaluate | None]] = [
        (key, None if item is None else compiler.compile(item)) for key, item in expression.items
    ]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        column = source(batch, context)
        null = null_mask(column).tolist()
        maps: list[dict[str, Any]] = [{} for _ in range(batch.length)]
        with located(expression.at):
            for key, item in items:
                _add_item(maps, key, item, column, batch, context)
        return ObjectColumn([None if n else m for n, m in zip(null, maps, strict=True)])

    return evaluate


def _add_item(
    maps: list[dict[str, Any]],
    key: str,
    item: Callable[[Batch, ExecutionContext], Column] | None,
    source: Column,
    batch: Batch,
    context: ExecutionContext,
) -> None:
    if item is None:
        for target, properties in zip(
            maps, whole_properties(source, context, "a map projection"), strict=True
        ):
            target.update(properties or {})
        return
    for target, value in zip(maps, item(batch, context).to_list(), strict=True):
        target[key] = value
