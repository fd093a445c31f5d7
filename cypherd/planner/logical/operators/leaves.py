"""Leaves, scans and seeks."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators.base import LogicalOperator, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalArgument(LogicalOperator):
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalAllNodesScan(LogicalUnary):
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeByLabelScan(LogicalUnary):
    variable: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnionNodeByLabelsScan(LogicalUnary):
    """Every node that has one of the labels, once."""

    variable: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeByIdSeek(LogicalUnary):
    """`ids` gives an integer or a list of them. `strict`: EntityNotFound if one is not there
    (START); otherwise it gives no row (WHERE id(n) = ...)."""

    variable: str
    ids: BoundExpression
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexSeek(LogicalUnary):
    """Equality on all properties of an index. With `many` (single property only) the value is
    a list and each different element of it is sought."""

    variable: str
    label: str
    properties: tuple[str, ...]
    values: tuple[BoundExpression, ...]
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexRangeSeek(LogicalUnary):
    variable: str
    label: str
    property: str
    low: BoundExpression | None
    low_inclusive: bool
    high: BoundExpression | None
    high_inclusive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexPrefixSeek(LogicalUnary):
    variable: str
    label: str
    property: str
    prefix: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipScan(LogicalUnary):
    """Every relationship of the types (empty: all); undirected gives each twice, a self-loop
    once."""

    relationship: str
    start: str
    end: str
    types: tuple[str, ...]
    directed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipByIdSeek(LogicalUnary):
    relationship: str
    start: str
    end: str
    ids: BoundExpression
    directed: bool
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipIndexSeek(LogicalUnary):
    """As NodeIndexSeek, `many` included."""

    relationship: str
    start: str
    end: str
    type: str
    properties: tuple[str, ...]
    values: tuple[BoundExpression, ...]
    directed: bool
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeCount(LogicalUnary):
    """NodeCountFromCountStore: one row with the number of nodes (with the label)."""

    variable: str
    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipCount(LogicalUnary):
    """RelationshipCountFromCountStore: one row, the sum over the types (empty: all)."""

    variable: str
    types: tuple[str, ...]
    start_label: str | None
    end_label: str | None
