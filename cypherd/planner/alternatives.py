"""A pattern with an OR over several of its nodes, as a union of patterns that can each be sought.

    MATCH (a:A)-->(b:B) WHERE a.x = 1 OR b.y = 2

       Union
         (a:A)-->(b:B) where a.x = 1
         (a:A)-->(b:B) where b.y = 2, and a.x = 1 is not true

Each row comes from one side only, so the bag of rows is the same. Only comparisons that an index
answers are taken apart: they cannot fail, so it does not matter how often they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Case, Constant, Or, Variable
from cypherd.binder.query import PatternGraph
from cypherd.binder.scopes import Names
from cypherd.planner.cardinality import estimate
from cypherd.planner.conditions import conditions
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalArgument, LogicalOperator
from cypherd.planner.logical.walk import walk
from cypherd.planner.state import State
from cypherd.values.types import CypherType as T

MOST = 4
"""Alternatives at most: each plans and walks the whole pattern."""
GAIN = 4.0
"""How many times less the union must cost, as estimates are rough."""

Plan = Callable[[State, PatternGraph], State]


def with_alternatives(
    state: State, graph: PatternGraph, plan: Plan, names: Names, context: PlanContext
) -> State:
    """`plan(state, graph)`, or a union of such plans where that costs much less."""
    whole = plan(state, graph)
    if not isinstance(state.plan, LogicalArgument) or graph.shortest:
        return whole
    split = next(_splits(graph, state.columns, context), None)
    if split is None:
        return whole
    united = _united(state, graph, split, plan, names)
    if _cost(united.plan, context) * GAIN < _cost(whole.plan, context):
        return united
    return whole


def _splits(graph: PatternGraph, bound: frozenset[str], context: PlanContext) -> Iterator[Or]:
    """Predicates whose alternatives can all be sought, though not by one node."""
    free = {node.variable: node.labels for node in graph.nodes if node.variable not in bound}
    for predicate in graph.predicates:
        if not isinstance(predicate, Or) or len(predicate.operands) > MOST:
            continue
        sought = [_sought(operand, free, bound, context) for operand in predicate.operands]
        if all(sought) and not frozenset.intersection(*sought):
            yield predicate


def _sought(
    operand: BoundExpression,
    free: dict[str, tuple[str, ...]],
    bound: frozenset[str],
    context: PlanContext,
) -> frozenset[str]:
    """The nodes for which an index answers the comparison."""
    return frozenset(
        variable
        for variable, labels in free.items()
        for condition in conditions(variable, (operand,), bound)
        if condition.exact and condition.key is not None and condition.operator in ("=", "in")
        for label in labels
        for index in context.node_indexes(label)
        if context.keys(index) == (condition.key,)
    )


def _united(state: State, graph: PatternGraph, split: Or, plan: Plan, names: Names) -> State:
    others = tuple(p for p in graph.predicates if p is not split)
    sides = [
        plan(state, replace(graph, predicates=(*others, *_only(split.operands[: i + 1]))))
        for i in range(len(split.operands))
    ]
    columns = frozenset.intersection(*(side.columns for side in sides))
    kept = tuple(
        (name, Variable(name, type=names.types.get(name, T.ANY))) for name in sorted(columns)
    )
    united, *rest = [ops.LogicalProject(source=side.plan, items=kept) for side in sides]
    result: LogicalOperator = united
    for side in rest:
        result = ops.LogicalUnion(left=result, right=side)
    labels = {
        name: found
        for name, found in sides[0].labels.items()
        if all(side.labels.get(name) == found for side in sides)
    }
    rows = sum(side.rows for side in sides)
    return replace(state, plan=result, columns=columns, labels=labels, rows=rows)


def _only(alternatives: Sequence[BoundExpression]) -> Iterator[BoundExpression]:
    """The last of them holds, and none before it does."""
    *before, last = alternatives
    yield last
    true, false = (Constant(value, type=T.BOOLEAN) for value in (True, False))
    for other in before:
        # Neither false nor null will do for NOT, and it must be asked once only.
        yield Case(None, (other,), (false,), true, type=T.BOOLEAN)


def _cost(plan: LogicalOperator, context: PlanContext) -> float:
    """The rows of all operators."""
    return sum(max(operator.estimated_rows, 0.0) for operator in walk(estimate(plan, context)))
