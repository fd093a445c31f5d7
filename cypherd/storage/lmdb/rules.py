"""Making and dropping indexes and constraints: what the writing transaction adds to tables
`schema` and `index`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from cypherd.batch.columns import EntityKind
from cypherd.errors import SchemaRuleExists, SchemaRuleNotFound
from cypherd.storage.lmdb.schema import LmdbSchema
from cypherd.storage.protocols import (
    ConstraintDescriptor,
    IndexDescriptor,
    ReadTransaction,
)

_BATCH = 4096


def require_new_rule(
    schema: LmdbSchema,
    name: str,
    kind: EntityKind,
    owner: int,
    properties: Sequence[int],
) -> None:
    """Raises SchemaRuleExists where there is a rule of that name, or an index (that of a
    constraint too) of that shape."""
    require_new_name(schema, name)
    shape = (kind, owner, tuple(properties))
    constraints = {constraint.index_id: constraint for constraint in schema.constraints}
    for index in schema.indexes:
        if (index.kind, index.owner, index.properties) == shape:
            pattern = described(schema, kind, owner, properties)
            if index.id in constraints:
                rule = "key" if constraints[index.id].kind == "key" else "uniqueness"
                raise SchemaRuleExists(
                    f"There already exists a {rule} constraint on {pattern}, named "
                    f"`{index.name}`, and it has an index."
                )
            raise SchemaRuleExists(
                f"There already exists an index on {pattern}, named `{index.name}`."
            )


def require_new_name(schema: LmdbSchema, name: str) -> None:
    """Raises SchemaRuleExists: indexes and constraints share their names."""
    names = [index.name for index in schema.indexes]
    if name in names or name in [constraint.name for constraint in schema.constraints]:
        raise SchemaRuleExists(f"There already exists an index or constraint called `{name}`.")


def require_new_existence(
    schema: LmdbSchema, entity: EntityKind, owner: int, properties: Sequence[int]
) -> None:
    """Raises SchemaRuleExists where there is an existence constraint of that shape."""
    shape = ("existence", entity, owner, tuple(properties))
    for rule in schema.constraints:
        if (rule.kind, rule.entity, rule.owner, rule.properties) == shape:
            pattern = described(schema, entity, owner, properties)
            raise SchemaRuleExists(
                f"There already exists an existence constraint on {pattern}, named `{rule.name}`."
            )


def require_index(schema: LmdbSchema, index_id: int) -> IndexDescriptor:
    """The index. Raises SchemaRuleNotFound; SchemaRuleExists where a constraint needs it."""
    found = [index for index in schema.indexes if index.id == index_id]
    if not found:
        raise SchemaRuleNotFound(f"There is no index with the id {index_id}.")
    for constraint in schema.constraints:
        if constraint.index_id == index_id:
            raise SchemaRuleExists(
                f"Unable to drop index: it belongs to the constraint `{constraint.name}`."
            )
    return found[0]


def require_constraint(schema: LmdbSchema, constraint_id: int) -> ConstraintDescriptor:
    for constraint in schema.constraints:
        if constraint.id == constraint_id:
            return constraint
    raise SchemaRuleNotFound(f"There is no constraint with the id {constraint_id}.")


def generated_name(
    schema: LmdbSchema, rule: str, kind: EntityKind, owner: int, properties: Sequence[int]
) -> str:
    """E.g. index_343aff4e: the same rule always gets the same name, as in Neo4j."""
    return _hashed(rule, described(schema, kind, owner, properties))


def generated_constraint_name(
    schema: LmdbSchema, rule: str, kind: EntityKind, owner: int, properties: Sequence[int]
) -> str:
    """E.g. constraint_343aff4e: constraints of two kinds may be on the same properties."""
    pattern = described(schema, kind, owner, properties)
    return _hashed("constraint", pattern if rule == "uniqueness" else f"{rule} {pattern}")


def _hashed(rule: str, pattern: str) -> str:
    return f"{rule}_{hashlib.sha256(pattern.encode('utf-8', 'replace')).hexdigest()[:8]}"


def described(schema: LmdbSchema, kind: EntityKind, owner: int, properties: Sequence[int]) -> str:
    """E.g. (:Person {id}) or ()-[:KNOWS {since, until}]-()."""
    names = ", ".join(map(schema.property_name, properties))
    if kind == "node":
        return f"(:{schema.label_name(owner)} {{{names}}})"
    return f"()-[:{schema.type_name(owner)} {{{names}}}]-()"


def owned_entities(
    transaction: ReadTransaction, kind: EntityKind, owner: int
) -> Iterator[tuple[int, dict[int, Any]]]:
    """(id, properties) of all nodes with a label, or all relationships of a type."""
    if kind == "node":
        for nodes in transaction.scan_nodes(owner, _BATCH):
            for node, record in zip(nodes.tolist(), transaction.node_records(nodes), strict=True):
                if record is not None:
                    yield node, record[1]
        return
    for rows in transaction.scan_relationships(owner, _BATCH):
        records = transaction.relationship_records(rows.id)
        for relationship, found in zip(rows.id.tolist(), records, strict=True):
            if found is not None:
                yield relationship, found[3]
