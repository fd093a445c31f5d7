"""Patterns that are looked for: MATCH, pattern predicates, pattern comprehensions.

All variables of a clause are declared first, in the order of the text; then the property maps,
which may use any of them, become predicates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.labels import matches
from cypherd.binder.path_parts import repeated, repeated_types
from cypherd.binder.pattern_builder import GraphBuilder
from cypherd.binder.query import (
    Items,
    PatternGroup,
    PatternRelationship,
    ShortestPattern,
    holds_subquery,
)
from cypherd.binder.scopes import Environment, Symbol, syntax_error
from cypherd.binder.selections import select
from cypherd.binder.types import UNKNOWN
from cypherd.errors import UnsupportedOperation
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


def bind_patterns(
    patterns: Sequence[ast.PathPattern], where: ast.Expression | None, environment: Environment
) -> GraphBuilder:
    """The patterns of one clause and its WHERE, as a graph and the scope after it.

    Raises VariableTypeConflict, VariableAlreadyBound, RelationshipUniquenessViolation,
    InvalidParameterUse, UndefinedVariable.
    """
    builder = GraphBuilder.over(environment)
    for pattern in patterns:
        _declare_path(builder, pattern, environment)
    inner = replace(environment.without_aggregates(), scope=builder.scope)
    for symbol, element in builder.elements:
        _bind_element(builder, symbol, element, inner)
    for pattern in patterns:
        if pattern.where is not None:
            builder.predicates.extend(conjuncts(bind_predicate(pattern.where, inner)))
        if pattern.selector is not None:
            if len(patterns) > 1:
                raise syntax_error(
                    "UnexpectedSyntax",
                    "a clause that selects paths (ANY, SHORTEST) has a single pattern; put the "
                    "others in a MATCH of their own",
                    pattern.selector.at,
                )
            select(builder, pattern.selector, environment)
    if where is not None:
        builder.predicates.extend(conjuncts(bind_predicate(where, inner)))
    return builder


def conjuncts(predicate: BoundExpression) -> tuple[BoundExpression, ...]:
    """The parts of a conjunction: each must hold."""
    return predicate.operands if isinstance(predicate, bound.And) else (predicate,)


# --- declaring --------------------------------------------------------------------------


def _declare_path(
    builder: GraphBuilder, pattern: ast.PathPattern, environment: Environment
) -> None:
    if pattern.shortest is not None:
        _declare_shortest(builder, pattern)
        return
    columns = [_declare_node(builder, pattern.elements[0])]
    for position in range(1, len(pattern.elements), 2):
        part, node = pattern.elements[position : position + 2]
        if isinstance(part, ast.PathGroup):
            found = _declare_group(builder, part, columns[-1], environment)
            symbol, end = Symbol(found.variable, T.LIST), _declare_node(builder, node)
            found = replace(found, end=end.name)
        else:
            symbol, prior = _declare_relationship(builder, part)
            end = _declare_node(builder, node)
            found = _relationship(part, symbol, columns[-1], end, prior)
        columns += [symbol, end]
        builder.relationships.append(found)
    if pattern.variable is not None:
        _declare_path_variable(builder, pattern)
        path = bound.PathOf(tuple(c.at(pattern.at) for c in columns), type=T.PATH, at=pattern.at)
        builder.paths.append((builder.scope[pattern.variable].name, path))


def _declare_group(
    builder: GraphBuilder, group: ast.PathGroup, start: Symbol, environment: Environment
) -> PatternRelationship:
    """A part that is repeated; it has no end yet. Inside, its variables are what each time is
    found; outside they are lists of that. It sees what was there before the clause."""
    for element in group.elements:
        assert not isinstance(element, ast.PathGroup)
        if element.variable in builder.scope:
            message = (
                f"variable `{element.variable}` is bound already; those of a quantified part of "
                "a path stand nowhere else in its clause or before it"
            )
            raise syntax_error("VariableAlreadyBound", message, element.at)
    path = ast.PathPattern(None, group.elements, at=group.at)
    inside = bind_patterns((path,), group.where, environment)
    walked = builder.declare(None, "walked", T.LIST, T.RELATIONSHIP)
    columns = tuple(
        (builder.declare(name, "list", T.LIST, symbol.type).name, symbol.name)
        for name, symbol in inside.scope.items()
        if symbol.name in inside.introduced
    )
    minimum = 1 if group.length.minimum is None else group.length.minimum
    length = (minimum, group.length.maximum)
    part = PatternGroup(
        graph=inside.graph(),
        start=inside.elements[0][0].name,
        end=inside.elements[-1][0].name,
        columns=columns,
        relationships=tuple(r.variable for r in inside.relationships),
        minimum=minimum,
        maximum=group.length.maximum,
    )
    types = repeated_types(inside.relationships)
    return PatternRelationship(walked.name, start.name, "", "out", types, length, group=part)


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
    if not isinstance(relationship, ast.RelationshipPattern):
        raise syntax_error(
            "InvalidRelationshipPattern",
            f"{pattern.shortest} takes no quantified part; write SHORTEST 1 or ALL SHORTEST",
            relationship.at,
        )
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
        _set_steps(builder, symbol, element, entries, _bind_each(builder, element, environment))
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
    return tuple((symbol.name, predicate) for predicate in predicates)


def _set_steps(
    builder: GraphBuilder,
    symbol: Symbol,
    element: ast.RelationshipPattern,
    entries: Items,
    each: Items,
) -> None:
    """What every relationship on the way must have and fulfil. Inside of a walk nothing else can
    be asked, so with a subquery among it, it is a part that is repeated."""
    if not entries and not each:
        return
    planned = any(holds_subquery(value) for _, value in (*entries, *each))
    if planned and _is_shortest(builder, symbol):
        raise UnsupportedOperation(
            "a pattern or subquery in the condition of a relationship of a shortest path is not "
            "supported",
            offset=element.at,
        )

    def with_conditions(relationship: PatternRelationship) -> PatternRelationship:
        if relationship.variable != symbol.name:
            return relationship
        found = replace(relationship, properties=entries, each=each)
        if not planned:
            return found
        if found.bound:
            raise UnsupportedOperation(
                "a pattern or subquery in the condition of a list of relationships that is bound "
                "already is not supported",
                offset=element.at,
            )
        walked = builder.declare(None, "walked", T.LIST, T.RELATIONSHIP)
        return repeated(found, walked.name, builder.names)

    builder.relationships = [with_conditions(r) for r in builder.relationships]
    builder.shortest = [
        replace(s, relationship=with_conditions(s.relationship)) for s in builder.shortest
    ]
