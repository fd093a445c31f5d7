"""ORDER BY with LIMIT keeps only the rows that can come out: Sort and Limit become Top.

    Limit(Sort(x))         Top(x, limit)
    Limit(Skip(Sort(x)))   Skip(Top(x, limit + skip))

Also with a projection in between, which changes neither rows nor order.
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Call, Constant
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform
from cypherd.values.types import CypherType

MAXIMUM = 2**63 - 1


def use_top_for_sorted_limit(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Every sort whose rows a limit cuts off."""
    return transform(plan, _use_top)


def _use_top(operator: LogicalOperator) -> LogicalOperator:
    if not isinstance(operator, ops.LogicalLimit):
        return operator
    if isinstance(operator.source, ops.LogicalSkip):
        skip = operator.source
        limit = _sum(operator.count, skip.count)
        top = None if limit is None else _topped(skip.source, limit)
        if top is None:
            return operator
        skipped = replace(skip, source=top)
        # A literal limit was checked by the binder; any other is checked by its own operator.
        literal = isinstance(operator.count, Constant)
        return skipped if literal else replace(operator, source=skipped)
    return _topped(operator.source, operator.count) or operator


def _topped(source: LogicalOperator, limit: BoundExpression) -> LogicalOperator | None:
    if isinstance(source, ops.LogicalSort):
        return ops.LogicalTop(source=source.source, keys=source.keys, limit=limit)
    if isinstance(source, ops.LogicalProject):
        below = _topped(source.source, limit)
        return None if below is None else replace(source, source=below)
    return None


def _sum(limit: BoundExpression, skip: BoundExpression) -> BoundExpression | None:
    """limit + skip; None where it might not be what the two operators would have done."""
    match limit, skip:
        case Constant(int() as first), Constant(int() as second):
            return replace(limit, value=min(first + second, MAXIMUM))
        case Constant(int() as first), _ if first < 2**31:
            return Call("+", (limit, skip), type=CypherType.INTEGER, at=limit.at)
    return None
