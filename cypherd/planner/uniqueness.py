"""The relationships of one clause are different: which pairs are to be checked, and when."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from cypherd.binder.expressions import BoundExpression, DistinctRelationships, Variable
from cypherd.binder.query import PatternRelationship
from cypherd.values.types import CypherType as T


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """For each relationship of a clause those that could be the same, and must not be.

    Kept apart from other predicates and found by what is newly bound: there are as many as pairs
    of relationships, too many to look through at every move."""

    pairs: dict[str, list[tuple[str, int, DistinctRelationships]]] = field(default_factory=dict)

    def add(self, relationships: tuple[PatternRelationship, ...]) -> None:
        number = 0
        for position, right in enumerate(relationships):
            for left in relationships[:position]:
                if not left.types or not right.types or set(left.types) & set(right.types):
                    number += 1
                    self._add_pair(left, right, number)

    def _add_pair(self, left: PatternRelationship, right: PatternRelationship, number: int) -> None:
        pair = (_relationship(left), _relationship(right))
        distinct = DistinctRelationships(pair, type=T.BOOLEAN)
        for one, other in ((left.variable, right.variable), (right.variable, left.variable)):
            self.pairs.setdefault(one, []).append((other, number, distinct))

    def between(self, fresh: Iterable[str], bound: Collection[str]) -> list[DistinctRelationships]:
        """The pairs of which one is in `fresh` and the other in `bound`, in the clause's order."""
        found = {
            number: distinct
            for name in fresh
            for other, number, distinct in self.pairs.get(name, ())
            if other in bound
        }
        return [found[number] for number in sorted(found)]


def _relationship(relationship: PatternRelationship) -> Variable:
    many = relationship.length is not None
    return Variable(relationship.variable, type=T.LIST if many else T.RELATIONSHIP)


def merged_uniqueness(predicates: list[BoundExpression]) -> list[BoundExpression]:
    """One check in place of several: what it asks for besides holds anyway."""
    pairs = [p for p in predicates if isinstance(p, DistinctRelationships)]
    if len(pairs) < 2:
        return predicates
    every = dict.fromkeys(variable for pair in pairs for variable in pair.variables)
    merged = DistinctRelationships(tuple(every), type=T.BOOLEAN)
    return [merged, *(p for p in predicates if not isinstance(p, DistinctRelationships))]
