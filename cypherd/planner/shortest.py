"""Predicates on a shortest path: which take part in the search, and what they ask of each step.

all(x IN relationships(p) WHERE x.w > 1)     of each relationship: x.w > 1
none(x IN nodes(p) WHERE x:Closed)           of each node: NOT x:Closed
length(p) > 2                                of the whole path only
"""

from __future__ import annotations

from collections.abc import Sequence

from cypherd.binder.expressions import BoundExpression, Call, Not, Quantifier, Variable
from cypherd.binder.query import Items, ShortestPattern, Subquery
from cypherd.binder.traversal import variables, walk
from cypherd.planner.logical import operators as ops
from cypherd.values.types import CypherType as T


def shortest_step(
    pattern: ShortestPattern, predicates: Sequence[BoundExpression], bound: frozenset[str]
) -> ops.LogicalShortestPath:
    """The operator that searches; it fulfils those of `predicates` that it takes over."""
    relationship = pattern.relationship
    assert relationship.length is not None
    taken = tuple(p for p in predicates if _of_the_path(p, pattern, bound))
    return ops.LogicalShortestPath(
        source=ops.LogicalArgument(),
        start=relationship.start,
        end=relationship.end,
        relationships=relationship.variable,
        path=pattern.path,
        direction=relationship.direction,
        types=relationship.types,
        minimum=relationship.length[0],
        maximum=relationship.length[1],
        all=pattern.all,
        properties=relationship.properties,
        predicates=taken,
        each_relationship=(*relationship.each, *_of_each(taken, pattern, "relationships")),
        each_node=_of_each(taken, pattern, "nodes"),
    )


def _own(pattern: ShortestPattern) -> frozenset[str]:
    names = {pattern.relationship.variable}
    return frozenset(names if pattern.path is None else {*names, pattern.path})


def _of_the_path(
    predicate: BoundExpression, pattern: ShortestPattern, bound: frozenset[str]
) -> bool:
    """Reads it, and nothing that is not there yet; a subquery has a plan of its own, above."""
    reads, own = variables(predicate), _own(pattern)
    if not reads & own or not reads <= bound | own:
        return False
    return not any(isinstance(part, Subquery) for part in walk(predicate))


def _of_each(predicates: Sequence[BoundExpression], pattern: ShortestPattern, what: str) -> Items:
    own = _own(pattern)
    found = []
    for predicate in predicates:
        match predicate:
            case Quantifier("all" | "none", variable, source, where) if (
                _is_list_of(source, pattern, what) and not variables(where) & own
            ):
                wanted = where if predicate.kind == "all" else Not(where, type=T.BOOLEAN)
                found.append((variable, wanted))
    return tuple(found)


def _is_list_of(source: BoundExpression, pattern: ShortestPattern, what: str) -> bool:
    match source:
        case Call(function, (Variable(name),)) if function == what:
            return name == pattern.path
        case Variable(name):
            return what == "relationships" and name == pattern.relationship.variable
    return False
