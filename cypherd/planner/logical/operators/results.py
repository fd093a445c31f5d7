"""The root of a plan, and commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators.base import LogicalOperator, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProduceResults(LogicalUnary):
    """columns: (column name, variable). Entities become Node, Relationship and Path."""

    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEmptyResult(LogicalUnary):
    """Runs the source to its end and gives no row: a write without RETURN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSchemaCommand(LogicalOperator):
    """command: "create index", "drop index", "create constraint", "drop constraint";
    arguments as the AST node has them."""

    command: str
    arguments: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalShow(LogicalOperator):
    """See BoundShow."""

    what: str
    kinds: tuple[str | bool, ...] | None
    columns: tuple[tuple[str, str], ...]
    ids: tuple[BoundExpression, ...] = ()
