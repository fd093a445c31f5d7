"""`MATCH (n:L) RETURN count(n)` and `MATCH ()-[r:T]->() RETURN count(r)` ask the store's counts.

Only where the pattern is the whole source: a scan over the single row that a query starts with.
"""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import Aggregate, HasLabels, Variable
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import inner_plan, sources, with_children


@dataclass(frozen=True, slots=True)
class _Counted:
    """A pattern whose rows the store has counted; `variables` are never null in it."""

    variables: frozenset[str]
    label: str | None = None
    types: tuple[str, ...] | None = None
    start_label: str | None = None
    end_label: str | None = None


def count_from_store(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Replaces counting aggregations; inner plans run for many rows and are left alone."""
    inner = inner_plan(plan)
    flowing = tuple(count_from_store(source, context) for source in sources(plan))
    plan = with_children(plan, flowing if inner is None else (*flowing, inner))
    if isinstance(plan, ops.LogicalEagerAggregation):
        return _from_store(plan) or plan
    return plan


def _from_store(plan: ops.LogicalEagerAggregation) -> LogicalOperator | None:
    if plan.keys or len(plan.aggregates) != 1:
        return None
    name, aggregate = plan.aggregates[0]
    source = plan.source
    if isinstance(source, ops.LogicalProject) and aggregate.function == "count(*)":
        source = source.source
    counted = _counted(source)
    if counted is None or not _counts_rows(aggregate, counted.variables):
        return None
    argument = ops.LogicalArgument()
    if counted.types is None:
        return ops.LogicalNodeCount(source=argument, variable=name, label=counted.label)
    return ops.LogicalRelationshipCount(
        source=argument,
        variable=name,
        types=counted.types,
        start_label=counted.start_label,
        end_label=counted.end_label,
    )


def _counts_rows(aggregate: Aggregate, never_null: frozenset[str]) -> bool:
    if aggregate.distinct:
        return False
    if aggregate.function == "count(*)":
        return True
    match aggregate.arguments:
        case (Variable(name),):
            return aggregate.function == "count" and name in never_null
    return False


def _counted(source: LogicalOperator) -> _Counted | None:
    match source:
        case ops.LogicalAllNodesScan(source=ops.LogicalArgument(variables=()), variable=name):
            return _Counted(frozenset({name}))
        case ops.LogicalNodeByLabelScan(
            source=ops.LogicalArgument(variables=()), variable=name, label=label
        ):
            return _Counted(frozenset({name}), label=label)
        case ops.LogicalRelationshipScan(
            source=ops.LogicalArgument(variables=()), directed=True, types=types
        ):
            names = frozenset({source.relationship, source.start, source.end})
            return _Counted(names, types=_distinct(types))
        case ops.LogicalExpand(source=below) if source.direction != "both":
            return _expanded(source, _counted(below))
        case ops.LogicalFilter(
            source=ops.LogicalRelationshipScan() as scan,
            predicate=HasLabels(Variable(name), (one,)),
        ):
            return _labelled(scan, _counted(scan), name, one)
    return None


def _distinct(types: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(types))


def _expanded(expand: ops.LogicalExpand, nodes: _Counted | None) -> _Counted | None:
    """From all nodes (of a label) along a direction: each relationship once."""
    if nodes is None or nodes.types is not None or expand.start not in nodes.variables:
        return None
    names = nodes.variables | {expand.relationship, expand.end}
    start = nodes.label if expand.direction == "out" else None
    end = nodes.label if expand.direction == "in" else None
    return _Counted(names, None, _distinct(expand.types), start, end)


def _labelled(
    scan: ops.LogicalRelationshipScan, counted: _Counted | None, name: str, label: str
) -> _Counted | None:
    if counted is None:
        return None
    if name == scan.start:
        return _Counted(counted.variables, None, counted.types, label, None)
    if name == scan.end:
        return _Counted(counted.variables, None, counted.types, None, label)
    return None
