"""Results: ids become whole nodes, relationships and paths, read a column at a time.

    ids and references in a column --collect--> storage: one question a kind --> whole values

What this query has deleted is given without labels and properties (as Neo4j does).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.properties import named
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.extensions import EXTENDED
from cypherd.values.graph import Node, NodeRef, Path, PathRef, Relationship, RelationshipRef
from cypherd.values.lists import to_list

_PLAIN = frozenset((int, float, str, bool, type(None), *EXTENDED))


def materialize_column(column: Column, context: ExecutionContext) -> Column:
    """The column with Node, Relationship and Path for references, also inside lists and maps,
    and real lists for ranges. Columns without any are given back as they are."""
    if isinstance(column, IdColumn):
        return _materialize_ids(column, context)
    if not isinstance(column, ObjectColumn) or _PLAIN.issuperset(map(type, column.values)):
        return column
    wanted = _Wanted()
    for value in column.values:
        wanted.collect(value)
    entities = _Entities(wanted, context)
    return ObjectColumn([entities.whole(value) for value in column.values])


def _materialize_ids(column: IdColumn, context: ExecutionContext) -> Column:
    there = sorted(set(column.ids[column.ids >= 0].tolist()))
    found: dict[int, Any]
    if column.kind == "node":
        found = read_nodes(there, context.transaction)
    else:
        found = read_relationships(there, context.transaction)
    return ObjectColumn([found.get(entity) for entity in column.ids.tolist()])


def read_nodes(ids: list[int], transaction: ReadTransaction) -> dict[int, Node]:
    """Whole nodes by id."""
    if not ids:
        return {}
    label_name = transaction.schema.label_name
    nodes: dict[int, Node] = {}
    for node, record in zip(ids, transaction.node_records(_array(ids)), strict=True):
        labels, properties = record if record is not None else ((), {})
        names = tuple(label_name(label) for label in labels)
        nodes[node] = Node(node, names, named(properties, transaction))
    return nodes


def read_relationships(ids: list[int], transaction: ReadTransaction) -> dict[int, Relationship]:
    """Whole relationships by id."""
    if not ids:
        return {}
    records = transaction.relationship_records(_array(ids))
    found: dict[int, Relationship] = {}
    deleted: list[int] = []
    for relationship, record in zip(ids, records, strict=True):
        if record is None:
            deleted.append(relationship)
            continue
        type_, start, end, properties = record
        name = transaction.schema.type_name(type_)
        found[relationship] = Relationship(
            relationship, name, start, end, named(properties, transaction)
        )
    if deleted:
        found.update(_read_deleted(deleted, transaction))
    return found


def _read_deleted(ids: list[int], transaction: ReadTransaction) -> dict[int, Relationship]:
    ends = transaction.endpoints(_array(ids))
    type_name = transaction.schema.type_name
    rows = zip(ids, ends.type.tolist(), ends.start.tolist(), ends.end.tolist(), strict=True)
    return {
        relationship: Relationship(
            relationship, type_name(type_) if type_ >= 0 else "", start, end, {}
        )
        for relationship, type_, start, end in rows
    }


def _array(ids: list[int]) -> IntArray:
    return np.array(ids, dtype=np.int64)


class _Wanted:
    """The ids that occur in values."""

    __slots__ = ("nodes", "relationships")

    def __init__(self) -> None:
        self.nodes: set[int] = set()
        self.relationships: set[int] = set()

    def collect(self, value: Any) -> None:
        if isinstance(value, NodeRef):
            self.nodes.add(value.id)
        elif isinstance(value, RelationshipRef):
            self.relationships.add(value.id)
        elif isinstance(value, PathRef):
            self.nodes.update(node.id for node in value.nodes)
            self.relationships.update(step.id for step in value.relationships)
        elif isinstance(value, list | dict):
            for item in value.values() if isinstance(value, dict) else value:
                self.collect(item)


class _Entities:
    """Whole entities for the wanted ids, put in the place of references."""

    __slots__ = ("nodes", "relationships")

    def __init__(self, wanted: _Wanted, context: ExecutionContext) -> None:
        self.nodes = read_nodes(sorted(wanted.nodes), context.transaction)
        self.relationships = read_relationships(sorted(wanted.relationships), context.transaction)

    def whole(self, value: Any) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, NodeRef):
            return self.nodes[value.id]
        if isinstance(value, RelationshipRef):
            return self.relationships[value.id]
        if isinstance(value, PathRef):
            return Path(
                tuple(self.nodes[node.id] for node in value.nodes),
                tuple(self.relationships[step.id] for step in value.relationships),
            )
        if isinstance(value, range):
            return to_list(value)
        if isinstance(value, list):
            return value if _PLAIN.issuperset(map(type, value)) else list(map(self.whole, value))
        if isinstance(value, dict):
            return {key: self.whole(item) for key, item in value.items()}
        return value
