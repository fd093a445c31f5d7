"""List comprehensions, quantifiers and reduce.

    rows with lists --explode--> (row, element) in chunks --inner expression--> back to rows

An inner batch has the element variable and those columns of the outer batch that the inner
expressions read. Chunks bound the memory and let the guard run; a long range is never unfolded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, Column, IntArray, ObjectColumn
from cypherd.binder.expressions import ListComprehension, Quantifier, Reduce
from cypherd.executor.context import ExecutionContext, Guard
from cypherd.executor.expressions.compiler import (
    CHUNK,
    Compiler,
    Evaluate,
    Operand,
    located,
    narrowed,
)
from cypherd.executor.expressions.truth import truth_of
from cypherd.values.description import wrong_type
from cypherd.values.lists import is_list

_ELEMENT_BYTES = 56


@contextmanager
def _held(guard: Guard) -> Iterator[Callable[[int], None]]:
    """Gives a function that accounts for list elements; all are released at the end."""
    held = 0

    def hold(elements: int) -> None:
        nonlocal held
        held += elements * _ELEMENT_BYTES
        guard.hold(elements * _ELEMENT_BYTES)

    try:
        yield hold
    finally:
        guard.release(held)


def _lists(column: Column, what: str) -> list[Any]:
    """The lists of a column, or null. Raises CypherTypeError for any other value."""
    values = column.to_list()
    for value in values:
        if value is not None and not is_list(value):
            raise wrong_type(what, "a list", value)
    return values


def _exploded(
    lists: list[Any], finished: Callable[[int], bool]
) -> Iterator[tuple[IntArray, list[Any]]]:
    """(row of each element, elements) in chunks; what is left of a row once it is `finished` is
    passed over."""
    rows: list[int] = []
    elements: list[Any] = []
    for row, values in enumerate(lists):
        start, length = 0, 0 if values is None else len(values)
        while start < length and not finished(row):
            part = values[start : start + CHUNK - len(elements)]
            rows.extend([row] * len(part))
            elements.extend(part)
            start += len(part)
            if len(elements) >= CHUNK:
                yield np.array(rows, dtype=np.int64), elements
                rows, elements = [], []
    if elements:
        yield np.array(rows, dtype=np.int64), elements


def _never(row: int) -> bool:
    return False


def _inner(
    batch: Batch, rows: IntArray, names: tuple[str, ...], variable: str, elements: list[Any]
) -> Batch:
    return narrowed(batch, rows, names).with_columns({variable: ObjectColumn(elements)})


def compile_list_comprehension(expression: ListComprehension, compiler: Compiler) -> Evaluate:
    source = compiler.compile(expression.source)
    where = None if expression.where is None else compiler.operand(expression.where)
    projection = None if expression.projection is None else compiler.operand(expression.projection)
    operands = [operand for operand in (where, projection) if operand is not None]
    names = tuple({name for operand in operands for name in operand.variables})
    variable = expression.variable

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at), _held(context.guard) as hold:
            lists = _lists(source(batch, context), "a list comprehension")
            results: list[Any] = [None if values is None else [] for values in lists]
            for rows, elements in _exploded(lists, _never):
                context.guard.check()
                inner = _inner(batch, rows, names, variable, elements)
                if where is not None:
                    inner, rows = _filtered(inner, rows, where, context)
                values = _projected(inner, projection, variable, context)
                hold(len(values))
                for row, value in zip(rows.tolist(), values, strict=True):
                    results[row].append(value)
        return ObjectColumn(results)

    return evaluate


def _filtered(
    inner: Batch, rows: IntArray, where: Operand, context: ExecutionContext
) -> tuple[Batch, IntArray]:
    kept = np.flatnonzero(truth_of(where.evaluate(inner, context), "WHERE").true)
    return inner.take(kept), rows[kept]


def _projected(
    inner: Batch, projection: Operand | None, variable: str, context: ExecutionContext
) -> list[Any]:
    if projection is None:
        return inner.columns[variable].to_list()
    return projection.evaluate(inner, context).to_list()


def compile_quantifier(expression: Quantifier, compiler: Compiler) -> Evaluate:
    source = compiler.compile(expression.source)
    where, variable, kind = compiler.operand(expression.where), expression.variable, expression.kind

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at):
            lists = _lists(source(batch, context), f"{kind}()")
            tally = _Tally(kind, batch.length)
            for rows, elements in _exploded(lists, tally.decided):
                context.guard.check()
                inner = _inner(batch, rows, where.variables, variable, elements)
                truth = truth_of(where.evaluate(inner, context), f"{kind}()")
                tally.add(rows, truth.true, truth.false)
        answers = (tally.answer(row) for row in range(batch.length))
        return ObjectColumn(
            [
                None if values is None else answer
                for values, answer in zip(lists, answers, strict=True)
            ]
        )

    return evaluate


class _Tally:
    """How often a quantifier's predicate was true, false and null for each row."""

    __slots__ = ("false", "kind", "null", "true")

    def __init__(self, kind: str, length: int) -> None:
        self.kind = kind
        self.true = np.zeros(length, dtype=np.int64)
        self.false = np.zeros(length, dtype=np.int64)
        self.null = np.zeros(length, dtype=np.int64)

    def add(self, rows: IntArray, true: Any, false: Any) -> None:
        np.add.at(self.true, rows[true], 1)
        np.add.at(self.false, rows[false], 1)
        np.add.at(self.null, rows[~(true | false)], 1)

    def decided(self, row: int) -> bool:
        """Whether no further element can change the answer."""
        if self.kind == "all":
            return bool(self.false[row] > 0)
        return bool(self.true[row] > (1 if self.kind == "single" else 0))

    def answer(self, row: int) -> bool | None:
        """Ternary: null where elements of unknown truth could turn the answer."""
        if self.decided(row):
            return self.kind == "any"
        if self.null[row]:
            return None
        if self.kind == "single":
            return bool(self.true[row] == 1)
        return self.kind != "any"


def compile_reduce(expression: Reduce, compiler: Compiler) -> Evaluate:
    """All rows step by step: element 0 of every list, then element 1 ..."""
    source, initial = compiler.compile(expression.source), compiler.compile(expression.initial)
    step = compiler.operand(expression.expression)
    variable, accumulator = expression.variable, expression.accumulator

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at):
            lists = _lists(source(batch, context), "reduce()")
            values = list(initial(batch, context).to_list())
            lengths = np.array([-1 if v is None else len(v) for v in lists], dtype=np.int64)
            for position in range(int(lengths.max(initial=0))):
                context.guard.check()
                rows = np.flatnonzero(lengths > position)
                wanted = rows.tolist()
                elements = [lists[row][position] for row in wanted]
                reached = ObjectColumn([values[row] for row in wanted])
                inner = _inner(batch, rows, step.variables, variable, elements)
                inner = inner.with_columns({accumulator: reached})
                found = step.evaluate(inner, context).to_list()
                for row, value in zip(wanted, found, strict=True):
                    values[row] = value
        return ObjectColumn(
            [None if items is None else v for items, v in zip(lists, values, strict=True)]
        )

    return evaluate
