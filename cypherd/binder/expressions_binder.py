"""Expressions: from the AST to bound ones.

`bind(expression, environment)` looks up a binder by the node's class in BINDERS; the modules
`function_calls` and `subqueries` add theirs. Every binder takes (node, environment).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.scopes import Environment, Symbol, look_up, syntax_error
from cypherd.binder.types import (
    arithmetic_type,
    concatenation_type,
    element_type,
    require,
    require_boolean,
    require_properties,
    type_of_value,
    unify,
)
from cypherd.errors import UnsupportedOperation
from cypherd.parser import ast
from cypherd.values.types import CypherType as T

Binder = Callable[[Any, Environment], BoundExpression]
BINDERS: dict[type, Binder] = {}
B = TypeVar("B", bound=Binder)


def binds(kind: type) -> Callable[[B], B]:
    """Registers a binder for an AST class."""

    def register(binder: B) -> B:
        BINDERS[kind] = binder
        return binder

    return register


def bind(expression: ast.Expression, environment: Environment) -> BoundExpression:
    """The bound form of an expression that stands for a value.

    Raises CypherSyntaxError with the openCypher detail, CypherTypeError, UnsupportedOperation.
    """
    if environment.projected:
        symbol = environment.projected.get(expression)
        if symbol is not None:
            return symbol.at(expression.at)
        if expression in environment.computed:
            raise syntax_error(
                "AmbiguousAggregationExpression",
                "an expression with an aggregate may only use grouping keys that are variables "
                "or properties; project this one under a name first",
                expression.at,
            )
    binder = BINDERS.get(type(expression))
    if binder is None:
        raise UnsupportedOperation(
            f"{type(expression).__name__} is not supported", offset=expression.at
        )
    return binder(expression, environment)


def bind_predicate(expression: ast.Expression, environment: Environment) -> BoundExpression:
    """The bound form of an expression that must be a boolean; patterns may stand here."""
    if isinstance(expression, ast.PatternExpression):
        from cypherd.binder.subqueries import bind_pattern_predicate

        return bind_pattern_predicate(expression, environment)
    predicate = bind(expression, environment)
    require_boolean(predicate)
    return predicate


# --- leaves -----------------------------------------------------------------------------


@binds(ast.Constant)
def _constant(node: ast.Constant, environment: Environment) -> BoundExpression:
    return bound.Constant(node.value, type=type_of_value(node.value), at=node.at)


@binds(ast.Parameter)
def _parameter(node: ast.Parameter, environment: Environment) -> BoundExpression:
    environment.names.parameters.add(node.name)
    return bound.Parameter(node.name, at=node.at)


@binds(ast.Variable)
def _variable(node: ast.Variable, environment: Environment) -> BoundExpression:
    return look_up(environment.scope, node.name, node.at).at(node.at)


@binds(ast.ListLiteral)
def _list(node: ast.ListLiteral, environment: Environment) -> BoundExpression:
    items = tuple(bind(item, environment) for item in node.items)
    return bound.ListOf(items, type=T.LIST, at=node.at)


@binds(ast.MapLiteral)
def _map(node: ast.MapLiteral, environment: Environment) -> BoundExpression:
    # A key given twice keeps its last value, as in Neo4j.
    entries = {key: bind(value, environment) for key, value in node.entries}
    return bound.MapOf(tuple(entries), tuple(entries.values()), type=T.MAP, at=node.at)


# --- access -----------------------------------------------------------------------------


@binds(ast.Property)
def _property(node: ast.Property, environment: Environment) -> BoundExpression:
    source = bind(node.source, environment)
    require_properties(source, node.key, node.at)
    return bound.Property(source, node.key, at=node.at)


@binds(ast.Subscript)
def _subscript(node: ast.Subscript, environment: Environment) -> BoundExpression:
    source, index = bind(node.source, environment), bind(node.index, environment)
    element = element_type(source, environment.names) if source.type is T.LIST else T.ANY
    return bound.Call("subscript", (source, index), type=element, at=node.at)


@binds(ast.Slice)
def _slice(node: ast.Slice, environment: Environment) -> BoundExpression:
    null = bound.Constant(None, type=T.NULL, at=node.at)
    # An open end is the end of the list, whereas a null end gives null.
    start: BoundExpression = bound.Constant(0, type=T.INTEGER, at=node.at)
    end: BoundExpression = bound.Constant(2**63 - 1, type=T.INTEGER, at=node.at)
    start = start if node.start is None else bind(node.start, environment)
    end = end if node.end is None else bind(node.end, environment)
    source = bind(node.source, environment)
    if T.NULL in (start.type, end.type):
        return null
    return bound.Call("slice", (source, start, end), type=T.LIST, at=node.at)


# --- operators --------------------------------------------------------------------------


@binds(ast.Unary)
def _unary(node: ast.Unary, environment: Environment) -> BoundExpression:
    if node.operator == "not":
        operand = bind_predicate(node.operand, environment)
        return bound.Not(operand, type=T.BOOLEAN, at=node.at)
    operand = bind(node.operand, environment)
    numbers = frozenset({T.INTEGER, T.FLOAT, T.NUMBER, T.TEMPORAL})
    require(operand, numbers, "a number", at=node.at)
    if isinstance(operand, bound.Constant) and operand.value is not None:
        value = -operand.value if node.operator == "-" else operand.value
        return bound.Constant(value, type=operand.type, at=node.at)
    name = "negate" if node.operator == "-" else "plus"
    return bound.Call(name, (operand,), type=operand.type, at=node.at)


@binds(ast.Binary)
def _binary(node: ast.Binary, environment: Environment) -> BoundExpression:
    if node.operator in ("and", "or", "xor"):
        return _logical(node, environment)
    left, right = bind(node.left, environment), bind(node.right, environment)
    if node.operator in ("+", "-", "*", "/", "%", "^"):
        type_ = arithmetic_type(node.operator, left, right, node.at)
        return bound.Call(node.operator, (left, right), type=type_, at=node.at)
    if node.operator == "||":
        type_ = concatenation_type(left, right, node.at)
        return bound.Call("||", (left, right), type=type_, at=node.at)
    if node.operator == "in":
        require(right, frozenset({T.LIST}), "a list")
    return bound.Call(node.operator, (left, right), type=T.BOOLEAN, at=node.at)


def _flatten(node: ast.Expression, operator: str) -> list[ast.Expression]:
    """The operands of a left-deep chain such as `a and b and c`, without recursion."""
    operands = []
    while isinstance(node, ast.Binary) and node.operator == operator:
        operands.append(node.right)
        node = node.left
    operands.append(node)
    return operands[::-1]


def _logical(node: ast.Binary, environment: Environment) -> BoundExpression:
    if node.operator == "xor":
        left = bind_predicate(node.left, environment)
        right = bind_predicate(node.right, environment)
        return bound.Xor(left, right, type=T.BOOLEAN, at=node.at)
    kind = bound.And if node.operator == "and" else bound.Or
    operands: list[BoundExpression] = []
    for operand in _flatten(node, node.operator):
        part = bind_predicate(operand, environment)
        operands.extend(part.operands if isinstance(part, kind) else (part,))
    return kind(tuple(operands), type=T.BOOLEAN, at=node.at)


@binds(ast.Comparison)
def _comparison(node: ast.Comparison, environment: Environment) -> BoundExpression:
    operands = [bind(operand, environment) for operand in node.operands]
    links = tuple(
        bound.Call(operator, (left, right), type=T.BOOLEAN, at=node.at)
        for operator, left, right in zip(node.operators, operands, operands[1:], strict=False)
    )
    return links[0] if len(links) == 1 else bound.And(links, type=T.BOOLEAN, at=node.at)


@binds(ast.IsNull)
def _is_null(node: ast.IsNull, environment: Environment) -> BoundExpression:
    operand = bind(node.operand, environment)
    return bound.IsNull(operand, node.negated, type=T.BOOLEAN, at=node.at)


@binds(ast.IsTyped)
def _is_typed(node: ast.IsTyped, environment: Environment) -> BoundExpression:
    operand = bind(node.operand, environment)
    return bound.IsTyped(operand, node.type, node.negated, type=T.BOOLEAN, at=node.at)


@binds(ast.IsNormalized)
def _is_normalized(node: ast.IsNormalized, environment: Environment) -> BoundExpression:
    operand = bind(node.operand, environment)
    form = bound.Constant(node.form, type=T.STRING, at=node.at)
    found = bound.Call("is normalized", (operand, form), type=T.BOOLEAN, at=node.at)
    return bound.Not(found, type=T.BOOLEAN, at=node.at) if node.negated else found


@binds(ast.Case)
def _case(node: ast.Case, environment: Environment) -> BoundExpression:
    subject = None if node.subject is None else bind(node.subject, environment)
    bind_condition = bind_predicate if subject is None else bind
    conditions = tuple(bind_condition(condition, environment) for condition, _ in node.alternatives)
    results = tuple(bind(result, environment) for _, result in node.alternatives)
    default = None if node.default is None else bind(node.default, environment)
    type_ = unify(r.type for r in (*results, *((default,) if default else ())))
    return bound.Case(subject, conditions, results, default, type=type_, at=node.at)


# --- variables of their own -------------------------------------------------------------


def _element(name: str, source: BoundExpression, environment: Environment) -> Symbol:
    require(source, frozenset({T.LIST}), "a list")
    return environment.names.declare(name, element_type(source, environment.names))


@binds(ast.ListComprehension)
def _comprehension(node: ast.ListComprehension, environment: Environment) -> BoundExpression:
    source = bind(node.source, environment)
    symbol = _element(node.variable, source, environment)
    inner = environment.local({node.variable: symbol})
    where = None if node.where is None else bind_predicate(node.where, inner)
    projection = None if node.projection is None else bind(node.projection, inner)
    return bound.ListComprehension(symbol.name, source, where, projection, type=T.LIST, at=node.at)


@binds(ast.Quantifier)
def _quantifier(node: ast.Quantifier, environment: Environment) -> BoundExpression:
    source = bind(node.source, environment)
    symbol = _element(node.variable, source, environment)
    inner = environment.local({node.variable: symbol})
    condition = node.where if node.where is not None else ast.Variable(node.variable, at=node.at)
    where = bind_predicate(condition, inner)
    return bound.Quantifier(node.kind, symbol.name, source, where, type=T.BOOLEAN, at=node.at)


@binds(ast.Reduce)
def _reduce(node: ast.Reduce, environment: Environment) -> BoundExpression:
    initial, source = bind(node.initial, environment), bind(node.source, environment)
    symbol = _element(node.variable, source, environment)
    # Each step may give another type (0 + 1.5), so that of the accumulator is not known.
    accumulator = environment.names.declare(node.accumulator)
    inner = environment.local({node.accumulator: accumulator, node.variable: symbol})
    step = bind(node.expression, inner)
    return bound.Reduce(accumulator.name, initial, symbol.name, source, step, at=node.at)


@binds(ast.MapProjection)
def _map_projection(node: ast.MapProjection, environment: Environment) -> BoundExpression:
    source = bind(node.variable, environment)
    require_properties(source, "*", node.at)
    items = tuple(
        (key, None if expression is None else bind(expression, environment))
        for key, expression in node.items
    )
    return bound.MapProjection(source, items, type=T.MAP, at=node.at)
