"""Filters go below what they do not depend on: projections that pass their columns through,
sorts, products and joins (to the side they read), unwinds, and expansions.

A filter never passes a SKIP or LIMIT, an operator that writes, or a DISTINCT or aggregation
(those could be passed by some filters, but seldom gain).
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Call, Variable
from cypherd.binder.traversal import substitute, variables, walk
from cypherd.functions.registry import find_functions
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.columns import columns, introduced
from cypherd.planner.logical.operators import Items, LogicalOperator
from cypherd.planner.logical.walk import transform

_PASSED = (
    ops.LogicalSort,
    ops.LogicalExpand,
    ops.LogicalExpandInto,
    ops.LogicalVarLengthExpand,
    ops.LogicalRepeat,
    ops.LogicalSelectPaths,
    ops.LogicalExtend,
    ops.LogicalUnwind,
)


def push_down_filters(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Every filter as far down as it can go."""

    def change(operator: LogicalOperator) -> LogicalOperator:
        if isinstance(operator, ops.LogicalFilter) and _is_deterministic(operator.predicate):
            return _pushed(operator.source, operator.predicate) or operator
        return operator

    return transform(plan, change)


def _is_deterministic(predicate: BoundExpression) -> bool:
    return all(
        function.deterministic
        for part in walk(predicate)
        if isinstance(part, Call)
        for function in find_functions(part.function)
    )


def _sunk(source: LogicalOperator, predicate: BoundExpression) -> LogicalOperator:
    """The predicate somewhere on or in `source`."""
    return _pushed(source, predicate) or ops.LogicalFilter(source=source, predicate=predicate)


def _pushed(source: LogicalOperator, predicate: BoundExpression) -> LogicalOperator | None:
    """`source` with the predicate inside it; None if it has to stay on top."""
    reads = variables(predicate)
    if isinstance(source, ops.LogicalProject):
        inside = _through(predicate, source.items)
        return None if inside is None else replace(source, source=_sunk(source.source, inside))
    if isinstance(source, ops.LogicalFilter):
        inner = _pushed(source.source, predicate)
        return None if inner is None else replace(source, source=inner)
    if isinstance(source, _PASSED) and not reads & introduced(source):
        return replace(source, source=_sunk(source.source, predicate))
    if isinstance(source, ops.LogicalCartesianProduct | ops.LogicalValueHashJoin):
        if reads <= columns(source.left):
            return replace(source, left=_sunk(source.left, predicate))
        if reads <= columns(source.right):
            return replace(source, right=_sunk(source.right, predicate))
    return None


def _through(predicate: BoundExpression, items: Items) -> BoundExpression | None:
    """The predicate over what a projection is made from, if it only reads passed columns."""
    passed: dict[str, BoundExpression] = {
        name: value for name, value in items if isinstance(value, Variable)
    }
    if not variables(predicate) <= passed.keys():
        return None
    return substitute(predicate, passed)
