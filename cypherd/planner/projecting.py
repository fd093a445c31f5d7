"""WITH and RETURN as operators.

aggregation   EagerAggregation, then a Project for what is computed from aggregates
DISTINCT      Project, Distinct
ORDER BY ...  on the new columns; where it reads older ones, the new columns are added
              first and the old ones cut off at the end
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.expressions import Aggregate, BoundExpression, Variable
from cypherd.binder.query import Aggregation, BoundProjection, Items
from cypherd.binder.traversal import variables
from cypherd.planner.cardinality import number
from cypherd.planner.lifting import Lifter
from cypherd.planner.logical import operators as ops
from cypherd.planner.state import State


def project(clause: BoundProjection, state: State, lifter: Lifter) -> State:
    """The clause on top of the plan; its items are the columns that come out."""
    names = frozenset(name for name, _ in clause.items)
    if clause.aggregation is not None:
        state = _aggregated(clause.aggregation, state, lifter)
        state = _projected(clause.items, state, lifter)
    elif clause.distinct or not _reads_older(clause, names):
        state = _projected(clause.items, state, lifter)
    else:
        state = _extended(clause.items, state, lifter)
    if clause.distinct:
        distinct = ops.LogicalDistinct(
            source=state.plan, variables=tuple(name for name, _ in clause.items)
        )
        state = replace(state, plan=distinct)
    state = _ordered(clause, state, lifter)
    if clause.where is not None:
        state = lifter.filter(state, clause.where)
    if state.columns != names:
        state = _cut(clause.items, state)
    return state


def _reads_older(clause: BoundProjection, names: frozenset[str]) -> bool:
    read: frozenset[str] = frozenset()
    for expression in (*(key for key, _ in clause.order), clause.where):
        if expression is not None:
            read |= variables(expression)
    return not read <= names


def _aggregated(aggregation: Aggregation, state: State, lifter: Lifter) -> State:
    state, keys = lifter.lift_items(state, aggregation.keys)
    aggregates: list[tuple[str, Aggregate]] = []
    for name, aggregate in aggregation.aggregates:
        arguments: list[BoundExpression] = []
        for argument in aggregate.arguments:
            state, lifted = lifter.lift(state, argument)
            arguments.append(lifted)
        aggregates.append((name, replace(aggregate, arguments=tuple(arguments))))
    plan = ops.LogicalEagerAggregation(source=state.plan, keys=keys, aggregates=tuple(aggregates))
    names = [name for name, _ in (*keys, *aggregates)]
    rows = max(state.rows**0.5, 1.0) if keys else 1.0
    # The hidden rows of older columns end here, and so does what was known of their labels.
    return replace(state.only(plan, frozenset(names)), rows=rows)


def _is_same(name: str, value: BoundExpression) -> bool:
    return isinstance(value, Variable) and value.name == name


def _projected(items: Items, state: State, lifter: Lifter) -> State:
    names = frozenset(name for name, _ in items)
    if names == state.columns and all(_is_same(name, value) for name, value in items):
        return state
    state, lifted = lifter.lift_items(state, items)
    labels = dict(state.labels)
    for name, value in lifted:
        if isinstance(value, Variable) and value.name in state.labels:
            labels[name] = state.labels[value.name]
    plan = ops.LogicalProject(source=state.plan, items=lifted)
    return replace(state, labels=labels).only(plan, names)


def _extended(items: Items, state: State, lifter: Lifter) -> State:
    state, lifted = lifter.lift_items(state, items)
    new = tuple((name, value) for name, value in lifted if not _is_same(name, value))
    if not new:
        return state
    plan = ops.LogicalExtend(source=state.plan, items=new)
    return state.onto(plan, *(name for name, _ in new))


def _cut(items: Items, state: State) -> State:
    kept: Items = tuple((name, Variable(name, type=value.type)) for name, value in items)
    plan = ops.LogicalProject(source=state.plan, items=kept)
    return state.only(plan, frozenset(name for name, _ in kept))


def _ordered(clause: BoundProjection, state: State, lifter: Lifter) -> State:
    if clause.order:
        keys: list[tuple[BoundExpression, bool]] = []
        for expression, ascending in clause.order:
            state, lifted = lifter.lift(state, expression)
            keys.append((lifted, ascending))
        state = replace(state, plan=ops.LogicalSort(source=state.plan, keys=tuple(keys)))
    if clause.skip is not None:
        state = replace(state, plan=ops.LogicalSkip(source=state.plan, count=clause.skip))
    if clause.limit is not None:
        plan = ops.LogicalLimit(source=state.plan, count=clause.limit)
        state = replace(state, plan=plan, rows=min(state.rows, number(clause.limit, 10.0)))
    return state
