"""Evaluates the text of an expression, by the parser and the binder, without a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from cypherd.batch.columns import SINGLE_ROW, Batch, Column
from cypherd.binder.binder import bind_statement
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.query import BoundProjection
from cypherd.executor.context import ExecutionContext, Guard, Unguarded
from cypherd.executor.evaluator import compile_expression
from cypherd.parser import ast
from cypherd.parser.parser import parse
from cypherd.storage.protocols import ReadTransaction


def bound_expression(text: str) -> BoundExpression:
    query = parse(f"RETURN {text} AS result").body
    assert isinstance(query, ast.Query)
    projection = bind_statement(query).query.parts[0].clauses[-1]
    assert isinstance(projection, BoundProjection)
    return projection.items[0][1]


def context_without_store(
    parameters: Mapping[str, Any] | None = None, guard: Guard | None = None
) -> ExecutionContext:
    """For expressions that ask storage nothing: there is no transaction to ask."""
    nothing = cast(ReadTransaction, None)
    return ExecutionContext(nothing, parameters or {}, guard or Unguarded(), clock=1_234.5)


def evaluate(
    expression: BoundExpression,
    batch: Batch = SINGLE_ROW,
    parameters: Mapping[str, Any] | None = None,
    *,
    typed: bool = True,
) -> Column:
    return compile_expression(expression, typed)(batch, context_without_store(parameters))


def value_of(text: str, parameters: Mapping[str, Any] | None = None, *, typed: bool = True) -> Any:
    """What `RETURN text` would give."""
    return evaluate(bound_expression(text), parameters=parameters, typed=typed).to_list()[0]
