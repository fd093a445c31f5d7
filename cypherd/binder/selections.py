"""SHORTEST, ANY: a whole path becomes one element of the graph, made of steps.

    SHORTEST 2 (a)-[r]->(m:M)-[s]->+(b)      (a) ==[r, m:M, s]==> (b)

A condition goes where the least has to be there for it: to an end of the path, to a node or a step
in its middle, or, where it asks for more than that, to the path as a whole. All of them are asked
before paths are selected; the WHERE of the clause is asked afterwards, of those that were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cypherd.binder.expressions import BoundExpression, Call, Constant, HasLabels, Variable
from cypherd.binder.expressions_binder import bind
from cypherd.binder.path_parts import one_step, repeated_part
from cypherd.binder.pattern_builder import GraphBuilder
from cypherd.binder.query import (
    PathSelection,
    PatternGraph,
    PatternGroup,
    PatternNode,
    PatternRelationship,
    holds_subquery,
)
from cypherd.binder.scopes import Environment, Names, syntax_error
from cypherd.binder.traversal import substitute, variables
from cypherd.errors import UnsupportedOperation
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


def select(builder: GraphBuilder, selector: ast.Selector, environment: Environment) -> None:
    """Puts one relationship into the builder for the path that it holds.

    Raises UnsupportedOperation for a relationship that is bound already, and for a subquery in a
    condition on more than a node or a relationship."""
    if not builder.relationships:
        raise syntax_error(
            "UnexpectedSyntax", "a path to select has at least one relationship", selector.at
        )
    if any(relationship.bound for relationship in builder.relationships):
        raise UnsupportedOperation(
            "a relationship that is bound already in a path to select is not supported",
            offset=selector.at,
        )
    count: BoundExpression = Constant(1, type=T.INTEGER, at=selector.at)
    if selector.count is not None:
        count = bind(selector.count, environment)
    path = _Path.of(builder)
    start, end = path.nodes[0], path.nodes[-1]
    steps, whole = path.steps()
    for predicate in whole:
        if holds_subquery(predicate):
            raise UnsupportedOperation(
                "a pattern or subquery in a condition on a whole path to select is not supported",
                offset=selector.at,
            )
    walked = builder.declare(None, "walked", T.LIST, T.RELATIONSHIP)
    walk = walked.at(selector.at)
    selection = PathSelection(count, selector.groups, steps, whole)
    relationship = PatternRelationship(
        walked.name, start, end, "out", (), (0, None), selection=selection
    )
    builder.predicates = path.of_ends()
    builder.labels = {name: builder.labels[name] for name in dict.fromkeys((start, end))}
    builder.relationships = [relationship]
    builder.paths = [
        (name, replace(named, variables=(named.variables[0], walk, named.variables[-1])))
        for name, named in builder.paths
    ]


@dataclass(slots=True)
class _Path:
    """`nodes` has one more than `relationships`. `left`: conditions that have no place yet."""

    builder: GraphBuilder
    nodes: list[str]
    relationships: list[PatternRelationship]
    left: list[BoundExpression]

    @classmethod
    def of(cls, builder: GraphBuilder) -> _Path:
        nodes = [
            symbol.name
            for symbol, element in builder.elements
            if isinstance(element, ast.NodePattern)
        ]
        return cls(builder, nodes, list(builder.relationships), list(builder.predicates))

    def of_ends(self) -> list[BoundExpression]:
        """Takes those that one end of the path is enough for."""
        return self._take({self.nodes[0]}) + self._take({self.nodes[-1]})

    def steps(self) -> tuple[tuple[PatternGroup, ...], tuple[BoundExpression, ...]]:
        """The steps, and the conditions on the whole path; what is left is of the ends."""
        of_ends = self.of_ends()
        steps: list[PatternGroup] = []
        for position, relationship in enumerate(self.relationships):
            if relationship.length is None:
                steps.append(self._once(position, relationship))
            elif relationship.group is not None:
                steps.append(relationship.group)
            else:
                steps.append(repeated_part(relationship, self.builder.names))
            if position + 1 < len(self.relationships):
                steps[-1:] = self._reached(position + 1, steps[-1])
        whole, self.left = tuple(self.left), of_ends
        return tuple(steps), whole

    def _once(self, position: int, relationship: PatternRelationship) -> PatternGroup:
        step, start, end = one_step(_in_order(relationship, self.nodes[position]), self._names)
        here = (self.nodes[position], self.nodes[position + 1])
        named: dict[str, BoundExpression] = {
            here[0]: Variable(start, type=T.NODE),
            here[1]: Variable(end, type=T.NODE),
            relationship.variable: Variable(step.variable, type=T.RELATIONSHIP),
        }
        predicates = tuple(substitute(p, named) for p in self._take(set(named)))
        if here[0] == here[1]:
            predicates += (_same(start, end),)
        nodes = (PatternNode(start, ()), PatternNode(end, ()))
        return PatternGroup(
            graph=PatternGraph(nodes, (step,), predicates=predicates),
            start=start,
            end=end,
            columns=((relationship.variable, step.variable),),
            relationships=(step.variable,),
            minimum=1,
            maximum=1,
            single=True,
        )

    def _reached(self, position: int, step: PatternGroup) -> list[PatternGroup]:
        """The step with the node that it leads to, and the conditions on that behind it."""
        name = self.nodes[position]
        inside = self._names.anonymous("node", T.NODE).name
        predicates: tuple[BoundExpression, ...] = ()
        labels: Sequence[str] = ()
        if name in self.nodes[:position] or name == self.nodes[-1] or self._is_known(name):
            # It has been there before, or is still to come: the same node then.
            fresh = self.builder.declare(None, "node", T.NODE).name
            step = replace(step, reached=fresh)
            self.left.append(_same(fresh, name))
            if self._is_known(name) and name not in (self.nodes[0], self.nodes[-1]):
                node = Variable(name, type=T.NODE)
                self.left += [
                    HasLabels(node, (label,), type=T.BOOLEAN) for label in self.builder.labels[name]
                ]
        else:
            step = replace(step, reached=name)
            labels = self.builder.labels[name]
            named: dict[str, BoundExpression] = {name: Variable(inside, type=T.NODE)}
            predicates = tuple(substitute(p, named) for p in self._take({name}))
        if not labels and not predicates:
            return [step]
        condition = PatternGroup(
            graph=PatternGraph((PatternNode(inside, tuple(labels)),), (), predicates=predicates),
            start=inside,
            end=inside,
            columns=(),
            relationships=(),
            minimum=1,
            maximum=1,
            single=True,
        )
        return [step, condition]

    @property
    def _names(self) -> Names:
        return self.builder.names

    def _is_known(self, name: str) -> bool:
        return name not in self.builder.introduced

    def _take(self, names: set[str]) -> list[BoundExpression]:
        """Takes the conditions that ask for nothing but these and what was there before."""
        found = [p for p in self.left if self._own(p) <= names]
        taken = {id(predicate) for predicate in found}
        self.left = [predicate for predicate in self.left if id(predicate) not in taken]
        return found

    def _own(self, predicate: BoundExpression) -> frozenset[str]:
        return variables(predicate) & frozenset(self.builder.introduced)


def _in_order(relationship: PatternRelationship, before: str) -> PatternRelationship:
    """With the direction in which the path runs over it."""
    if relationship.direction == "both" or relationship.start == before:
        return relationship
    return replace(relationship, direction="in")


def _same(one: str, other: str) -> BoundExpression:
    sides = (Variable(one, type=T.NODE), Variable(other, type=T.NODE))
    return Call("=", sides, type=T.BOOLEAN)
