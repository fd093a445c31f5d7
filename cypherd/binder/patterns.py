"""Patterns that are looked for: MATCH, pattern predicates, pattern comprehensions.

All variables of a clause are declared first, in the order of the text; then the property maps,
which may use any of them, become predicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.labels import matches
from cypherd.binder.query import (
    Items,
    PatternGraph,
    PatternNode,
    PatternRelationship,
    ShortestPattern,
    holds_subquery,
)
from cypherd.binder.scopes import Environment, Names, Symbol, syntax_error
from cypherd.binder.types import UNKNOWN
from cypherd.errors import UnsupportedOperation
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


def bind_patterns(
    patterns: Sequence[ast.PathPattern], where: ast.Expression | None, environment: Environment
) -> GraphBuilder:
    """The patterns of one clause and its WHERE, as a graph and the scope after it.

    Raises VariableTypeConflict, VariableAlreadyBound, RelationshipUniquenessViolation,
    InvalidParameterUse, UndefinedVariable.
    """
    builder = GraphBuilder.over(environment)
    for pattern in patterns:
        _declare_path(builder, pattern)
    inner = replace(environment.without_aggregates(), scope=builder.scope)
    for symbol, element in builder.elements:
        _bind_element(builder, symbol, element, inner)
    if where is not None:
        builder.predicates.extend(conjuncts(bind_predicate(where, inner)))
    return builder


def conjuncts(predicate: BoundExpression) -> tuple[BoundExpression, ...]:
    """The parts of a conjunction: each must hold."""
    return predicate.operands if isinstance(predicate, bound.And) else (predicate,)


# --- declaring --------------------------------------------------------------------------


def _declare_path(builder: GraphBuilder, pattern: ast.PathPattern) -> None:
    if pattern.shortest is not None:
        _declare_shortest(builder, pattern)
        return
    columns = [_declare_node(builder, pattern.elements[0])]
    for position in range(1, len(pattern.elements), 2):
        relationship, node = pattern.elements[position : position + 2]
        symbol, prior = _declare_relationship(builder, relationship)
        start, end = columns[-1], _declare_node(builder, node)
        columns += [symbol, end]
        found = _relationship(relationship, symbol, start, end, prior)
        builder.relationships.append(found)
    if pattern.variable is not None:
        _declare_path_variable(builder, pattern)
        path = bound.PathOf(tuple(c.at(pattern.at) for c in columns), type=T.PATH, at=pattern.at)
        builder.paths.append((builder.scope[pattern.variable].name, path))


def _declare_path_variable(builder: GraphBuilder, pattern: ast.PathPattern) -> Symbol:
    if pattern.variable in builder.scope:
        message = f"variable `{pattern.variable}` is bound already"
        raise syntax_error("VariableAlreadyBound", message, pattern.at)
    return builder.declare(pattern.variable, "path", T.PATH)


def _declare_shortest(builder: GraphBuilder, pattern: ast.PathPattern) -> None:
    if len(pattern.elements) != 3:
        raise syntax_error(
            "InvalidRelationshipPattern",
            f"{pattern.shortest} takes a pattern of a single relationship",
            pattern.at,
        )
    first, relationship, last = pattern.elements
    assert isinstance(relationship, ast.RelationshipPattern)
    if relationship.length is None:
        single = ast.VariableLength(1, 1, at=relationship.at)
        relationship = replace(relationship, length=single)
    start = _declare_node(builder, first)
    symbol, prior = _declare_relationship(builder, relationship)
    end = _declare_node(builder, last)
    found = _relationship(relationship, symbol, start, end, prior)
    if found.length is not None and found.length[0] > 1:
        raise UnsupportedOperation(
            f"{pattern.shortest} with a minimal length above 1 is not supported",
            offset=pattern.at,
        )
    path = _declare_path_variable(builder, pattern).name if pattern.variable else None
    builder.shortest.append(ShortestPattern(found, path, pattern.shortest == "allShortestPaths"))


def _conflict(name: str, symbol: Symbol, wanted: str, at: int) -> Exception:
    message = f"variable `{name}` is a {symbol.type.value} and cannot be a {wanted} here"
    return syntax_error("VariableTypeConflict", message, at)


def _declare_node(builder: GraphBuilder, pattern: ast.Node) -> Symbol:
    assert isinstance(pattern, ast.NodePattern)
    symbol = builder.scope.get(pattern.variable) if pattern.variable is not None else None
    if symbol is None:
        symbol = builder.declare(pattern.variable, "node", T.NODE)
    elif symbol.type is not T.NODE and symbol.type not in UNKNOWN:
        raise _conflict(str(pattern.variable), symbol, "Node", pattern.at)
    labels = builder.labels.setdefault(symbol.name, [])
    labels.extend(label for label in pattern.labels if label not in labels)
    builder.elements.append((symbol, pattern))
    return symbol


def _declare_relationship(builder: GraphBuilder, pattern: ast.Node) -> tuple[Symbol, bool]:
    """Its symbol, and whether that was bound before this clause."""
    assert isinstance(pattern, ast.RelationshipPattern)
    name = pattern.variable
    single = pattern.length is None
    wanted = T.RELATIONSHIP if single else T.LIST
    symbol = builder.scope.get(name) if name is not None else None
    prior = symbol is not None
    if symbol is None:
        element = T.ANY if single else T.RELATIONSHIP
        symbol = builder.declare(name, "relationship", wanted, element)
    elif symbol.type is not wanted and symbol.type not in UNKNOWN:
        raise _conflict(str(name), symbol, wanted.value, pattern.at)
    elif name not in builder.outer or symbol.name in builder.introduced:
        raise syntax_error(
            "RelationshipUniquenessViolation",
            f"relationship `{name}` cannot stand twice in one pattern",
            pattern.at,
        )
    builder.elements.append((symbol, pattern))
    return symbol, prior


def _relationship(
    pattern: ast.Node, symbol: Symbol, start: Symbol, end: Symbol, prior: bool
) -> PatternRelationship:
    assert isinstance(pattern, ast.RelationshipPattern)
    length = None
    if pattern.length is not None:
        minimum = 1 if pattern.length.minimum is None else pattern.length.minimum
        length = (minimum, pattern.length.maximum)
    types = tuple(dict.fromkeys(pattern.types))
    ends, direction = (start.name, end.name), pattern.direction
    if direction == "in" and length is None:
        # One direction less to plan for; a path keeps the order of the text all the same.
        ends, direction = ends[::-1], "out"
    return PatternRelationship(symbol.name, *ends, direction, types, length, bound=prior)


# --- binding what stands inside ---------------------------------------------------------


def _bind_element(
    builder: GraphBuilder,
    symbol: Symbol,
    element: ast.NodePattern | ast.RelationshipPattern,
    environment: Environment,
) -> None:
    entries = bind_entries(element.properties, environment)
    if isinstance(element, ast.RelationshipPattern) and (
        element.length is not None or _is_shortest(builder, symbol)
    ):
        _refuse_subqueries([value for _, value in entries], "a property", element)
        each = _bind_each(builder, element, environment)
        _set_steps(builder, symbol.name, entries, each)
        return
    if element.matching is not None:
        source = symbol.at(element.at)
        builder.predicates.extend(conjuncts(matches(source, element.matching, environment)))
    for key, value in entries:
        held = bound.Property(symbol.at(element.at), key, at=value.at)
        equal = bound.Call("=", (held, value), type=T.BOOLEAN, at=value.at)
        builder.predicates.append(equal)
    if element.where is not None:
        builder.predicates.extend(conjuncts(bind_predicate(element.where, environment)))


def bind_entries(properties: ast.Expression | None, environment: Environment) -> Items:
    """The entries of a property map. Raises InvalidParameterUse for `$map`, whose keys are not
    known when the query is planned."""
    if properties is None:
        return ()
    if not isinstance(properties, ast.MapLiteral):
        raise syntax_error(
            "InvalidParameterUse",
            "a map that is a parameter cannot be matched; name its keys: {key: $map.key}",
            properties.at,
        )
    return tuple((key, bind(value, environment)) for key, value in properties.entries)


def _is_shortest(builder: GraphBuilder, symbol: Symbol) -> bool:
    return any(s.relationship.variable == symbol.name for s in builder.shortest)


def _bind_each(
    builder: GraphBuilder, element: ast.RelationshipPattern, environment: Environment
) -> Items:
    """What every relationship of a path must fulfil. In its WHERE the variable of the list is
    each of them in turn."""
    if element.where is None and element.matching is None:
        return ()
    if element.variable is None:
        symbol, inner = builder.names.anonymous("relationship", T.RELATIONSHIP), environment
    else:
        symbol = builder.names.declare(element.variable, T.RELATIONSHIP)
        inner = environment.local({element.variable: symbol})
    predicates: list[BoundExpression] = []
    if element.matching is not None:
        predicates.append(matches(symbol.at(element.at), element.matching, inner))
    if element.where is not None:
        predicates.extend(conjuncts(bind_predicate(element.where, inner)))
    _refuse_subqueries(predicates, "the WHERE", element)
    return tuple((symbol.name, predicate) for predicate in predicates)


def _refuse_subqueries(
    expressions: Sequence[BoundExpression], place: str, element: ast.RelationshipPattern
) -> None:
    """They are compared inside of the walk, where nothing else can be asked."""
    if any(map(holds_subquery, expressions)):
        raise UnsupportedOperation(
            f"a pattern or subquery in {place} of a relationship of variable length is not "
            "supported",
            offset=element.at,
        )


def _set_steps(builder: GraphBuilder, variable: str, entries: Items, each: Items) -> None:
    if not entries and not each:
        return
    builder.relationships = [
        replace(r, properties=entries, each=each) if r.variable == variable else r
        for r in builder.relationships
    ]
    builder.shortest = [
        replace(s, relationship=replace(s.relationship, properties=entries, each=each))
        if s.relationship.variable == variable
        else s
        for s in builder.shortest
    ]
