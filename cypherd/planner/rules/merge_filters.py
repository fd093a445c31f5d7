"""Filters on top of each other become one on a conjunction, which is evaluated left to right."""

from __future__ import annotations

from cypherd.binder.expressions import And, BoundExpression
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform
from cypherd.values.types import CypherType


def merge_filters(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """One filter where several follow each other; the lower one's predicate first."""
    return transform(plan, _merge)


def _operands(predicate: BoundExpression) -> tuple[BoundExpression, ...]:
    return predicate.operands if isinstance(predicate, And) else (predicate,)


def _merge(operator: LogicalOperator) -> LogicalOperator:
    match operator:
        case ops.LogicalFilter(source=ops.LogicalFilter(source=source, predicate=first)):
            operands = (*_operands(first), *_operands(operator.predicate))
            both = And(operands, type=CypherType.BOOLEAN, at=operator.predicate.at)
            return ops.LogicalFilter(source=source, predicate=both)
    return operator
