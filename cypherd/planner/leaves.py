"""Where a pattern may start: seeks and scans that bind a first variable.

Each leaf says which predicates it makes true by itself. A seek may use values of columns that
are bound already. Sources are filled in when the leaf is put on a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cypherd.binder.expressions import BoundExpression, Call, HasLabels, Property, Variable
from cypherd.binder.query import PatternRelationship
from cypherd.binder.traversal import variables
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalArgument, LogicalOperator
from cypherd.values.types import CypherType as T

NO_SOURCE = LogicalArgument()
_SOUGHT = frozenset({"=", "in", "starts with", "<", "<=", ">", ">="})
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Leaf:
    """`solved`: predicates that need no filter any more. `binds`: variables bound by it.
    `reads`: bound columns that it uses."""

    operator: LogicalOperator
    solved: tuple[BoundExpression, ...]
    binds: frozenset[str]
    reads: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Condition:
    """`variable.key operator value`, or `id(variable) operator value` with key None."""

    key: str | None
    operator: str
    value: BoundExpression
    predicate: BoundExpression


def node_leaves(
    variable: str,
    predicates: Sequence[BoundExpression],
    bound: frozenset[str],
    context: PlanContext,
) -> Iterator[Leaf]:
    """Every way to find the node, an all-nodes scan last."""
    here = frozenset({variable})
    conditions = list(_conditions(variable, predicates, bound))
    for condition in conditions:
        if condition.key is None:
            yield _id_seek(variable, condition)
    for predicate in predicates:
        match predicate:
            case HasLabels(Variable(name), (label,)) if name == variable:
                yield from _index_leaves(variable, label, predicate, conditions, context)
                scan = ops.LogicalNodeByLabelScan(source=NO_SOURCE, variable=variable, label=label)
                yield Leaf(scan, (predicate,), here)
    yield Leaf(ops.LogicalAllNodesScan(source=NO_SOURCE, variable=variable), (), here)


def _conditions(
    variable: str, predicates: Sequence[BoundExpression], bound: frozenset[str]
) -> Iterator[_Condition]:
    for predicate in predicates:
        if not isinstance(predicate, Call) or len(predicate.arguments) != 2:
            continue
        if predicate.function not in _SOUGHT:
            continue
        left, right = predicate.arguments
        for side, value, operator in (
            (left, right, predicate.function),
            (right, left, _MIRRORED.get(predicate.function)),
        ):
            if operator is None or _variable_of(side) != variable:
                continue
            if not variables(value) <= bound:
                continue
            match side:
                case Property(Variable(name), key) if name == variable:
                    yield _Condition(key, operator, value, predicate)
                case Call("id", (Variable(name),)) if name == variable and _is_id(operator, value):
                    yield _Condition(None, operator, value, predicate)


def _variable_of(side: BoundExpression) -> str | None:
    """x for `x.key` and `id(x)`."""
    match side:
        case Property(Variable(name)) | Call("id", (Variable(name),)):
            return name
    return None


def _is_id(operator: str, value: BoundExpression) -> bool:
    """Can the value be sought as ids? What is no integer equals no id, but cannot be sought."""
    if operator == "in":
        return value.type in (T.LIST, T.ANY)
    return operator == "=" and value.type in (T.INTEGER, T.ANY)


def _id_seek(variable: str, condition: _Condition) -> Leaf:
    seek = ops.LogicalNodeByIdSeek(source=NO_SOURCE, variable=variable, ids=condition.value)
    # A parameter may be a list where one id is asked for: the filter stays unless the type is sure.
    sure = condition.operator == "=" and condition.value.type is T.INTEGER
    solved = (condition.predicate,) if sure else ()
    return Leaf(seek, solved, frozenset({variable}), variables(condition.value))


def _index_leaves(
    variable: str,
    label: str,
    has_label: BoundExpression,
    conditions: Sequence[_Condition],
    context: PlanContext,
) -> Iterator[Leaf]:
    here = frozenset({variable})
    for index in context.node_indexes(label):
        keys = context.keys(index)
        equal = [_first(conditions, key, "=") for key in keys]
        found = [condition for condition in equal if condition is not None]
        if len(found) == len(keys):
            values = tuple(condition.value for condition in found)
            seek = ops.LogicalNodeIndexSeek(
                source=NO_SOURCE, variable=variable, label=label, properties=keys, values=values
            )
            solved = (has_label, *(condition.predicate for condition in found))
            yield Leaf(seek, solved, here, _reads(values))
        elif len(keys) == 1:
            yield from _single_key_leaves(variable, label, has_label, keys[0], conditions)


def _single_key_leaves(
    variable: str,
    label: str,
    has_label: BoundExpression,
    key: str,
    conditions: Sequence[_Condition],
) -> Iterator[Leaf]:
    here = frozenset({variable})
    many = _first(conditions, key, "in")
    if many is not None:
        seek = ops.LogicalNodeIndexSeek(
            source=NO_SOURCE,
            variable=variable,
            label=label,
            properties=(key,),
            values=(many.value,),
            many=True,
        )
        yield Leaf(seek, (has_label, many.predicate), here, variables(many.value))
    # Range and prefix keep their predicates: a bound may turn out to be null or of another kind.
    prefix = _first(conditions, key, "starts with")
    if prefix is not None:
        starts = ops.LogicalNodeIndexPrefixSeek(
            source=NO_SOURCE, variable=variable, label=label, property=key, prefix=prefix.value
        )
        yield Leaf(starts, (has_label,), here, variables(prefix.value))
    low = _first(conditions, key, ">") or _first(conditions, key, ">=")
    high = _first(conditions, key, "<") or _first(conditions, key, "<=")
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


def _first(conditions: Sequence[_Condition], key: str, operator: str) -> _Condition | None:
    return next((c for c in conditions if c.key == key and c.operator == operator), None)


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
    conditions = list(_conditions(name, predicates, bound))
    for condition in conditions:
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
            equal = [_first(conditions, key, "=") for key in keys]
            found = [condition for condition in equal if condition is not None]
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
            )
            solved = tuple(condition.predicate for condition in found)
            yield Leaf(seek, solved, binds, _reads(values))
    scan = ops.LogicalRelationshipScan(
        source=NO_SOURCE,
        relationship=name,
        start=start,
        end=end,
        types=relationship.types,
        directed=directed,
    )
    yield Leaf(scan, (), binds)
