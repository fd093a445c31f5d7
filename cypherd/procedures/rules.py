"""Indexes and constraints as rows, under Neo4j's names, for SHOW and for the old procedures."""

from __future__ import annotations

from typing import Any, TypeAlias

from cypherd.batch.columns import EntityKind
from cypherd.procedures.signature import CallContext
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor, Schema

Row: TypeAlias = dict[str, Any]


# --- indexes ----------------------------------------------------------------------------

PROVIDER = "lmdb-1.0"


def indexes(context: CallContext) -> list[Row]:
    schema = context.transaction.schema
    return [_index(schema, index) for index in schema.indexes]


def _index(schema: Schema, index: IndexDescriptor) -> Row:
    owner = next((rule for rule in schema.constraints if rule.index_id == index.id), None)
    return {
        "id": index.id,
        "name": index.name,
        "state": "ONLINE",
        "populationPercent": 100.0,
        "type": "RANGE",
        **_owner(schema, index.kind, index.owner, index.properties),
        "indexProvider": PROVIDER,
        "owningConstraint": None if owner is None else owner.name,
        "options": {"indexConfig": {}, "indexProvider": PROVIDER},
        "failureMessage": "",
        "createStatement": (
            _created_index(schema, index) if owner is None else _created(schema, owner)
        ),
    }


def _created_index(schema: Schema, index: IndexDescriptor) -> str:
    pattern, properties = _pattern(schema, index.kind, index.owner, index.properties)
    return f"CREATE RANGE INDEX {_quoted(index.name)} FOR {pattern} ON ({properties})"


def schema_statements(schema: Schema) -> list[str]:
    """Statements that make all constraints and indexes anew."""
    owned = {rule.index_id for rule in schema.constraints}
    return [
        *(_created(schema, rule) for rule in schema.constraints),
        *(_created_index(schema, index) for index in schema.indexes if index.id not in owned),
    ]


# --- constraints ------------------------------------------------------------------------

_CONSTRAINT_TYPES: dict[tuple[str, EntityKind], str] = {
    ("uniqueness", "node"): "UNIQUENESS",
    ("uniqueness", "relationship"): "RELATIONSHIP_UNIQUENESS",
    ("existence", "node"): "NODE_PROPERTY_EXISTENCE",
    ("existence", "relationship"): "RELATIONSHIP_PROPERTY_EXISTENCE",
    ("key", "node"): "NODE_KEY",
    ("key", "relationship"): "RELATIONSHIP_KEY",
}
_DEMANDS: dict[tuple[str, EntityKind], str] = {
    ("uniqueness", "node"): "UNIQUE",
    ("uniqueness", "relationship"): "UNIQUE",
    ("existence", "node"): "NOT NULL",
    ("existence", "relationship"): "NOT NULL",
    ("key", "node"): "NODE KEY",
    ("key", "relationship"): "RELATIONSHIP KEY",
}


def constraints(context: CallContext) -> list[Row]:
    schema = context.transaction.schema
    return [_constraint(schema, rule) for rule in schema.constraints]


def _constraint(schema: Schema, rule: ConstraintDescriptor) -> Row:
    owned = [index.name for index in schema.indexes if index.id == rule.index_id]
    options = {"indexConfig": {}, "indexProvider": PROVIDER} if owned else None
    return {
        "id": rule.id,
        "name": rule.name,
        "type": _CONSTRAINT_TYPES[rule.kind, rule.entity],
        **_owner(schema, rule.entity, rule.owner, rule.properties),
        "ownedIndex": owned[0] if owned else None,
        "propertyType": None,
        "options": options,
        "createStatement": _created(schema, rule),
    }


def _created(schema: Schema, rule: ConstraintDescriptor) -> str:
    pattern, properties = _pattern(schema, rule.entity, rule.owner, rule.properties)
    demand = _DEMANDS[rule.kind, rule.entity]
    return (
        f"CREATE CONSTRAINT {_quoted(rule.name)} FOR {pattern} REQUIRE ({properties}) IS {demand}"
    )


# --- both -------------------------------------------------------------------------------


def _owner(schema: Schema, kind: EntityKind, owner: int, properties: tuple[int, ...]) -> Row:
    return {
        "entityType": "NODE" if kind == "node" else "RELATIONSHIP",
        "labelsOrTypes": [_owner_name(schema, kind, owner)],
        "properties": [schema.property_name(key) for key in properties],
    }


def _owner_name(schema: Schema, kind: EntityKind, owner: int) -> str:
    return schema.label_name(owner) if kind == "node" else schema.type_name(owner)


def _pattern(
    schema: Schema, kind: EntityKind, owner: int, properties: tuple[int, ...]
) -> tuple[str, str]:
    """E.g. (n:`Person`) and n.`id`, n.`name`"""
    name = _quoted(_owner_name(schema, kind, owner))
    variable = "n" if kind == "node" else "r"
    keys = ", ".join(f"{variable}.{_quoted(schema.property_name(key))}" for key in properties)
    return (f"(n:{name})" if kind == "node" else f"()-[r:{name}]-()"), keys


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
