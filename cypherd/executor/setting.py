"""What SET, REMOVE and the ON CREATE and ON MATCH of MERGE do.

Cypher runs the items for each row in turn, so a row sees what the rows before it set. That is
kept where it can be seen; where it cannot, a batch is written at once: the values read no entity
of the row but the one that is set, and no entity stands in two rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from cypherd.batch.columns import Batch, Column, IdColumn, IntArray, TypedColumn
from cypherd.binder.expressions import Variable
from cypherd.errors import CypherTypeError, EntityNotFound
from cypherd.executor.context import ExecutionContext
from cypherd.executor.creating import checked_map, storable, tokenized
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.expressions.labels import label_names
from cypherd.executor.operator import Expression
from cypherd.executor.rows import entity_ids, single_rows
from cypherd.executor.usage import variables_of
from cypherd.planner.logical.operators import (
    RemoveLabelsItem,
    SetItem,
    SetLabelsItem,
    SetPropertiesItem,
    SetPropertyItem,
)
from cypherd.storage.protocols import WriteTransaction
from cypherd.values.description import type_of
from cypherd.values.extensions import EXTENDED
from cypherd.values.graph import NodeRef, RelationshipRef

_PLAIN = frozenset({int, float, bool, str, type(None), *EXTENDED})


@dataclass(slots=True, frozen=True)
class SetProperty:
    entity: Expression
    key: str
    value: Expression

    def apply(self, context: ExecutionContext, batch: Batch) -> None:
        entities = self.entity(batch, context).to_list()
        values = self.value(batch, context).to_list()
        writer = context.writer()
        present = [value is not None for value in values]
        key = writer.schema.property_id(self.key)
        if key is None:
            if not any(there and e is not None for there, e in zip(present, entities, strict=True)):
                return
            key = writer.property_token(self.key)
        changes = [{key: storable(value)} for value in values]
        context.stats.properties_set += change_properties(writer, entities, changes)


@dataclass(slots=True, frozen=True)
class SetProperties:
    variable: str
    value: Expression
    replace: bool

    def apply(self, context: ExecutionContext, batch: Batch) -> None:
        writer = context.writer()
        entities = batch.columns[self.variable].to_list()
        values = self.value(batch, context).to_list()
        kept = [row for row, entity in enumerate(entities) if entity is not None]
        changes = [_as_map(writer, values[row]) for row in kept]
        changed = tokenized(writer, changes, keep_nulls=True)
        found = [entities[row] for row in kept]
        if not self.replace:
            context.stats.properties_set += change_properties(writer, found, changed)
            return
        # One by one: what has to go depends on what an earlier row left there.
        for entity, change in zip(found, changed, strict=True):
            gone = dict.fromkeys(_properties(writer, entity))
            context.stats.properties_set += change_properties(
                writer, [entity], [{**gone, **change}]
            )


@dataclass(slots=True, frozen=True)
class ChangeLabels:
    variable: str
    labels: tuple[str, ...]
    remove: bool
    names: tuple[Expression, ...]

    def apply(self, context: ExecutionContext, batch: Batch) -> None:
        nodes = entity_ids(batch.columns[self.variable], "node")
        there = nodes >= 0
        given = [names(batch, context).to_list() for names in self.names]
        if not given:
            self._change(context, nodes[there], self.labels)
            return
        # Rows that name the same labels are changed together; a row with a null is an error
        # only if it has a node.
        groups: dict[tuple[str, ...], list[int]] = {}
        for row in np.flatnonzero(there).tolist():
            more = (name for values in given for name in label_names(values[row]))
            groups.setdefault(tuple(dict.fromkeys((*self.labels, *more))), []).append(row)
        for labels, rows in groups.items():
            self._change(context, nodes[rows], labels)

    def _change(self, context: ExecutionContext, nodes: IntArray, labels: tuple[str, ...]) -> None:
        writer = context.writer()
        if not len(nodes):
            return
        if self.remove:
            known = (writer.schema.label_id(name) for name in labels)
            tokens = [token for token in known if token is not None]
            context.stats.labels_removed += writer.remove_labels(nodes, tokens)
        else:
            tokens = [writer.label_token(name) for name in labels]
            context.stats.labels_added += writer.add_labels(nodes, tokens)


Change: TypeAlias = SetProperty | SetProperties | ChangeLabels


@dataclass(slots=True, frozen=True)
class Changes:
    """The items of one clause, and what of the row they read and write."""

    items: tuple[Change, ...]
    target: str | None
    """The one variable that is changed; None if there are several, or no plain variable."""
    read: frozenset[str]

    def apply(self, context: ExecutionContext, batch: Batch) -> None:
        """Run the items for every row of the batch."""
        if not self.items:
            return
        for part in (batch,) if self._at_once(batch) else single_rows(batch):
            for item in self.items:
                item.apply(context, part)
            context.guard.check()

    def _at_once(self, batch: Batch) -> bool:
        if batch.length == 1:
            return True
        if self.target is None or not _different(batch.columns[self.target]):
            return False
        others = self.read - {self.target}
        return all(name not in batch.columns or _plain(batch.columns[name]) for name in others)


def _different(column: Column) -> bool:
    """Whether no entity comes twice."""
    if isinstance(column, IdColumn):
        ids = column.ids[column.ids >= 0]
        return len(np.unique(ids)) == len(ids)
    return False


def _plain(column: Column) -> bool:
    """Whether no entity is in the column: values, and maps of values."""
    if isinstance(column, TypedColumn):
        return True
    if isinstance(column, IdColumn):
        return False
    for value in column.to_list():
        kind = type(value)
        if kind is dict and not _PLAIN.issuperset(map(type, value.values())):
            return False
        if kind is not dict and kind not in _PLAIN:
            return False
    return True


def change_properties(
    writer: WriteTransaction, entities: list[Any], changes: list[dict[int, Any]]
) -> int:
    """Change nodes and relationships in order; null ones are passed over. The number of
    properties set, as Neo4j counts them. Raises CypherTypeError for what is no entity."""
    nodes: list[int] = []
    node_changes: list[dict[int, Any]] = []
    relationships: list[int] = []
    relationship_changes: list[dict[int, Any]] = []
    for entity, change in zip(entities, changes, strict=True):
        if isinstance(entity, NodeRef):
            nodes.append(entity.id)
            node_changes.append(change)
        elif isinstance(entity, RelationshipRef):
            relationships.append(entity.id)
            relationship_changes.append(change)
        elif entity is not None:
            raise _no_entity(entity)
    count = 0
    if nodes:
        count += writer.set_node_properties(_ids(nodes), node_changes)
    if relationships:
        count += writer.set_relationship_properties(_ids(relationships), relationship_changes)
    return count


def _ids(ids: list[int]) -> IntArray:
    return np.array(ids, dtype=np.int64)


def _no_entity(value: Any) -> CypherTypeError:
    return CypherTypeError(
        f"Properties can be set on nodes and relationships, not on a {type_of(value).value}",
        detail="InvalidArgumentType",
    )


def _as_map(writer: WriteTransaction, value: Any) -> dict[str, Any]:
    """A map, or the properties of a node or relationship."""
    if not isinstance(value, NodeRef | RelationshipRef):
        return checked_map(value)
    name = writer.schema.property_name
    return {name(key): item for key, item in _properties(writer, value).items()}


def _properties(writer: WriteTransaction, entity: Any) -> dict[int, Any]:
    if isinstance(entity, NodeRef):
        [node] = writer.node_records(_ids([entity.id]))
        if node is None:
            raise EntityNotFound("The node has been deleted", detail="DeletedEntityAccess")
        return node[1]
    if isinstance(entity, RelationshipRef):
        [relationship] = writer.relationship_records(_ids([entity.id]))
        if relationship is None:
            raise EntityNotFound("The relationship has been deleted", detail="DeletedEntityAccess")
        return relationship[3]
    raise _no_entity(entity)


def compile_changes(items: tuple[SetItem, ...]) -> Changes:
    targets: set[str | None] = set()
    read: set[str] = set()
    for item in items:
        if isinstance(item, SetPropertyItem):
            targets.add(item.entity.name if isinstance(item.entity, Variable) else None)
            read |= variables_of(item.value)
        else:
            targets.add(item.variable)
        if isinstance(item, SetPropertiesItem):
            read |= variables_of(item.value)
        elif isinstance(item, SetLabelsItem | RemoveLabelsItem):
            read = read.union(*map(variables_of, item.names))
    target = targets.pop() if len(targets) == 1 else None
    return Changes(tuple(_compiled(item) for item in items), target, frozenset(read))


def _compiled(item: SetItem) -> Change:
    match item:
        case SetPropertyItem():
            return SetProperty(
                compile_expression(item.entity), item.key, compile_expression(item.value)
            )
        case SetPropertiesItem():
            return SetProperties(item.variable, compile_expression(item.value), item.replace)
        case SetLabelsItem():
            names = tuple(map(compile_expression, item.names))
            return ChangeLabels(item.variable, item.labels, remove=False, names=names)
        case RemoveLabelsItem():
            names = tuple(map(compile_expression, item.names))
            return ChangeLabels(item.variable, item.labels, remove=True, names=names)
