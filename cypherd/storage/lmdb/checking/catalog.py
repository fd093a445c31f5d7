"""Tables `tokens`, `schema` and `meta`: what the records of the graph may refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cypherd.storage.lmdb.checking.decoding import decoded
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.layout import (
    META_NEXT_NODE,
    META_NEXT_RELATIONSHIP,
    META_NEXT_RULE,
    META_SCHEMA_VERSION,
    META_STATEMENTS,
    Tables,
    unpack_big,
    unpack_index,
    unpackb,
)
from cypherd.storage.lmdb.schema import (
    LABEL,
    PROPERTY,
    TYPE,
    read_constraint,
    read_index,
)
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor

_KINDS = {LABEL: "label", TYPE: "relationship type", PROPERTY: "property key"}


@dataclass(slots=True)
class Catalog:
    """`labels`, `types`, `keys`: how many names there are; ids are below that."""

    labels: int = 0
    types: int = 0
    keys: int = 0
    next_node: int = 0
    next_relationship: int = 0
    indexes: list[IndexDescriptor] = field(default_factory=list)
    constraints: list[ConstraintDescriptor] = field(default_factory=list)


def check_catalog(txn: Any, tables: Tables, findings: Findings) -> Catalog:
    catalog = Catalog()
    found = _tokens(txn, tables, findings)
    catalog.labels, catalog.types, catalog.keys = (found[kind] for kind in _KINDS)
    next_rule = _counters(txn, tables, catalog, findings)
    _rules(txn, tables, catalog, next_rule, findings)
    return catalog


def _tokens(txn: Any, tables: Tables, findings: Findings) -> dict[bytes, int]:
    """Names of a kind have the ids 0, 1, 2, ... and no name comes twice."""
    totals = dict.fromkeys(_KINDS, 0)
    seen: set[tuple[bytes, bytes]] = set()
    for key, name in txn.cursor(db=tables.tokens):
        kind, number = key[:1], unpack_index(key[1:])[0]
        if kind not in _KINDS:
            findings.add("tokens", f"unknown kind of name {kind!r}")
            continue
        if number != totals[kind]:
            findings.add("tokens", f"{_KINDS[kind]} {totals[kind]} has no name")
        if (kind, name) in seen:
            findings.add("tokens", f"{_KINDS[kind]} {name!r} is there twice")
        seen.add((kind, name))
        totals[kind] = number + 1
    return totals


def _counters(txn: Any, tables: Tables, catalog: Catalog, findings: Findings) -> int:
    values = []
    for name in (META_NEXT_NODE, META_NEXT_RELATIONSHIP, META_NEXT_RULE, META_SCHEMA_VERSION):
        data = txn.get(name, db=tables.meta)
        if data is None or len(data) != 8:
            findings.add("meta", f"the counter {name.decode()!r} is missing or damaged")
            data = b"\xff" * 8
        values.append(int(unpack_big(data)[0]))
    catalog.next_node, catalog.next_relationship = values[:2]
    statements = txn.get(META_STATEMENTS, db=tables.meta)
    if statements is not None and len(unpackb(statements)) != 2:
        findings.add("meta", "the numbers of the last statements are damaged")
    return values[2]


def _rules(txn: Any, tables: Tables, catalog: Catalog, next_rule: int, findings: Findings) -> None:
    for key, data in txn.cursor(db=tables.schema):
        row = decoded("schema", f"rule {key!r}", data, 6 if key[:1] == b"i" else 7, findings)
        if row is None:
            continue
        if key[:1] == b"i":
            catalog.indexes.append(read_index(row))
        else:
            catalog.constraints.append(read_constraint(row))
    rules: Sequence[IndexDescriptor | ConstraintDescriptor] = [
        *catalog.indexes, *catalog.constraints
    ]  # fmt: skip
    backing = {index.id for index in catalog.indexes}
    for rule in rules:
        kind = rule.kind if isinstance(rule, IndexDescriptor) else rule.entity
        owners = catalog.labels if kind == "node" else catalog.types
        if rule.owner >= owners or any(key >= catalog.keys for key in rule.properties):
            findings.add("schema", f"rule {rule.name!r} refers to a name that is not there")
        if rule.id >= next_rule:
            findings.add("schema", f"rule {rule.name!r} has the number {rule.id} of a coming one")
    for constraint in catalog.constraints:
        if constraint.index_id is not None and constraint.index_id not in backing:
            findings.add("schema", f"constraint {constraint.name!r} has lost its index")
    names = [rule.name for rule in rules if not _backs(rule, catalog.constraints)]
    for name in {name for name in names if names.count(name) > 1}:
        findings.add("schema", f"two rules are named {name!r}")


def _backs(
    rule: IndexDescriptor | ConstraintDescriptor, constraints: Sequence[ConstraintDescriptor]
) -> bool:
    """The index of a constraint bears its name."""
    return isinstance(rule, IndexDescriptor) and any(
        constraint.index_id == rule.id for constraint in constraints
    )
