"""Clauses that write, as operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder.expressions import BoundExpression
from cypherd.binder.query import (
    BoundCreate,
    BoundDelete,
    BoundMerge,
    BoundSet,
    Change,
    LabelsChange,
    NewNode,
    NewRelationship,
    PropertyChange,
    Subquery,
)
from cypherd.binder.traversal import variables, walk
from cypherd.errors import InternalError, UnsupportedOperation
from cypherd.planner.lifting import Lifter
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.columns import introduced
from cypherd.planner.logical.expressions import expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.state import State


def _lifted(
    state: State, expression: BoundExpression | None, lifter: Lifter
) -> tuple[State, BoundExpression | None]:
    return (state, None) if expression is None else lifter.lift(state, expression)


def _lift_new(
    state: State,
    nodes: Sequence[NewNode],
    relationships: Sequence[NewRelationship],
    lifter: Lifter,
) -> tuple[State, list[ops.CreateNode], list[ops.CreateRelationship]]:
    new_nodes, new_relationships = [], []
    for node in nodes:
        state, value = _lifted(state, node.properties, lifter)
        names = []
        for name in node.names:
            state, lifted = lifter.lift(state, name)
            names.append(lifted)
        new_nodes.append(
            ops.CreateNode(
                variable=node.variable, labels=node.labels, properties=value, names=tuple(names)
            )
        )
    for relationship in relationships:
        state, value = _lifted(state, relationship.properties, lifter)
        state, given = _lifted(state, relationship.name, lifter)
        new_relationships.append(
            ops.CreateRelationship(
                variable=relationship.variable,
                start=relationship.start,
                end=relationship.end,
                type=relationship.type,
                properties=value,
                name=given,
            )
        )
    return state, new_nodes, new_relationships


# --- CREATE and MERGE -------------------------------------------------------------------


def create(clause: BoundCreate, state: State, lifter: Lifter) -> State:
    """One Create, or several where a property is computed from what the clause itself makes."""
    nodes, relationships = list(clause.nodes), list(clause.relationships)
    while nodes or relationships:
        ready_nodes = _ready_nodes(nodes, state.columns)
        there = state.columns | {node.variable for node in ready_nodes}
        ready = [
            r for r in relationships if {r.start, r.end} <= there and r.reads() <= state.columns
        ]
        if not ready_nodes and not ready:
            raise InternalError("a CREATE depends on itself")
        state = _create(state, ready_nodes, ready, lifter)
        nodes = [node for node in nodes if node not in ready_nodes]
        relationships = [r for r in relationships if r not in ready]
    if clause.paths:
        plan = ops.LogicalExtend(source=state.plan, items=clause.paths)
        state = state.onto(plan, *(name for name, _ in clause.paths))
    return replace(state, writes=True)


def _ready_nodes(nodes: Sequence[NewNode], columns: frozenset[str]) -> list[NewNode]:
    """The nodes up to the first that reads what is not there yet: ids follow the text."""
    ready = []
    for node in nodes:
        if not node.reads() <= columns:
            break
        ready.append(node)
    return ready


def _create(
    state: State,
    nodes: Sequence[NewNode],
    relationships: Sequence[NewRelationship],
    lifter: Lifter,
) -> State:
    state, new_nodes, new_relationships = _lift_new(state, nodes, relationships, lifter)
    plan = ops.LogicalCreate(
        source=state.plan, nodes=tuple(new_nodes), relationships=tuple(new_relationships)
    )
    plan = _joined(plan)
    names = [n.variable for n in nodes] + [r.variable for r in relationships]
    labels = {node.variable: frozenset(node.labels) for node in nodes}
    return replace(state.onto(plan, *names), labels={**state.labels, **labels})


def _joined(plan: ops.LogicalCreate) -> ops.LogicalCreate:
    """One operator for two CREATE clauses in a row, unless the second computes a property from
    what the first makes: a long list of CREATEs must not be as deep as it is long."""
    below = plan.source
    if not isinstance(below, ops.LogicalCreate):
        return plan
    made = introduced(below)
    if any(variables(expression) & made for expression in expressions(plan)):
        return plan
    return ops.LogicalCreate(
        source=below.source,
        nodes=(*below.nodes, *plan.nodes),
        relationships=(*below.relationships, *plan.relationships),
    )


def merge(clause: BoundMerge, state: State, match: LogicalOperator, lifter: Lifter) -> State:
    """MERGE with its own search; a named path is put together behind it."""
    state, nodes, relationships = _lift_new(state, clause.nodes, clause.relationships, lifter)
    for change in (*clause.on_create, *clause.on_match):
        _refuse_subquery(change)
    plan = ops.LogicalMerge(
        source=state.plan,
        match=match,
        nodes=tuple(nodes),
        relationships=tuple(relationships),
        on_create=tuple(_set_item(change) for change in clause.on_create),
        on_match=tuple(_set_item(change) for change in clause.on_match),
    )
    names = [n.variable for n in clause.nodes] + [r.variable for r in clause.relationships]
    state = state.onto(plan, *names)
    if clause.graph.paths:
        paths = ops.LogicalExtend(source=state.plan, items=clause.graph.paths)
        state = state.onto(paths, *(name for name, _ in clause.graph.paths))
    return replace(state, writes=True)


# --- SET, REMOVE, DELETE ----------------------------------------------------------------


def _set_item(change: Change) -> ops.SetItem:
    if isinstance(change, PropertyChange):
        return ops.SetPropertyItem(entity=change.entity, key=change.key, value=change.value)
    if isinstance(change, LabelsChange):
        kind = ops.RemoveLabelsItem if change.remove else ops.SetLabelsItem
        return kind(variable=change.variable, labels=change.labels, names=change.names)
    return ops.SetPropertiesItem(
        variable=change.variable, value=change.value, replace=change.replace
    )


def _refuse_subquery(change: Change) -> None:
    """What ON CREATE and ON MATCH set is computed inside Merge, where no plan can run."""
    values = change.names if isinstance(change, LabelsChange) else (change.value,)
    for value in values:
        if any(isinstance(part, Subquery) for part in walk(value)):
            raise UnsupportedOperation(
                "a pattern or subquery in ON CREATE or ON MATCH is not supported", offset=value.at
            )


def set_changes(clause: BoundSet, state: State, lifter: Lifter) -> State:
    """SET and REMOVE; subqueries in their values are computed first."""
    changes: list[Change] = []
    for change in clause.changes:
        if isinstance(change, LabelsChange):
            names = []
            for name in change.names:
                state, lifted = lifter.lift(state, name)
                names.append(lifted)
            changes.append(replace(change, names=tuple(names)))
            continue
        state, value = lifter.lift(state, change.value)
        if isinstance(change, PropertyChange):
            state, entity = lifter.lift(state, change.entity)
            changes.append(PropertyChange(entity, change.key, value))
        else:
            changes.append(replace(change, value=value))
    plan = ops.LogicalSet(source=state.plan, items=tuple(_set_item(change) for change in changes))
    # A label that is taken away is not known of any node any more: two may be the same.
    removed = {
        label for c in changes if isinstance(c, LabelsChange) and c.remove for label in c.labels
    }
    labels = {name: found - removed for name, found in state.labels.items()}
    if any(isinstance(c, LabelsChange) and c.remove and c.names for c in changes):
        labels = {}
    return replace(state, plan=plan, labels=labels, writes=True)


def delete(clause: BoundDelete, state: State, lifter: Lifter) -> State:
    deleted = []
    for expression in clause.expressions:
        state, lifted = lifter.lift(state, expression)
        deleted.append(lifted)
    plan = ops.LogicalDelete(source=state.plan, expressions=tuple(deleted), detach=clause.detach)
    return replace(state, plan=plan, writes=True)
