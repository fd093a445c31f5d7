"""Show: the indexes and constraints, a row each, under Neo4j's column names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cypherd.batch.columns import Batch, EntityKind, ObjectColumn
from cypherd.errors import UnsupportedOperation
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import pieces
from cypherd.planner.logical.operators import LogicalShow
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor, Schema


@dataclass(slots=True, kw_only=True)
class Show(Operator):
    what: str
    columns: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        rows = self._rows(context.transaction.schema)
        columns = {name: ObjectColumn([row.get(name) for row in rows]) for name in self.columns}
        yield from pieces(Batch(len(rows), columns), context.batch_size)

    def _rows(self, schema: Schema) -> list[dict[str, Any]]:
        if self.what == "indexes":
            return [_index(schema, index) for index in schema.indexes]
        if self.what == "constraints":
            return [_constraint(schema, rule) for rule in schema.constraints]
        raise UnsupportedOperation(f"SHOW {self.what.upper()} is not supported")


_CONSTRAINT_TYPES: dict[tuple[str, EntityKind], str] = {
    ("uniqueness", "node"): "UNIQUENESS",
    ("uniqueness", "relationship"): "RELATIONSHIP_UNIQUENESS",
    ("existence", "node"): "NODE_PROPERTY_EXISTENCE",
    ("existence", "relationship"): "RELATIONSHIP_PROPERTY_EXISTENCE",
    ("key", "node"): "NODE_KEY",
    ("key", "relationship"): "RELATIONSHIP_KEY",
}


def _index(schema: Schema, index: IndexDescriptor) -> dict[str, Any]:
    owning = [rule.name for rule in schema.constraints if rule.index_id == index.id]
    return {
        "id": index.id,
        "name": index.name,
        "state": "ONLINE",
        "populationPercent": 100.0,
        "type": "RANGE",
        **_owner(schema, index.kind, index.owner, index.properties),
        "indexProvider": "lmdb-1.0",
        "owningConstraint": owning[0] if owning else None,
        "unique": index.unique,
    }


def _constraint(schema: Schema, rule: ConstraintDescriptor) -> dict[str, Any]:
    owned = [index.name for index in schema.indexes if index.id == rule.index_id]
    return {
        "id": rule.id,
        "name": rule.name,
        "type": _CONSTRAINT_TYPES[rule.kind, rule.entity],
        **_owner(schema, rule.entity, rule.owner, rule.properties),
        "ownedIndex": owned[0] if owned else None,
    }


def _owner(
    schema: Schema, kind: EntityKind, owner: int, properties: tuple[int, ...]
) -> dict[str, Any]:
    name = schema.label_name(owner) if kind == "node" else schema.type_name(owner)
    return {
        "entityType": "NODE" if kind == "node" else "RELATIONSHIP",
        "labelsOrTypes": [name],
        "properties": [schema.property_name(key) for key in properties],
    }


def map_show(plan: LogicalShow, number: int, mapping: Mapping) -> Operator:
    return Show(number=number, what=plan.what, columns=plan.columns)
