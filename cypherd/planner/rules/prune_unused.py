"""Columns that nobody reads are not computed: paths of a MATCH that are never returned, items
of a WITH that nothing uses.

Only expressions that cannot fail are left out, so an error does not depend on the rule.
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Constant, PathOf, Variable
from cypherd.binder.traversal import variables
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform, walk


def prune_unused(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Repeats until nothing is unused: what only an unused column read goes in the next round."""
    while True:
        used = _used(plan)

        def change(operator: LogicalOperator, used: frozenset[str] = used) -> LogicalOperator:
            return _pruned(operator, used)

        new = transform(plan, change)
        if new is plan:
            return plan
        plan = new


def _used(plan: LogicalOperator) -> frozenset[str]:
    """Every name that some operator reads. Names are unique in a plan, so one set will do."""
    used: set[str] = set()
    for operator in walk(plan):
        own = dict(operator.items) if isinstance(operator, ops.LogicalProject) else {}
        for name, value in own.items():
            used |= variables(value) - {name}
        if not own:
            for expression in expressions(operator):
                used |= variables(expression)
        used |= _named(operator)
    return frozenset(used)


def _named(operator: LogicalOperator) -> frozenset[str]:
    """Columns that an operator reads by name, not in an expression."""
    match operator:
        case ops.LogicalProduceResults(columns=columns):
            return frozenset(variable for _, variable in columns)
        case (
            ops.LogicalDistinct(variables=names)
            | ops.LogicalApply(variables=names)
            | ops.LogicalTransactionApply(variables=names)
            | ops.LogicalOptional(variables=names)
            | ops.LogicalReimport(variables=names)
        ):
            return frozenset(names)
        case ops.LogicalUnion():
            return _output(operator)
        case ops.LogicalRollUpApply(value=value) | ops.LogicalFold(value=value):
            return frozenset({value})
        case ops.LogicalSet(items=items):
            return _targets(items)
        case ops.LogicalMerge():
            ends = {end for made in operator.relationships for end in (made.start, made.end)}
            return frozenset(ends) | _targets((*operator.on_create, *operator.on_match))
        case ops.LogicalCreate(relationships=relationships):
            return frozenset(end for made in relationships for end in (made.start, made.end))
        case ops.LogicalExpand() | ops.LogicalExpandInto() | ops.LogicalShortestPath():
            return frozenset({operator.start, operator.end})
        case ops.LogicalVarLengthExpand():
            return frozenset({operator.start, operator.end, operator.relationships})
        case ops.LogicalRepeat() | ops.LogicalPathStep():
            inside = frozenset(name for _, name in operator.columns)
            ends = {operator.inner_start, operator.inner_end}
            if isinstance(operator, ops.LogicalRepeat):
                ends |= {operator.start, operator.end}
            return inside | ends | frozenset(operator.relationships)
        case ops.LogicalSelectPaths(start=start, end=end):
            return frozenset({start, end})
        case ops.LogicalNodeHashJoin(variables=names, imports=imports):
            return frozenset((*names, *imports))
    return frozenset()


def _output(union: ops.LogicalUnion) -> frozenset[str]:
    """Both sides of a union keep all their columns."""
    names: set[str] = set()
    for side in (union.left, union.right):
        if isinstance(side, ops.LogicalUnion):
            names |= _output(side)
        elif isinstance(side, ops.LogicalProject):
            names |= {name for name, _ in side.items}
        elif isinstance(side, ops.LogicalDistinct):
            names |= set(side.variables)
        else:
            names |= {name for operator in walk(side) for name in _made(operator)}
    return frozenset(names)


def _made(operator: LogicalOperator) -> frozenset[str]:
    if isinstance(operator, ops.LogicalProject | ops.LogicalExtend):
        return frozenset(name for name, _ in operator.items)
    return frozenset()


def _targets(items: tuple[ops.SetItem, ...]) -> frozenset[str]:
    return frozenset(item.variable for item in items if not isinstance(item, ops.SetPropertyItem))


def _cannot_fail(value: BoundExpression) -> bool:
    return isinstance(value, Variable | Constant | PathOf)


def _pruned(operator: LogicalOperator, used: frozenset[str]) -> LogicalOperator:
    if not isinstance(operator, ops.LogicalExtend | ops.LogicalProject):
        return operator
    kept = tuple(
        (name, value) for name, value in operator.items if name in used or not _cannot_fail(value)
    )
    if len(kept) == len(operator.items):
        return operator
    if isinstance(operator, ops.LogicalExtend) and not kept:
        return operator.source
    return replace(operator, items=kept)
