"""What is known when a query is planned is computed then: literals in NOT, AND, OR, + - *.

An operation that would be an error (or might not fit 64 bits) is left for run time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    Constant,
    IsNull,
    ListOf,
    Not,
    Or,
)
from cypherd.binder.traversal import transform as transform_expression
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import map_expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform
from cypherd.values.types import CypherType as T

_INTEGERS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


def fold_constants(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Literal parts of all expressions; a filter that is true goes away."""

    def change(operator: LogicalOperator) -> LogicalOperator:
        operator = map_expressions(operator, lambda e: transform_expression(e, fold))
        if isinstance(operator, ops.LogicalFilter) and _is(operator.predicate, True):
            return operator.source
        return operator

    return transform(plan, change)


def _is(expression: BoundExpression, value: bool) -> bool:
    return isinstance(expression, Constant) and expression.value is value


def fold(expression: BoundExpression) -> BoundExpression:
    """One expression whose parts are folded already."""
    match expression:
        case Not(Constant(bool() as value)):
            return Constant(not value, type=T.BOOLEAN, at=expression.at)
        case And(operands):
            return _junction(expression, operands, True)
        case Or(operands):
            return _junction(expression, operands, False)
        case IsNull(Constant(value), negated):
            return Constant((value is None) != negated, type=T.BOOLEAN, at=expression.at)
        case ListOf(items) if items and all(isinstance(item, Constant) for item in items):
            values = [item.value for item in items if isinstance(item, Constant)]
            return Constant(values, type=T.LIST, at=expression.at)
        case Call(name, (Constant(left), Constant(right))) if name in _INTEGERS:
            return _integer(expression, _INTEGERS[name], left, right)
    return expression


def _junction(
    expression: And | Or, operands: tuple[BoundExpression, ...], neutral: bool
) -> BoundExpression:
    """AND without what is true, OR without what is false; one that decides ends the chain."""
    kept: list[BoundExpression] = []
    for operand in operands:
        if _is(operand, neutral):
            continue
        kept.append(operand)
        if _is(operand, not neutral):
            break
    if not kept or (len(kept) == 1 and isinstance(kept[0], Constant)):
        return kept[0] if kept else Constant(neutral, type=T.BOOLEAN, at=expression.at)
    if len(kept) == len(operands):
        return expression
    if len(kept) == 1 and kept[0].type is T.BOOLEAN:
        return kept[0]
    return replace(expression, operands=tuple(kept)) if len(kept) > 1 else expression


def _integer(
    expression: BoundExpression, compute: Callable[[int, int], int], left: object, right: object
) -> BoundExpression:
    if type(left) is not int or type(right) is not int:
        return expression
    value = compute(left, right)
    if not -(2**63) <= value < 2**63:
        return expression
    return Constant(value, type=T.INTEGER, at=expression.at)
