"""Existence constraints and keys: which properties an entity must have, and which lack them.

A statement may create a node and give it its properties afterwards, so nothing is refused at a
single change. A transaction keeps the entities that owe a property, and is asked at the end of
each statement, and before it commits, that there is none:

    change of an entity --> owes a property? --> noted
                                       no   --> released, as is what is deleted
    end of statement    --> those noted are read again --> ConstraintValidationFailed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cypherd.batch.columns import EntityKind
from cypherd.errors import ConstraintValidationFailed
from cypherd.storage.lmdb.schema import LmdbSchema
from cypherd.storage.protocols import ConstraintDescriptor

Entity = tuple[EntityKind, int]


class RequiredValues:
    """Those that owe a property in one writing transaction. `schema` gives the present rules."""

    __slots__ = ("_schema", "owing")

    def __init__(self, schema: Callable[[], LmdbSchema]) -> None:
        self._schema = schema
        self.owing: set[Entity] = set()

    def change(
        self, kind: EntityKind, entity: int, owners: Iterable[int], values: Mapping[int, Any]
    ) -> None:
        """Take over what an entity has become; without owners, it is deleted."""
        rules = self._schema().requiring(kind)
        if not rules:
            return
        if lacking(rules, owners, values) is None:
            self.owing.discard((kind, entity))
        else:
            self.owing.add((kind, entity))


def lacking(
    rules: Mapping[int, tuple[ConstraintDescriptor, ...]],
    owners: Iterable[int],
    values: Mapping[int, Any],
) -> tuple[ConstraintDescriptor, int] | None:
    """The first rule (they are by label or type) that is not kept, and the property missing."""
    for owner in owners:
        for rule in rules.get(owner, ()):
            for key in rule.properties:
                if key not in values:
                    return rule, key
    return None


def require_values(
    schema: LmdbSchema,
    rule: ConstraintDescriptor,
    entities: Iterable[tuple[int, Mapping[int, Any]]],
) -> None:
    """Raises ConstraintValidationFailed for the first of the rule's entities that lacks a
    property."""
    for entity, values in entities:
        for key in rule.properties:
            if key not in values:
                raise violated(schema, rule, entity, key)


def violated(
    schema: LmdbSchema, rule: ConstraintDescriptor, entity: int, key: int
) -> ConstraintValidationFailed:
    """The error, in Neo4j's words."""
    if rule.entity == "node":
        owner = f"Node({entity}) with label `{schema.label_name(rule.owner)}`"
    else:
        owner = f"Relationship({entity}) with type `{schema.type_name(rule.owner)}`"
    return ConstraintValidationFailed(
        f"{owner} must have the property `{schema.property_name(key)}`"
    )
