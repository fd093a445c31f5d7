"""Writes and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators.base import LogicalOperator, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNode:
    """`names` give further labels, each a string or a list of strings."""

    variable: str
    labels: tuple[str, ...]
    properties: BoundExpression | None
    names: tuple[BoundExpression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRelationship:
    """start and end are node variables, bound or created before it in the same operator. `name`
    gives the type, a string or a list of one, where `type` is None."""

    variable: str
    start: str
    end: str
    type: str | None
    properties: BoundExpression | None
    name: BoundExpression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPropertyItem:
    """entity.key = value; null removes. A null entity is passed over."""

    entity: BoundExpression
    key: str
    value: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPropertiesItem:
    """The value is a map, or a node or relationship whose properties are copied."""

    variable: str
    value: BoundExpression
    replace: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLabelsItem:
    """`names` give further labels, each a string or a list of strings."""

    variable: str
    labels: tuple[str, ...]
    names: tuple[BoundExpression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveLabelsItem:
    variable: str
    labels: tuple[str, ...]
    names: tuple[BoundExpression, ...] = ()


SetItem: TypeAlias = SetPropertyItem | SetPropertiesItem | SetLabelsItem | RemoveLabelsItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalCreate(LogicalUnary):
    nodes: tuple[CreateNode, ...]
    relationships: tuple[CreateRelationship, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalMerge(LogicalUnary):
    """For each row in turn: the rows of `match` (an inner plan), or, if there is none, what
    `nodes` and `relationships` create; later rows see what earlier ones created. Null in a
    property of what is to be created: SemanticError, detail MergeReadOwnWrites."""

    match: LogicalOperator
    nodes: tuple[CreateNode, ...]
    relationships: tuple[CreateRelationship, ...]
    on_create: tuple[SetItem, ...]
    on_match: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSet(LogicalUnary):
    """SET and REMOVE; items in order, each row."""

    items: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalDelete(LogicalUnary):
    """Nodes, relationships and paths; others: CypherTypeError. Without `detach` a node that
    still has relationships when the statement ends is a ConstraintVerificationFailed: the
    check is made after all rows of this operator."""

    expressions: tuple[BoundExpression, ...]
    detach: bool
