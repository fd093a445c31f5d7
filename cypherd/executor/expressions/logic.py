"""AND, OR, XOR, NOT, IS NULL, CASE and coalesce.

AND, OR, CASE and coalesce evaluate an operand only for the rows that are still open: a later
operand may be an error where an earlier one decides (`x <> 0 AND 1 / x > 2`).

    open rows --operand--> decided rows leave --next operand--> ... --> one column
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cypherd.batch.columns import (
    Batch,
    BoolArray,
    Column,
    IdColumn,
    IntArray,
    ObjectColumn,
    TypedColumn,
)
from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    Case,
    IsNull,
    IsTyped,
    Not,
    Or,
    Xor,
)
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.compiler import Compiler, Evaluate, Operand, all_rows, located
from cypherd.executor.expressions.truth import Truth, truth_of
from cypherd.values.equality import equals


def compile_and(expression: And, compiler: Compiler) -> Evaluate:
    decide = _junction(expression, compiler, "AND", decisive=False)
    return lambda batch, context: decide(batch, context).column(compiler.typed)


def compile_or(expression: Or, compiler: Compiler) -> Evaluate:
    decide = _junction(expression, compiler, "OR", decisive=True)
    return lambda batch, context: decide(batch, context).column(compiler.typed)


def _junction(
    expression: And | Or, compiler: Compiler, operator: str, decisive: bool
) -> Callable[[Batch, ExecutionContext], Truth]:
    """A row is decided by the first operand that is `decisive`; it is null if none is but one
    is null."""
    operands = [compiler.operand(operand) for operand in expression.operands]

    def evaluate(batch: Batch, context: ExecutionContext) -> Truth:
        decided = np.zeros(batch.length, dtype=np.bool_)
        unknown = np.zeros(batch.length, dtype=np.bool_)
        rows = all_rows(batch.length)
        for operand in operands:
            if not len(rows):
                break
            with located(expression.at):
                truth = truth_of(operand.at(batch, rows, context), operator)
            deciding = truth.true if decisive else truth.false
            decided[rows] = deciding
            unknown[rows] |= ~(truth.true | truth.false)
            rows = rows[~deciding]
        other = ~decided & ~unknown
        return Truth(decided, other) if decisive else Truth(other, decided)

    return evaluate


def compile_xor(expression: Xor, compiler: Compiler) -> Evaluate:
    left, right = compiler.compile(expression.left), compiler.compile(expression.right)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at):
            a = truth_of(left(batch, context), "XOR")
            b = truth_of(right(batch, context), "XOR")
        true = (a.true & b.false) | (a.false & b.true)
        false = (a.true & b.true) | (a.false & b.false)
        return Truth(true, false).column(compiler.typed)

    return evaluate


def compile_not(expression: Not, compiler: Compiler) -> Evaluate:
    operand = compiler.compile(expression.operand)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at):
            truth = truth_of(operand(batch, context), "NOT")
        return Truth(truth.false, truth.true).column(compiler.typed)

    return evaluate


def null_mask(column: Column) -> BoolArray:
    """True where the column is null."""
    if isinstance(column, IdColumn):
        return column.ids < 0
    if isinstance(column, TypedColumn):
        return np.zeros(len(column), dtype=np.bool_) if column.valid is None else ~column.valid
    return np.fromiter((value is None for value in column.to_list()), np.bool_, len(column))


def compile_is_null(expression: IsNull, compiler: Compiler) -> Evaluate:
    operand = compiler.compile(expression.operand)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        null = null_mask(operand(batch, context))
        answer = ~null if expression.negated else null
        return Truth(answer, ~answer).column(compiler.typed)

    return evaluate


def compile_is_typed(expression: IsTyped, compiler: Compiler) -> Evaluate:
    operand, wanted, negated = (
        compiler.compile(expression.operand),
        expression.wanted,
        expression.negated,
    )

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        values = operand(batch, context).to_list()
        true = np.fromiter((wanted.holds(v) is not negated for v in values), np.bool_, len(values))
        return Truth(true, ~true).column(compiler.typed)

    return evaluate


def compile_case(expression: Case, compiler: Compiler) -> Evaluate:
    conditions = [compiler.operand(condition) for condition in expression.conditions]
    results = [compiler.operand(result) for result in expression.results]
    default = None if expression.default is None else compiler.operand(expression.default)
    subject = None if expression.subject is None else compiler.compile(expression.subject)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        subjects = None if subject is None else subject(batch, context).to_list()
        values: list[Any] = [None] * batch.length
        rows = all_rows(batch.length)
        for condition, result in zip(conditions, results, strict=True):
            if not len(rows):
                break
            with located(expression.at):
                chosen = _chosen(condition.at(batch, rows, context), subjects, rows)
            _scatter(values, rows[chosen], result, batch, context)
            rows = rows[~chosen]
        if default is not None:
            _scatter(values, rows, default, batch, context)
        return ObjectColumn(values)

    return evaluate


def _chosen(condition: Column, subjects: list[Any] | None, rows: IntArray) -> BoolArray:
    if subjects is None:
        return truth_of(condition, "CASE WHEN").true
    pairs = zip(rows.tolist(), condition.to_list(), strict=True)
    return np.fromiter((_is_case(subjects[row], v) for row, v in pairs), np.bool_, len(rows))


def _is_case(subject: Any, value: Any) -> bool:
    # In the simple form null matches null.
    return value is None if subject is None else equals(subject, value) is True


def _scatter(
    values: list[Any], rows: IntArray, source: Operand, batch: Batch, context: ExecutionContext
) -> None:
    if not len(rows):
        return
    for row, value in zip(
        rows.tolist(), source.at(batch, rows, context).to_list(), strict=True
    ):  # fmt: skip
        values[row] = value


def compile_coalesce(expression: Call, compiler: Compiler) -> Evaluate:
    operands = [compiler.operand(argument) for argument in expression.arguments]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        first = operands[0].evaluate(batch, context)
        rows = np.flatnonzero(null_mask(first))
        if not len(rows):
            return first
        values = list(first.to_list())
        for operand in operands[1:]:
            if not len(rows):
                break
            column = operand.at(batch, rows, context)
            for row, value in zip(rows.tolist(), column.to_list(), strict=True):
                values[row] = value
            rows = rows[null_mask(column)]
        return ObjectColumn(values)

    return evaluate


def compile_predicate_of(
    expression: BoundExpression, compiler: Compiler
) -> Callable[[Batch, ExecutionContext], IntArray]:
    """The ascending numbers of the rows for which the expression is true."""
    if isinstance(expression, And):
        return _conjunction_rows(expression, compiler)
    operand = compiler.compile(expression)

    def rows_of(batch: Batch, context: ExecutionContext) -> IntArray:
        with located(expression.at):
            truth = truth_of(operand(batch, context), "WHERE")
        return np.flatnonzero(truth.true)

    return rows_of


def _conjunction_rows(
    expression: And, compiler: Compiler
) -> Callable[[Batch, ExecutionContext], IntArray]:
    operands = [compiler.operand(operand) for operand in expression.operands]

    def rows_of(batch: Batch, context: ExecutionContext) -> IntArray:
        rows = all_rows(batch.length)
        for operand in operands:
            if not len(rows):
                break
            with located(expression.at):
                truth = truth_of(operand.at(batch, rows, context), "AND")
            rows = rows[truth.true]
        return rows

    return rows_of
