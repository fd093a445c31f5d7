"""Operators that walk parts of paths which have plans of their own."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators.base import LogicalOperator, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRepeat(LogicalUnary):
    """Paths from `start` that go `minimum` to `maximum` (None: open) times from `inner_start` to
    `inner_end` by the inner plan, no relationship twice. A null start gives no row.

    `walked` becomes the list of all relationships, and each of `columns` (column, variable of the
    inner plan) the list of what each time was found, in the order of the text: `reverse` turns
    them round (the pattern was walked from its end). `relationships`: those of the inner plan, in
    the order of the text. `into`: `end` is bound already."""

    inner: LogicalOperator
    start: str
    end: str
    inner_start: str
    inner_end: str
    relationships: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    walked: str
    minimum: int
    maximum: int | None
    into: bool
    reverse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalPathStep(LogicalUnary):
    """A step of the paths that SelectPaths looks for, behind those of its source. As of Repeat;
    with `single` the columns are values, for it is taken once. `reached`: the column of the node
    that it leads to. Without relationships it is a condition on the node it begins at."""

    inner: LogicalOperator
    inner_start: str
    inner_end: str
    relationships: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    minimum: int
    maximum: int | None
    single: bool
    reached: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSelectPaths(LogicalUnary):
    """Of the paths from `start` over the steps of the inner plan that fulfil the `predicates`,
    `count` of the shortest to each end, or (`groups`) all that are as long as one of these.
    `columns`: all that it adds, `end` and `walked` included. `into`: `end` is bound already.
    `reverse`: the steps are in the order of the walk, from the end of the path."""

    inner: LogicalOperator
    start: str
    end: str
    walked: str
    columns: tuple[str, ...]
    count: BoundExpression
    groups: bool
    predicates: tuple[BoundExpression, ...]
    into: bool
    reverse: bool = False
