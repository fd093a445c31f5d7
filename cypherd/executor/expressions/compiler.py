"""What the compilers of the kinds of expression share.

    BoundExpression --compile once per plan--> Evaluate: (Batch, ExecutionContext) -> Column

The column has one value for every row of the batch. With `typed` False everything runs on lists
of Cypher values: the reference that the typed paths are tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from cypherd.batch.columns import Batch, Column, IntArray, ObjectColumn, TypedColumn
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.traversal import variables
from cypherd.errors import InternalError, StatementError
from cypherd.executor.context import ExecutionContext
from cypherd.values.arithmetic import MAX_INTEGER, MIN_INTEGER

Evaluate: TypeAlias = Callable[[Batch, ExecutionContext], Column]
CompileKind: TypeAlias = Callable[[Any, "Compiler"], Evaluate]

CHUNK = 1024
"""Rows or elements between two checks of the guard in row loops."""

PATH_CHUNK = 64
"""Paths between two checks: each may have tens of elements."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compiles an expression by its class; handed to every compiler for its operands."""

    kinds: Mapping[type, CompileKind]
    typed: bool

    def compile(self, expression: BoundExpression) -> Evaluate:
        compile_kind = self.kinds.get(type(expression))
        if compile_kind is None:
            raise InternalError(f"{type(expression).__name__} cannot be evaluated in a row")
        return compile_kind(expression, self)

    def operand(self, expression: BoundExpression) -> Operand:
        return Operand(self.compile(expression), tuple(sorted(variables(expression))))


@dataclass(frozen=True, slots=True)
class Operand:
    """A compiled expression that can be evaluated for some rows of a batch only."""

    evaluate: Evaluate
    variables: tuple[str, ...] = field(default=())

    def at(self, batch: Batch, rows: IntArray, context: ExecutionContext) -> Column:
        """Its values at `rows` (ascending), taking only the columns that it reads."""
        if len(rows) == batch.length:
            return self.evaluate(batch, context)
        return self.evaluate(narrowed(batch, rows, self.variables), context)


def narrowed(batch: Batch, rows: IntArray, names: tuple[str, ...]) -> Batch:
    """`batch.take(rows)` with only those of the columns `names` that it has."""
    columns = batch.columns
    return Batch(len(rows), {name: columns[name].take(rows) for name in names if name in columns})


def all_rows(length: int) -> IntArray:
    return np.arange(length, dtype=np.int64)


def constant_column(value: Any, length: int, typed: bool) -> Column:
    """A column of `length` times the same value; an array for numbers and booleans."""
    if typed and isinstance(value, bool | int | float) and MIN_INTEGER <= value <= MAX_INTEGER:
        return TypedColumn(np.full(length, value))
    return ObjectColumn([value] * length)


@contextmanager
def located(at: int) -> Iterator[None]:
    """Give errors of the statement raised inside the offset `at`, if they have none yet."""
    try:
        yield
    except StatementError as error:
        if error.offset is None and at >= 0:
            error.offset = at
        raise
