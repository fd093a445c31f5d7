"""WITH and RETURN: columns, grouping, and what ORDER BY, WHERE, SKIP and LIMIT may see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from cypherd.binder import expressions as bound
from cypherd.binder.aggregation import has_aggregate, split_aggregation
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, bind_predicate
from cypherd.binder.query import BoundProjection, Items, holds_subquery
from cypherd.binder.scopes import Environment, Scope, Symbol, syntax_error
from cypherd.binder.types import NUMBERS, element_type, require
from cypherd.errors import CypherSyntaxError
from cypherd.functions.registry import find_functions
from cypherd.parser import ast
from cypherd.values.types import CypherType as T


@dataclass(frozen=True, slots=True)
class Projected:
    """`columns`: (column name, variable) in order."""

    clause: BoundProjection
    scope: Scope
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    symbol: Symbol
    source: ast.Expression
    value: BoundExpression


def bind_projection(
    projection: ast.Projection,
    where: ast.Expression | None,
    environment: Environment,
    *,
    aliases_needed: bool,
) -> Projected:
    """The body of WITH (`aliases_needed`) or RETURN.

    Raises NoVariablesInScope, ColumnNameConflict, NoExpressionAlias, NonConstantExpression,
    NegativeIntegerArgument, InvalidAggregation, AmbiguousAggregationExpression ...
    """
    items = _star(projection, environment, aliases_needed) + projection.items
    columns = [_column(item, environment) for item in items]
    _check_names(columns, items)
    values: Items = tuple((column.symbol.name, column.value) for column in columns)
    aggregation = None
    if any(has_aggregate(value) for _, value in values):
        aggregation, values = split_aggregation(values, environment.names)
    scope = {column.name: column.symbol for column in columns}
    closed = aggregation is not None or projection.distinct
    after = _After(environment, scope, tuple(columns), closed, aggregation is not None)
    order = tuple((after.bind(s.expression), s.ascending) for s in projection.order)
    if aliases_needed:
        check_aliases(projection.items, "WITH")
    clause = BoundProjection(
        values,
        aggregation,
        projection.distinct,
        order,
        _bind_count(projection.skip, environment, "SKIP"),
        _bind_count(projection.limit, environment, "LIMIT"),
        None if where is None else after.bind_where(where),
    )
    return Projected(clause, scope, tuple((c.name, c.symbol.name) for c in columns))


# --- columns ----------------------------------------------------------------------------


def _star(
    projection: ast.Projection, environment: Environment, with_: bool
) -> tuple[ast.ProjectionItem, ...]:
    if not projection.star:
        return ()
    if not environment.scope and not projection.items and not with_:
        raise syntax_error("NoVariablesInScope", "RETURN * needs variables in scope", projection.at)
    # In name order, as Neo4j gives them.
    return tuple(
        ast.ProjectionItem(ast.Variable(name, at=projection.at), None, name, at=projection.at)
        for name in sorted(environment.scope)
        if not name.startswith("  ")
    )


def _column(item: ast.ProjectionItem, environment: Environment) -> _Column:
    value = bind(item.expression, replace(environment, aggregates="allowed"))
    name = item.text if item.alias is None else item.alias
    if isinstance(item.expression, ast.Variable):
        name = item.alias or item.expression.name
        known = environment.scope[item.expression.name]
        if name == item.expression.name:
            return _Column(name, known, item.expression, value)
    element = element_type(value, environment.names)
    symbol = environment.names.declare(name, value.type, element)
    return _Column(name, symbol, item.expression, value)


def _check_names(columns: Sequence[_Column], items: Sequence[ast.ProjectionItem]) -> None:
    seen = set()
    for column, item in zip(columns, items, strict=True):
        if column.name in seen:
            message = f"there are two columns named `{column.name}`"
            raise syntax_error("ColumnNameConflict", message, item.at)
        seen.add(column.name)


def check_aliases(items: Sequence[ast.ProjectionItem], where: str) -> None:
    """Raises NoExpressionAlias."""
    for item in items:
        if item.alias is None and not isinstance(item.expression, ast.Variable):
            message = f"`{item.text}` needs a name in {where} (use AS)"
            raise syntax_error("NoExpressionAlias", message, item.at)


# --- ORDER BY and WHERE -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _After:
    """What stands behind the items. `closed`: after aggregation or DISTINCT only the columns
    (or the very expressions that made them) can be named; otherwise also what was before."""

    environment: Environment
    scope: Scope
    columns: tuple[_Column, ...]
    closed: bool
    aggregating: bool

    def _repeatable(self) -> dict[ast.Expression, Symbol]:
        """Projected expressions by their AST, unless a name in them has a new meaning now."""
        found: dict[ast.Expression, Symbol] = {}
        for column in self.columns:
            source = column.source
            if isinstance(source, ast.Constant | ast.Parameter | ast.ListLiteral):
                continue
            if isinstance(source, ast.Variable) and not self.closed:
                continue
            if not any(self._rebound(name) for name in _variable_names(source)):
                found.setdefault(source, column.symbol)
        return found

    def _rebound(self, name: str) -> bool:
        return name in self.scope and self.scope[name] != self.environment.scope.get(name)

    def _environment(self) -> Environment:
        scope = self.scope if self.closed else {**self.environment.scope, **self.scope}
        return replace(
            self.environment,
            scope=scope,
            projected=self._repeatable(),
            aggregates="allowed" if self.aggregating else "forbidden",
        )

    def bind(self, expression: ast.Expression) -> BoundExpression:
        """A sort key. An aggregate must be one of the projected ones."""
        environment = self._environment()
        if self.aggregating and _holds_aggregate(expression):
            computed = frozenset(source for source in environment.projected if _is_computed(source))
            projected = {e: s for e, s in environment.projected.items() if e not in computed}
            if expression not in projected:
                environment = replace(environment, projected=projected, computed=computed)
        value = bind(expression, environment)
        if has_aggregate(value):
            message = "ORDER BY can only use aggregates that are projected"
            raise syntax_error("InvalidAggregation", message, expression.at)
        return value

    def bind_where(self, expression: ast.Expression) -> BoundExpression:
        return bind_predicate(expression, replace(self._environment(), aggregates="forbidden"))


def _walk_ast(value: Any) -> Iterator[ast.Node]:
    if isinstance(value, tuple):
        for member in value:
            yield from _walk_ast(member)
    elif isinstance(value, ast.Node):
        yield value
        for member in fields(value):
            yield from _walk_ast(getattr(value, member.name))


def _variable_names(expression: ast.Expression) -> Iterator[str]:
    return (node.name for node in _walk_ast(expression) if isinstance(node, ast.Variable))


def _holds_aggregate(expression: ast.Expression) -> bool:
    for node in _walk_ast(expression):
        if isinstance(node, ast.CountStar):
            return True
        if isinstance(node, ast.FunctionCall) and any(
            function.aggregate for function in find_functions(node.name.lower())
        ):
            return True
    return False


def _is_computed(expression: ast.Expression) -> bool:
    """Neither a variable, nor a property of one, nor an aggregate."""
    if _holds_aggregate(expression):
        return False
    while isinstance(expression, ast.Property):
        expression = expression.source
    return not isinstance(expression, ast.Variable)


# --- SKIP and LIMIT ---------------------------------------------------------------------


def _bind_count(
    expression: ast.Expression | None, environment: Environment, clause: str
) -> BoundExpression | None:
    return None if expression is None else bind_count(expression, environment, clause)


def bind_count(
    expression: ast.Expression, environment: Environment, clause: str
) -> BoundExpression:
    """A number of rows, the same for all of the query. Raises NonConstantExpression,
    InvalidArgumentType, NegativeIntegerArgument."""
    try:
        value = bind(expression, replace(environment, scope={}, aggregates="forbidden"))
    except CypherSyntaxError as error:
        if error.detail != "UndefinedVariable":
            raise
        raise syntax_error(
            "NonConstantExpression", f"{clause} cannot depend on variables", expression.at
        ) from error
    if holds_subquery(value):
        raise syntax_error(
            "NonConstantExpression", f"{clause} cannot depend on the graph", expression.at
        )
    require(value, NUMBERS - {T.FLOAT}, "an integer")
    if isinstance(value, bound.Constant) and isinstance(value.value, int) and value.value < 0:
        message = f"{clause} must not be negative"
        raise syntax_error("NegativeIntegerArgument", message, expression.at)
    return value
