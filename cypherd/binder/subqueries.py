"""Expressions with a pattern or a query inside: predicates, comprehensions, EXISTS, COUNT."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal

from cypherd.binder import expressions as bound
from cypherd.binder.changing import is_update
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, binds
from cypherd.binder.labels import labels_predicate
from cypherd.binder.pattern_builder import GraphBuilder
from cypherd.binder.patterns import bind_patterns
from cypherd.binder.query import (
    BoundClause,
    BoundMatch,
    BoundPart,
    BoundProjection,
    BoundQuery,
    Items,
    Subquery,
)
from cypherd.binder.scopes import Environment, look_up, syntax_error
from cypherd.binder.types import require_boolean
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


def bind_pattern_predicate(
    node: ast.PatternExpression, environment: Environment
) -> BoundExpression:
    """`(a)-[:T]->(b)` where a boolean is asked for; it may not introduce variables."""
    pattern = node.pattern
    for element in pattern.elements:
        assert not isinstance(element, ast.PathGroup)
        if element.variable is not None:
            look_up(environment.scope, element.variable, element.at)
    if len(pattern.elements) == 1 and pattern.shortest is None:
        only = pattern.elements[0]
        assert isinstance(only, ast.NodePattern)
        value = bind(ast.Variable(only.variable or "", at=only.at), environment)
        if only.labels or only.matching is not None:
            return labels_predicate(value, only.labels, only.matching, environment, only.at)
        require_boolean(value)
    builder = bind_patterns((pattern,), None, environment.local({}))
    return _subquery("exists", (_match(builder),), None, environment, node.at)


@binds(ast.PatternExpression)
def _pattern_value(node: ast.PatternExpression, environment: Environment) -> BoundExpression:
    """A pattern where a value is asked for: only shortestPath gives one."""
    if node.pattern.shortest is None:
        if len(node.pattern.elements) == 1:
            return bind_pattern_predicate(node, environment)
        raise syntax_error(
            "UnexpectedSyntax",
            "a pattern may only stand where a boolean is asked for",
            node.at,
        )
    path = node.pattern.variable or "path"
    pattern = replace(node.pattern, variable=path)
    inner = environment.local({})
    scope = {name: symbol for name, symbol in inner.scope.items() if name != path}
    builder = bind_patterns((pattern,), None, replace(inner, scope=scope))
    found = builder.scope[path].at(node.at)
    paths = _list_of(builder, found, environment, node.at)
    if node.pattern.shortest == "allShortestPaths":
        return paths
    return bound.Call("head", (paths,), type=T.PATH, at=node.at)


@binds(ast.PatternComprehension)
def _pattern_comprehension(
    node: ast.PatternComprehension, environment: Environment
) -> BoundExpression:
    builder = bind_patterns((node.pattern,), node.where, environment.local({}))
    inner = replace(environment.local({}), scope=builder.scope)
    return _list_of(builder, bind(node.projection, inner), environment, node.at)


def _list_of(
    builder: GraphBuilder, value: BoundExpression, environment: Environment, at: int
) -> Subquery:
    column = environment.names.anonymous("value", value.type).name
    projection = BoundProjection(((column, value),), None, False, (), None, None, None)
    return _subquery("list", (_match(builder), projection), column, environment, at)


def _match(builder: GraphBuilder) -> BoundMatch:
    return BoundMatch(builder.graph(), False, tuple(builder.introduced))


def _subquery(
    kind: Literal["exists", "count", "list"],
    clauses: tuple[BoundClause, ...],
    value: str | None,
    environment: Environment,
    at: int,
) -> Subquery:
    columns = ((value, value),) if value else ()
    query = BoundQuery((BoundPart(clauses, columns),), False, bool(value))
    return _over_query(kind, query, value, environment, at)


def _over_query(
    kind: Literal["exists", "count", "list"],
    query: BoundQuery,
    value: str | None,
    environment: Environment,
    at: int,
) -> Subquery:
    type_ = {"exists": T.BOOLEAN, "count": T.INTEGER, "list": T.LIST}[kind]
    arguments = _arguments(query, environment, at)
    return Subquery(kind, arguments, query, value, type=type_, at=at)


def _arguments(query: BoundQuery, environment: Environment, at: int) -> Items:
    """The outer columns that the body names. Bound names are unique, so a name found anywhere
    in the body is a use of it (or, harmlessly, a label spelled the same)."""
    used = set(_names(query))
    outer = {symbol.name: symbol for symbol in environment.scope.values()}
    return tuple((name, symbol.at(at)) for name, symbol in outer.items() if name in used)


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from _names(member)
    elif is_dataclass(value) and not isinstance(value, type):
        for member in fields(value):
            yield from _names(getattr(value, member.name))


@binds(ast.SubqueryExpression)
def _subquery_expression(node: ast.SubqueryExpression, environment: Environment) -> BoundExpression:
    from cypherd.binder.clauses import bind_query

    if any(is_update(clause) for part in node.query.parts for clause in part):
        raise syntax_error(
            "InvalidClauseComposition", f"{node.kind.upper()} cannot hold a write", node.at
        )
    query = bind_query(node.query, environment.local({}))
    if node.kind == "exists":
        return _over_query("exists", query, None, environment, node.at)
    if node.kind == "count":
        return _over_query("count", query, None, environment, node.at)
    columns = query.parts[0].columns
    if len(columns) != 1:
        raise syntax_error(
            "InvalidClauseComposition", "COLLECT takes a query that returns one column", node.at
        )
    return _over_query("list", query, columns[0][1], environment, node.at)
