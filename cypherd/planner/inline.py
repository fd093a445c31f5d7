"""May a plan start in the event loop? Only if every step is bounded, so that the guard is asked
often enough. The guard's budget decides at run time; here stands what no guard could stop."""

from __future__ import annotations

from collections.abc import Iterator

from cypherd.binder.expressions import (
    Aggregate,
    BoundExpression,
    Call,
    Constant,
    ListOf,
    Reduce,
)
from cypherd.binder.traversal import walk as walk_expression
from cypherd.functions.registry import find_functions
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import walk

SCAN_LIMIT = 1000
"""Nodes that a scan may give, and elements that a literal list may have."""

_BOUNDED = (
    ops.LogicalArgument,
    ops.LogicalNodeByIdSeek,
    ops.LogicalNodeIndexSeek,
    ops.LogicalExpand,
    ops.LogicalExpandInto,
    ops.LogicalOptional,
    ops.LogicalApply,
    ops.LogicalReimport,
    ops.LogicalSemiApply,
    ops.LogicalLetSemiApply,
    ops.LogicalFilter,
    ops.LogicalProject,
    ops.LogicalExtend,
    ops.LogicalTop,
    ops.LogicalSort,
    ops.LogicalLimit,
    ops.LogicalSkip,
    ops.LogicalDistinct,
    ops.LogicalEagerAggregation,
    ops.LogicalNodeCount,
    ops.LogicalRelationshipCount,
    ops.LogicalProduceResults,
)
_UNBOUNDED_CALLS = frozenset({"range", "=~"})
_OPERATORS = frozenset(
    {
        *("+", "-", "*", "/", "%", "^", "negate", "plus", "=", "<>", "<", "<=", ">", ">="),
        *("in", "starts with", "ends with", "contains", "||", "subscript", "slice"),
        *("is normalized", "entity id"),
    }
)


_SCANS = (
    ops.LogicalNodeByLabelScan,
    ops.LogicalUnionNodeByLabelsScan,
    ops.LogicalAllNodesScan,
)


def may_run_inline(root: LogicalOperator, context: PlanContext) -> bool:
    """Is every operator, and every expression in it, bounded?"""
    scans = 0
    for operator in walk(root):
        if not _operator_is_bounded(operator, context):
            return False
        scans += isinstance(operator, _SCANS)
    return scans <= 1


def _operator_is_bounded(operator: LogicalOperator, context: PlanContext) -> bool:
    if not all(map(_is_bounded, _parts(operator))):
        return False
    if isinstance(operator, ops.LogicalNodeByLabelScan):
        return context.nodes(operator.label) <= SCAN_LIMIT
    if isinstance(operator, ops.LogicalUnionNodeByLabelsScan):
        return sum(map(context.nodes, operator.labels)) <= SCAN_LIMIT
    if isinstance(operator, ops.LogicalAllNodesScan):
        return context.nodes() <= SCAN_LIMIT
    if isinstance(operator, ops.LogicalUnwind):
        listed = operator.expression
        if isinstance(listed, Constant):
            return not isinstance(listed.value, list | tuple) or len(listed.value) <= SCAN_LIMIT
        return isinstance(listed, ListOf) and len(listed.items) <= SCAN_LIMIT
    return isinstance(operator, _BOUNDED)


def _parts(operator: LogicalOperator) -> Iterator[BoundExpression]:
    for expression in expressions(operator):
        yield from walk_expression(expression)


def _is_bounded(part: BoundExpression) -> bool:
    if isinstance(part, Call):
        if part.function in _UNBOUNDED_CALLS:
            return False
        if part.function in _OPERATORS:
            return True
        functions = find_functions(part.function)
        return bool(functions) and all(function.bounded for function in functions)
    if isinstance(part, Reduce):
        # `s + s` in each step doubles it.
        return False
    return (
        not isinstance(part, Aggregate)
        or part.function == "count(*)"
        or all(function.bounded for function in find_functions(part.function))
    )
