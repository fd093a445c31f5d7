"""One clause's patterns, as far as they have been bound."""

from __future__ import annotations

from dataclasses import dataclass, field

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.query import (
    PatternGraph,
    PatternNode,
    PatternRelationship,
    ShortestPattern,
)
from cypherd.binder.scopes import Environment, Names, Symbol
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


@dataclass(slots=True)
class GraphBuilder:
    """Collects one clause's patterns. `scope` grows; `outer` is what was there before."""

    names: Names
    scope: dict[str, Symbol]
    outer: frozenset[str]
    labels: dict[str, list[str]] = field(default_factory=dict)
    relationships: list[PatternRelationship] = field(default_factory=list)
    shortest: list[ShortestPattern] = field(default_factory=list)
    paths: list[tuple[str, bound.PathOf]] = field(default_factory=list)
    predicates: list[BoundExpression] = field(default_factory=list)
    introduced: list[str] = field(default_factory=list)
    elements: list[tuple[Symbol, ast.NodePattern | ast.RelationshipPattern]] = field(
        default_factory=list
    )

    @classmethod
    def over(cls, environment: Environment) -> GraphBuilder:
        """An empty graph in the scope of `environment`."""
        scope = dict(environment.scope)
        return cls(environment.names, scope, frozenset(scope))

    def declare(self, variable: str | None, kind: str, type_: T, element: T = T.ANY) -> Symbol:
        """A new column, which the clause introduces."""
        if variable is None:
            symbol = self.names.anonymous(kind, type_)
        else:
            symbol = self.names.declare(variable, type_, element)
            self.scope[variable] = symbol
        self.introduced.append(symbol.name)
        return symbol

    def graph(self) -> PatternGraph:
        nodes = tuple(PatternNode(name, tuple(labels)) for name, labels in self.labels.items())
        return PatternGraph(
            nodes,
            tuple(self.relationships),
            tuple(self.shortest),
            tuple(self.paths),
            tuple(self.predicates),
        )
