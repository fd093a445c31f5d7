"""Parts of paths that are walked several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Call, Property, Variable
from cypherd.binder.query import PatternGraph, PatternGroup, PatternNode, PatternRelationship
from cypherd.binder.scopes import Names
from cypherd.binder.traversal import substitute
from cypherd.values.types import CypherType as T


def repeated_types(relationships: Sequence[PatternRelationship]) -> tuple[str, ...]:
    """The types that any of them may have; none where one may have any."""
    if not all(relationship.types for relationship in relationships):
        return ()
    return tuple(dict.fromkeys(name for r in relationships for name in r.types))


def repeated(relationship: PatternRelationship, walked: str, names: Names) -> PatternRelationship:
    """A relationship of variable length as a part that is repeated."""
    part = repeated_part(relationship, names)
    return replace(
        relationship, variable=walked, direction="out", properties=(), each=(), group=part
    )


def repeated_part(relationship: PatternRelationship, names: Names) -> PatternGroup:
    """`-[r:T* {k: v} WHERE ...]->` as `(()-[r:T]->() WHERE r.k = v AND ...){1,}`."""
    assert relationship.length is not None
    step, start, end = one_step(relationship, names)
    variable = Variable(step.variable, type=T.RELATIONSHIP)
    predicates: list[BoundExpression] = [
        Call("=", (Property(variable, key, at=value.at), value), type=T.BOOLEAN, at=value.at)
        for key, value in relationship.properties
    ]
    predicates += [substitute(value, {name: variable}) for name, value in relationship.each]
    minimum, maximum = relationship.length
    return PatternGroup(
        graph=PatternGraph(_ends(start, end), (step,), predicates=tuple(predicates)),
        start=start,
        end=end,
        columns=((relationship.variable, step.variable),),
        relationships=(step.variable,),
        minimum=minimum,
        maximum=maximum,
    )


def one_step(
    relationship: PatternRelationship, names: Names
) -> tuple[PatternRelationship, str, str]:
    """The relationship once, with names of its own, and the nodes that it leads from and to."""
    start, end = (names.anonymous("node", T.NODE).name for _ in range(2))
    ends, direction = (start, end), relationship.direction
    if direction == "in":
        ends, direction = (end, start), "out"
    variable = names.anonymous("relationship", T.RELATIONSHIP).name
    return PatternRelationship(variable, *ends, direction, relationship.types), start, end


def _ends(start: str, end: str) -> tuple[PatternNode, ...]:
    return tuple(PatternNode(name, ()) for name in (start, end))
