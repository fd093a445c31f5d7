"""Procedures about the graph's names and rules: `db.*`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cypherd.errors import SchemaRuleNotFound
from cypherd.procedures import rules
from cypherd.procedures.signature import CallContext, Family, Field
from cypherd.values.types import CypherType as T

FAMILY = Family()
procedure = FAMILY.procedure
Rows = Iterable[tuple[Any, ...]]


@procedure(
    "db.labels",
    help="The labels that nodes have.",
    results=(Field("label", T.STRING),),
)
def labels(context: CallContext) -> Rows:
    schema, count = context.transaction.schema, context.transaction.counts.nodes
    return [(name,) for name in schema.label_names() if count(schema.label_id(name))]


@procedure(
    "db.relationshipTypes",
    help="The types that relationships have.",
    results=(Field("relationshipType", T.STRING),),
)
def relationship_types(context: CallContext) -> Rows:
    schema, count = context.transaction.schema, context.transaction.counts.relationships
    return [(name,) for name in schema.type_names() if count(schema.type_id(name))]


@procedure(
    "db.propertyKeys",
    help="The property keys that the store has ever held.",
    results=(Field("propertyKey", T.STRING),),
)
def property_keys(context: CallContext) -> Rows:
    return [(name,) for name in context.transaction.schema.property_names()]


@procedure(
    "db.ping",
    help="Whether the database answers: true.",
    results=(Field("success", T.BOOLEAN),),
)
def ping(context: CallContext) -> Rows:
    return [(True,)]


# --- rules, in the form of Neo4j 4 ------------------------------------------------------


@procedure(
    "db.indexes",
    help="All indexes; SHOW INDEXES says more.",
    results=(
        Field("id", T.INTEGER),
        Field("name", T.STRING),
        Field("state", T.STRING),
        Field("populationPercent", T.FLOAT),
        Field("uniqueness", T.STRING),
        Field("type", T.STRING),
        Field("entityType", T.STRING),
        Field("labelsOrTypes", T.LIST, T.STRING),
        Field("properties", T.LIST, T.STRING),
        Field("provider", T.STRING),
    ),
)
def indexes(context: CallContext) -> Rows:
    for row in rules.indexes(context):
        unique = "NONUNIQUE" if row["owningConstraint"] is None else "UNIQUE"
        yield (
            *(row[name] for name in ("id", "name", "state", "populationPercent")),
            unique,
            *(row[name] for name in ("type", "entityType", "labelsOrTypes", "properties")),
            row["indexProvider"],
        )


@procedure(
    "db.constraints",
    help="All constraints; SHOW CONSTRAINTS says more.",
    results=(
        Field("name", T.STRING),
        Field("description", T.STRING),
        Field("details", T.STRING),
    ),
)
def constraints(context: CallContext) -> Rows:
    for row in rules.constraints(context):
        owners = ", ".join(row["labelsOrTypes"])
        properties = ", ".join(row["properties"])
        details = (
            f"Constraint( id={row['id']}, name='{row['name']}', type='{row['type']}', "
            f"schema=({owners} {{{properties}}}) )"
        )
        yield row["name"], row["createStatement"].split(" FOR ", 1)[1], details


@procedure(
    "db.awaitIndexes",
    help="Wait until all indexes are there, which they are as soon as they are made.",
    arguments=(Field("timeOutSeconds", T.INTEGER, default=300),),
)
def await_indexes(context: CallContext, seconds: int) -> Rows:
    return ()


@procedure(
    "db.awaitIndex",
    help="Wait until the index of that name is there; an error if there is none.",
    arguments=(Field("indexName", T.STRING), Field("timeOutSeconds", T.INTEGER, default=300)),
)
def await_index(context: CallContext, name: str, seconds: int) -> Rows:
    if all(index.name != name for index in context.transaction.schema.indexes):
        raise SchemaRuleNotFound(f"there is no index `{name}`")
    return ()
