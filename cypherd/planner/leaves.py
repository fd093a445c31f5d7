"""Where a pattern may start: seeks and scans that bind a first variable.

Each leaf says which predicates it makes true by itself. A seek may use values of columns that
are bound already. Sources are filled in when the leaf is put on a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cypherd.binder.expressions import And, BoundExpression, HasLabels, Or, Variable
from cypherd.binder.query import PatternRelationship
from cypherd.binder.traversal import variables
from cypherd.planner.conditions import Condition, conditions, first, solved
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalArgument, LogicalOperator

NO_SOURCE = LogicalArgument()


@dataclass(frozen=True, slots=True)
class Leaf:
    """`solved`: predicates that need no filter any more. `binds`: variables bound by it.
    `reads`: bound columns that it uses."""

    operator: LogicalOperator
    solved: tuple[BoundExpression, ...]
    binds: frozenset[str]
    reads: frozenset[str] = frozenset()


def node_leaves(
    variable: str,
    predicates: Sequence[BoundExpression],
    bound: frozenset[str],
    context: PlanContext,
) -> Iterator[Leaf]:
    """Every way to find the node, an all-nodes scan last."""
    here = frozenset({variable})
    found = list(conditions(variable, predicates, bound))
    for condition in found:
        if condition.key is None:
            yield _id_seek(variable, condition)
    for predicate in predicates:
        match predicate:
            case HasLabels(Variable(name), (label,)) if name == variable:
                yield from _index_leaves(variable, label, predicate, found, context)
                scan = ops.LogicalNodeByLabelScan(source=NO_SOURCE, variable=variable, label=label)
                yield Leaf(scan, (predicate,), here)
            case Or(operands):
                yield from _union_scan(variable, predicate, operands)
    yield Leaf(ops.LogicalAllNodesScan(source=NO_SOURCE, variable=variable), (), here)


def _union_scan(
    variable: str, predicate: BoundExpression, operands: Sequence[BoundExpression]
) -> Iterator[Leaf]:
    """Where every alternative asks for a label: the nodes that have one of these."""
    labels = [_label_of(variable, operand) for operand in operands]
    if None in labels:
        return
    exact = all(isinstance(operand, HasLabels) for operand in operands)
    scan = ops.LogicalUnionNodeByLabelsScan(
        source=NO_SOURCE, variable=variable, labels=tuple(dict.fromkeys(map(str, labels)))
    )
    yield Leaf(scan, (predicate,) if exact else (), frozenset({variable}))


def _label_of(variable: str, alternative: BoundExpression) -> str | None:
    """A label that the node has wherever the alternative is true."""
    for part in alternative.operands if isinstance(alternative, And) else (alternative,):
        match part:
            case HasLabels(Variable(name), (label,)) if name == variable:
                return label
    return None


def _id_seek(variable: str, condition: Condition) -> Leaf:
    seek = ops.LogicalNodeByIdSeek(source=NO_SOURCE, variable=variable, ids=condition.value)
    return Leaf(seek, solved([condition]), frozenset({variable}), variables(condition.value))


def _index_leaves(
    variable: str,
    label: str,
    has_label: BoundExpression,
    conditions: Sequence[Condition],
    context: PlanContext,
) -> Iterator[Leaf]:
    here = frozenset({variable})
    for index in context.node_indexes(label):
        keys = context.keys(index)
        equal = [first(conditions, key, "=") for key in keys]
        found = [condition for condition in equal if condition is not None]
        if len(found) == len(keys):
            values = tuple(condition.value for condition in found)
            seek = ops.LogicalNodeIndexSeek(
                source=NO_SOURCE, variable=variable, label=label, properties=keys, values=values
            )
            yield Leaf(seek, (has_label, *solved(found)), here, _reads(values))
        elif len(keys) == 1:
            yield from _single_key_leaves(variable, label, has_label, keys[0], conditions)


def _single_key_leaves(
    variable: str,
    label: str,
    has_label: BoundExpression,
    key: str,
    conditions: Sequence[Condition],
) -> Iterator[Leaf]:
    here = frozenset({variable})
    many = first(conditions, key, "in")
    if many is not None:
        seek = ops.LogicalNodeIndexSeek(
            source=NO_SOURCE,
            variable=variable,
            label=label,
            properties=(key,),
            values=(many.value,),
            many=True,
        )
        yield Leaf(seek, (has_label, *solved([many])), here, variables(many.value))
    # Range and prefix keep their predicates: a bound may turn out to be null or of another kind.
    prefix = first(conditions, key, "starts with")
    if prefix is not None:
        starts = ops.LogicalNodeIndexPrefixSeek(
            source=NO_SOURCE, variable=variable, label=label, property=key, prefix=prefix.value
        )
        yield Leaf(starts, (has_label,), here, variables(prefix.value))
    low = first(conditions, key, ">") or first(conditions, key, ">=")
    high = first(conditions, key, "<") or first(conditions, key, "<=")
    if low is None and high is None:
        return
    bounds = ops.LogicalNodeIndexRangeSeek(
        source=NO_SOURCE,
        variable=variable,
        label=label,
        property=key,
        low=low.value if low else None,
        low_inclusive=low is not None and low.operator == ">=",
        high=high.value if high else None,
        high_inclusive=high is not None and high.operator == "<=",
    )
    reads = _reads(tuple(side.value for side in (low, high) if side is not None))
    yield Leaf(bounds, (has_label,), here, reads)


def _reads(values: tuple[BoundExpression, ...]) -> frozenset[str]:
    return frozenset().union(*(variables(value) for value in values))


def relationship_leaves(
    relationship: PatternRelationship,
    predicates: Sequence[BoundExpression],
    bound: frozenset[str],
    context: PlanContext,
) -> Iterator[Leaf]:
    """Every way to start with the relationship itself; its ends must not be bound yet."""
    ends = frozenset({relationship.start, relationship.end})
    if relationship.length is not None or relationship.bound or len(ends) < 2 or ends & bound:
        return
    name, start, end = relationship.variable, relationship.start, relationship.end
    binds, directed = ends | {name}, relationship.direction != "both"
    known = list(conditions(name, predicates, bound))
    for condition in known:
        if condition.key is None:
            by_id = ops.LogicalRelationshipByIdSeek(
                source=NO_SOURCE,
                relationship=name,
                start=start,
                end=end,
                ids=condition.value,
                directed=directed,
            )
            if not relationship.types:
                yield Leaf(by_id, (), binds, variables(condition.value))
    for type_ in relationship.types if len(relationship.types) == 1 else ():
        for index in context.relationship_indexes(type_):
            keys = context.keys(index)
            equal = [first(known, key, "=") for key in keys]
            found = [condition for condition in equal if condition is not None]
            many = first(known, keys[0], "in") if len(keys) == 1 and not found else None
            if many is not None:
                found = [many]
            if len(found) < len(keys):
                continue
            values = tuple(condition.value for condition in found)
            seek = ops.LogicalRelationshipIndexSeek(
                source=NO_SOURCE,
                relationship=name,
                start=start,
                end=end,
                type=type_,
                properties=keys,
                values=values,
                directed=directed,
                many=many is not None,
            )
            yield Leaf(seek, solved(found), binds, _reads(values))
    scan = ops.LogicalRelationshipScan(
        source=NO_SOURCE,
        relationship=name,
        start=start,
        end=end,
        types=relationship.types,
        directed=directed,
    )
    yield Leaf(scan, (), binds)
