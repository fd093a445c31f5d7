"""A filter on `a AND b` becomes a filter on a and then one on b, which can move apart."""

from __future__ import annotations

from cypherd.binder.expressions import And
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform


def split_conjunctions(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Every conjunction in a filter as filters on top of each other, in order."""
    return transform(plan, _split)


def _split(operator: LogicalOperator) -> LogicalOperator:
    if not isinstance(operator, ops.LogicalFilter) or not isinstance(operator.predicate, And):
        return operator
    source = operator.source
    for operand in operator.predicate.operands:
        source = ops.LogicalFilter(source=source, predicate=operand)
    return source
