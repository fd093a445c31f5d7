"""Operators that filter, make, order and count rows."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import Aggregate, BoundExpression
from cypherd.planner.logical.operators.base import Items, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalFilter(LogicalUnary):
    predicate: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProject(LogicalUnary):
    """Exactly the items come out, under their names; all else ends here."""

    items: Items


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExtend(LogicalUnary):
    """The items are added to the columns that are there."""

    items: Items


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalReimport(LogicalUnary):
    """Adds columns of the one row that an inner plan is run for, which an aggregation has left
    out."""

    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnwind(LogicalUnary):
    """null gives no row; a value that is no list gives itself."""

    expression: BoundExpression
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLoadCsv(LogicalUnary):
    """For every row of the source the rows of a CSV file: `variable` is a list of texts, or with
    `headers` a map; `line` and `file` say where it is from."""

    url: BoundExpression
    variable: str
    headers: bool
    terminator: str
    line: str
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProcedureCall(LogicalUnary):
    """For every row the rows of the procedure, each with the row's columns. `results`: (place
    among the procedure's results, variable); without any the row itself passes, once."""

    procedure: str
    arguments: tuple[BoundExpression, ...]
    results: tuple[tuple[int, str], ...]
    reads: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalDistinct(LogicalUnary):
    """Distinct over all `variables`, which are exactly the columns that come out."""

    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEagerAggregation(LogicalUnary):
    """One row a group; without keys exactly one row, also for no input. Keys and aggregates
    are exactly the columns that come out."""

    keys: Items
    aggregates: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSort(LogicalUnary):
    """keys: (expression, ascending). Stable; orderability as openCypher defines it."""

    keys: tuple[tuple[BoundExpression, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalTop(LogicalUnary):
    """The first `limit` rows of the sort, never holding more (skip is inside the limit and
    cut off by a Skip above)."""

    keys: tuple[tuple[BoundExpression, bool], ...]
    limit: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSkip(LogicalUnary):
    count: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLimit(LogicalUnary):
    """Over a source that writes, the source is run to its end all the same."""

    count: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEager(LogicalUnary):
    """Takes every row of the source before it gives the first."""

    reason: str
