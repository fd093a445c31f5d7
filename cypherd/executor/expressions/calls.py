"""Calls: functions and operators, column by column.

arguments --evaluate--> columns --typed kernel--> column
                            \\--else: row by row with the function's body--> column
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from cypherd.batch.columns import SINGLE_ROW, Batch, Column, ObjectColumn
from cypherd.binder.expressions import (
    BoundExpression,
    Call,
    Constant,
    ListOf,
    MapOf,
    Parameter,
)
from cypherd.errors import InternalError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.compiler import (
    CHUNK,
    Compiler,
    Evaluate,
    constant_column,
    located,
)
from cypherd.executor.expressions.kernels import typed_binary
from cypherd.executor.expressions.leaves import parameter_value
from cypherd.executor.expressions.logic import compile_coalesce
from cypherd.executor.graph_functions import GRAPH_FUNCTIONS
from cypherd.functions.registry import find_functions, find_operator
from cypherd.functions.signature import Function
from cypherd.values.lists import is_list

_TEXT_OPERATORS: dict[str, Callable[[str, str], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "starts with": str.startswith,
    "ends with": str.endswith,
    "contains": str.__contains__,
}
_TYPED_OPERATORS = frozenset(("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"))
_TEXT_OR_NULL = frozenset((str, type(None)))
_FEW_ITEMS = 8


def compile_call(expression: Call, compiler: Compiler) -> Evaluate:
    if expression.function == "coalesce":
        return compile_coalesce(expression, compiler)
    if expression.function in GRAPH_FUNCTIONS:
        return _compile_graph_function(expression, compiler)
    function = _function_of(expression)
    if compiler.typed and expression.function in (_TYPED_OPERATORS | _TEXT_OPERATORS.keys()):
        return _compile_operator(expression, function, compiler)
    if compiler.typed and expression.function == "in" and _is_constant(expression.arguments[1]):
        return _compile_membership(expression, function, compiler)
    return _compile_rows(expression, function, compiler)


def _function_of(expression: Call) -> Function:
    candidates = find_operator(expression.function) or find_functions(expression.function)
    for function in candidates:
        if function.accepts(len(expression.arguments)) and function.body is not None:
            return function
    raise InternalError(f"there is no function {expression.function}", offset=expression.at)


def _compile_graph_function(expression: Call, compiler: Compiler) -> Evaluate:
    body = GRAPH_FUNCTIONS[expression.function]
    arguments = [compiler.compile(argument) for argument in expression.arguments]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        with located(expression.at):
            columns = [argument(batch, context) for argument in arguments]
            column = body(columns, batch.length, context)
        return column if compiler.typed else ObjectColumn(column.to_list())

    return evaluate


def _compile_rows(expression: Call, function: Function, compiler: Compiler) -> Evaluate:
    """The general path."""
    arguments = [compiler.compile(argument) for argument in expression.arguments]
    return _by_rows(expression, function, arguments, compiler)


def _by_rows(
    expression: Call, function: Function, arguments: list[Evaluate], compiler: Compiler
) -> Evaluate:
    """The same where the arguments are compiled already: twice, at every level of a chain of
    calls, would be 2 ** levels."""

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        columns = [argument(batch, context).to_list() for argument in arguments]
        with located(expression.at):
            return ObjectColumn(_rows(function, columns, batch.length, context))

    return _once(evaluate) if compiler.typed and _is_fixed(expression) else evaluate


def _is_fixed(expression: BoundExpression) -> bool:
    """Whether it has the same value in all rows of a statement: date('2015-07-21')."""
    if isinstance(expression, Call):
        functions = find_functions(expression.function) or find_operator(expression.function)
        return (
            expression.function not in GRAPH_FUNCTIONS
            and all(function.deterministic for function in functions)
            and all(map(_is_fixed, expression.arguments))
        )
    if isinstance(expression, MapOf):
        return all(map(_is_fixed, expression.values))
    if isinstance(expression, ListOf):
        return all(map(_is_fixed, expression.items))
    return isinstance(expression, Constant | Parameter)


def _once(evaluate: Evaluate) -> Evaluate:
    """What no row changes is computed for one row and stands in all of them."""

    def evaluate_once(batch: Batch, context: ExecutionContext) -> Column:
        if batch.length < 2:
            return evaluate(batch, context)
        [value] = evaluate(SINGLE_ROW, context).to_list()
        return constant_column(value, batch.length, typed=True)

    return evaluate_once


def _rows(
    function: Function, columns: list[list[Any]], length: int, context: ExecutionContext
) -> list[Any]:
    """The function's body for every row; the guard is asked before every chunk of rows."""
    if function.body is None:
        raise InternalError(f"{function.name}() has no body for a row")
    body, chunk = function.body, CHUNK if function.bounded else CHUNK // 16
    if function.clock:
        body = partial(body, context.clocks())
    values: list[Any] = []
    for start in range(0, length, chunk):
        context.guard.check()
        end = min(start + chunk, length)
        part = [column[start:end] for column in columns]
        values.extend(_chunk(function, body, part, end - start))
    return values


def _chunk(
    function: Function, body: Callable[..., Any], columns: list[list[Any]], length: int
) -> Iterable[Any]:
    if not columns:
        return [body() for _ in range(length)]
    if function.null == "handle":
        return map(body, *columns)
    if len(columns) == 1:
        return [None if value is None else body(value) for value in columns[0]]
    if len(columns) == 2:
        pairs = zip(columns[0], columns[1], strict=True)
        return [None if a is None or b is None else body(a, b) for a, b in pairs]
    rows = zip(*columns, strict=True)
    return [None if any(value is None for value in row) else body(*row) for row in rows]


def _compile_operator(expression: Call, function: Function, compiler: Compiler) -> Evaluate:
    """A binary operator: by arrays, by Python's own operator on strings, or row by row."""
    name = expression.function
    left, right = (compiler.compile(argument) for argument in expression.arguments)
    by_arrays, on_text = name in _TYPED_OPERATORS, _TEXT_OPERATORS.get(name)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        a, b = left(batch, context), right(batch, context)
        if by_arrays:
            column = typed_binary(name, a, b)
            if column is not None:
                return column
        columns = [a.to_list(), b.to_list()]
        if on_text is not None and _only_text(columns):
            pairs = zip(*columns, strict=True)
            return ObjectColumn(
                [None if x is None or y is None else on_text(x, y) for x, y in pairs]
            )
        with located(expression.at):
            return ObjectColumn(_rows(function, columns, batch.length, context))

    return evaluate


def _only_text(columns: list[list[Any]]) -> bool:
    return all(_TEXT_OR_NULL.issuperset(map(type, column)) for column in columns)


def _is_constant(expression: BoundExpression) -> bool:
    return isinstance(expression, Constant | Parameter)


def _compile_membership(expression: Call, function: Function, compiler: Compiler) -> Evaluate:
    """`value IN list` for a list that is the same in all rows: hashed if it is long."""
    items = expression.arguments[1]
    operand, listed = (compiler.compile(argument) for argument in expression.arguments)
    general = _by_rows(expression, function, [operand, listed], compiler)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        lookup = _lookup(_constant_value(items, context))
        if lookup is None or batch.length < 2:
            return general(batch, context)
        return ObjectColumn([_held(v, lookup) for v in operand(batch, context).to_list()])

    return evaluate


def _constant_value(expression: BoundExpression, context: ExecutionContext) -> Any:
    if isinstance(expression, Parameter):
        return parameter_value(expression, context)
    return expression.value if isinstance(expression, Constant) else None


def _lookup(items: Any) -> frozenset[Any] | None:
    """A set for a list of strings and integers only, in which nothing can be null."""
    if not is_list(items) or isinstance(items, range) or len(items) < _FEW_ITEMS:
        return None
    return frozenset(items) if set(map(type, items)) <= {str, int} else None


def _held(value: Any, lookup: frozenset[Any]) -> bool | None:
    if value is None:
        return None
    return not isinstance(value, bool) and isinstance(value, str | int | float) and value in lookup
