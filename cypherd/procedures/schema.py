"""Procedures that tell what the graph looks like: `db.schema.*`.

The graph has no schema of its own: they read every node or relationship.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cypherd.batch.columns import EntityKind
from cypherd.procedures.signature import CallContext, Family, Field
from cypherd.storage.protocols import Schema
from cypherd.storage.summary import summarize
from cypherd.values.description import type_of
from cypherd.values.graph import Node, Relationship
from cypherd.values.types import CypherType as T

FAMILY = Family()
procedure = FAMILY.procedure
Rows: TypeAlias = Iterable[tuple[Any, ...]]

_PIECE = 1024
_TYPE_NAMES = {T.INTEGER: "Long", T.FLOAT: "Double", T.DATE_TIME: "DateTime"}


@dataclass(slots=True)
class _Seen:
    """Of one combination of labels, or of one type: how many have it, and its properties."""

    count: int = 0
    keys: Counter[int] = field(default_factory=Counter)
    types: dict[int, set[str]] = field(default_factory=dict)

    def add(self, properties: Mapping[int, Any]) -> None:
        self.count += 1
        self.keys.update(properties.keys())
        for key, value in properties.items():
            self.types.setdefault(key, set()).add(_type_name(value))


@procedure(
    "db.schema.nodeTypeProperties",
    help="For each combination of labels its properties, their types, and whether all have them.",
    results=(
        Field("nodeType", T.STRING),
        Field("nodeLabels", T.LIST, T.STRING),
        Field("propertyName", T.STRING),
        Field("propertyTypes", T.LIST, T.STRING),
        Field("mandatory", T.BOOLEAN),
    ),
)
def node_type_properties(context: CallContext) -> Rows:
    schema = context.transaction.schema
    seen: dict[tuple[int, ...], _Seen] = {}
    for ids in context.transaction.scan_nodes(None, _PIECE):
        context.guard.check()
        for record in context.transaction.node_records(ids):
            if record is not None:
                seen.setdefault(record[0], _Seen()).add(record[1])
    for labels in sorted(seen, key=lambda tokens: [schema.label_name(t) for t in tokens]):
        names = [schema.label_name(label) for label in labels]
        called = "".join(f":`{name}`" for name in names)
        for row in _properties(schema, seen[labels], "node", labels):
            yield (called, names, *row)


@procedure(
    "db.schema.relTypeProperties",
    help="For each type of relationships its properties, their types, and whether all have them.",
    results=(
        Field("relType", T.STRING),
        Field("propertyName", T.STRING),
        Field("propertyTypes", T.LIST, T.STRING),
        Field("mandatory", T.BOOLEAN),
    ),
)
def rel_type_properties(context: CallContext) -> Rows:
    schema = context.transaction.schema
    seen: dict[int, _Seen] = {}
    for rows in context.transaction.scan_relationships(None, _PIECE):
        context.guard.check()
        for record in context.transaction.relationship_records(rows.id):
            if record is not None:
                seen.setdefault(record[0], _Seen()).add(record[3])
    for type_ in sorted(seen, key=schema.type_name):
        for row in _properties(schema, seen[type_], "relationship", (type_,)):
            yield (f":`{schema.type_name(type_)}`", *row)


def _properties(
    schema: Schema, seen: _Seen, kind: EntityKind, owners: tuple[int, ...]
) -> Iterator[tuple[Any, ...]]:
    """(name, types, mandatory) by name; one row of nulls where there is no property at all."""
    if not seen.keys:
        yield None, None, False
    for key in sorted(seen.keys, key=schema.property_name):
        mandatory = seen.keys[key] == seen.count
        yield schema.property_name(key), sorted(seen.types[key]), mandatory


def _type_name(value: Any) -> str:
    """As Neo4j calls it: `Long`, `StringArray`."""
    if isinstance(value, list | tuple):
        elements = {_type_name(element) for element in value}
        return f"{elements.pop()}Array" if len(elements) == 1 else "AnyArray"
    type_ = type_of(value)
    return _TYPE_NAMES.get(type_, type_.value)


@procedure(
    "db.schema.visualization",
    help="A node for each label and a relationship for each type between two labels, which are in "
    "no store: their ids are negative. Which labels a type connects is read off a sample.",
    results=(
        Field("nodes", T.LIST, T.NODE),
        Field("relationships", T.LIST, T.RELATIONSHIP),
    ),
)
def visualization(context: CallContext) -> Rows:
    schema = context.transaction.schema
    summary = summarize(context.transaction)
    nodes = {
        label.name: Node(
            -number,
            (label.name,),
            {
                "name": label.name,
                "indexes": _indexed(schema, label.name),
                "constraints": _constrained(schema, label.name),
            },
        )
        for number, label in enumerate(summary.labels, start=1)
    }
    pairs = [
        (type_.name, start, end)
        for type_ in summary.types
        for start, end in type_.ends
        if start in nodes and end in nodes
    ]
    relationships = [
        Relationship(-number, name, nodes[start].id, nodes[end].id, {"name": name})
        for number, (name, start, end) in enumerate(pairs, start=1)
    ]
    return [(list(nodes.values()), relationships)]


def _indexed(schema: Schema, label: str) -> list[str]:
    token = schema.label_id(label)
    return [
        ",".join(schema.property_name(key) for key in index.properties)
        for index in schema.indexes
        if index.kind == "node" and index.owner == token and not index.unique
    ]


def _constrained(schema: Schema, label: str) -> list[str]:
    token = schema.label_id(label)
    return [
        rule.name for rule in schema.constraints if rule.entity == "node" and rule.owner == token
    ]
