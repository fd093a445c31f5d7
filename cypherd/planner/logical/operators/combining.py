"""Operators with a second plan: an inner one, or a second source."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import BoundExpression
from cypherd.parser.ast import OnError
from cypherd.planner.logical.operators.base import LogicalOperator, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalApply(LogicalUnary):
    """For every row of the source the rows of `inner`, of which `variables` are added to it. With
    no variables inner is run for what it writes, and the row passes by it. Rows stay in the order
    of the source."""

    inner: LogicalOperator
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalTransactionApply(LogicalUnary):
    """`inner` for every so many `rows` of the source, with a commit behind them. Its Argument
    gives them whole, and what comes out are all columns: theirs, and `variables`. Where an error
    is let pass (`on_error`), what inner did for these rows is undone, and they come with nulls.
    Adds `status`, a map, if it is named."""

    inner: LogicalOperator
    variables: tuple[str, ...]
    rows: BoundExpression
    on_error: OnError
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalOptional(LogicalUnary):
    """As Apply, but a row for which inner gives nothing comes once, `variables` null."""

    inner: LogicalOperator
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSemiApply(LogicalUnary):
    """The rows for which inner gives at least one row (`negated`: none)."""

    inner: LogicalOperator
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLetSemiApply(LogicalUnary):
    """Adds `variable`: true if inner gives at least one row, else false."""

    inner: LogicalOperator
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRollUpApply(LogicalUnary):
    """Adds `variable`: the list of `value` over inner's rows for this row."""

    inner: LogicalOperator
    value: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalFold(LogicalUnary):
    """Adds `variable`: what is left when `inner`, for one element of the list `expression` after
    the other, has put it together with what came before it: its column `value` for its Argument's
    `element` and `accumulator`, which begins as `initial`. null for a list that is null."""

    inner: LogicalOperator
    accumulator: str
    initial: BoundExpression
    element: str
    expression: BoundExpression
    value: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalForeach(LogicalUnary):
    """For every row and every element of the list runs `inner` for its writes; the rows pass
    through unchanged. Inner's Argument gives the row with `variable` added."""

    variable: str
    expression: BoundExpression
    inner: LogicalOperator


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalBinary(LogicalOperator):
    left: LogicalOperator
    right: LogicalOperator


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnion(LogicalBinary):
    """UNION ALL; both sides give the same columns. A Distinct above makes it UNION."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalCartesianProduct(LogicalBinary):
    """The right side is run once and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeHashJoin(LogicalBinary):
    """On node variables bound on both sides; the left side is kept. The right side is run for the
    different values of the left columns `imports`, its argument, and joined on these too."""

    variables: tuple[str, ...]
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalValueHashJoin(LogicalBinary):
    """left_key = right_key with Cypher's equality; nulls join nothing; the left is kept."""

    left_key: BoundExpression
    right_key: BoundExpression
