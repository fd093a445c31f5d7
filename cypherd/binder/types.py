"""What is known of types at compile time, and the checks that follow from it.

A type may always be null besides; ANY passes every check, which then falls to run time.
"""

from __future__ import annotations

from collections.abc import Iterable

from cypherd.binder.expressions import (
    BoundExpression,
    Call,
    Constant,
    ListComprehension,
    ListOf,
    Variable,
)
from cypherd.binder.scopes import Names, syntax_error
from cypherd.errors import CypherTypeError
from cypherd.values.types import CypherType as T

NUMBERS = frozenset({T.INTEGER, T.FLOAT, T.NUMBER})
UNKNOWN = frozenset({T.ANY, T.NULL})
_WITH_PROPERTIES = frozenset({T.NODE, T.RELATIONSHIP, T.MAP, T.TEMPORAL, T.POINT}) | UNKNOWN
_ADDED = frozenset(T) - {T.BOOLEAN, T.MAP, T.NODE, T.RELATIONSHIP, T.PATH}
_ARITHMETIC = NUMBERS | UNKNOWN | {T.TEMPORAL}


def type_of_value(value: object) -> T:
    """The type of a literal's value."""
    if value is None:
        return T.NULL
    for kind, type_ in ((bool, T.BOOLEAN), (int, T.INTEGER), (float, T.FLOAT), (str, T.STRING)):
        if isinstance(value, kind):
            return type_
    return T.LIST if isinstance(value, list | tuple) else T.MAP


def unify(types: Iterable[T]) -> T:
    """The one type of all that are not null, NUMBER for mixed numbers, otherwise ANY."""
    found = set(types) - {T.NULL}
    if not found:
        return T.NULL
    if len(found) == 1:
        return found.pop()
    return T.NUMBER if found <= NUMBERS else T.ANY


def accepts(expected: T, actual: T) -> bool:
    """May a value of type `actual` stand where `expected` is asked for?"""
    if expected is T.ANY or actual in UNKNOWN or expected is actual:
        return True
    return (expected in NUMBERS and actual in NUMBERS and actual is not T.FLOAT) or (
        actual in NUMBERS and expected in (T.NUMBER, T.FLOAT)
    )


def element_type(expression: BoundExpression, names: Names) -> T:
    """The type of a list expression's elements, ANY if not known."""
    if isinstance(expression, ListOf):
        return _known(unify(item.type for item in expression.items))
    if isinstance(expression, Constant) and isinstance(expression.value, list | tuple):
        return _known(unify(type_of_value(value) for value in expression.value))
    if isinstance(expression, Variable):
        return names.elements.get(expression.name, T.ANY)
    if isinstance(expression, ListComprehension):
        if expression.projection is not None:
            return expression.projection.type
        return element_type(expression.source, names)
    if isinstance(expression, Call):
        return _element_of_call(expression, names)
    return T.ANY


def _known(type_: T) -> T:
    return T.ANY if type_ is T.NULL else type_


def _element_of_call(call: Call, names: Names) -> T:
    fixed = {
        "range": T.INTEGER,
        "nodes": T.NODE,
        "relationships": T.RELATIONSHIP,
        "keys": T.STRING,
        "labels": T.STRING,
        "split": T.STRING,
    }
    if call.function in fixed:
        return fixed[call.function]
    if call.function in ("tail", "reverse", "slice") and call.arguments:
        return element_type(call.arguments[0], names)
    if call.function == "+" and all(a.type is T.LIST for a in call.arguments):
        return _known(unify(element_type(a, names) for a in call.arguments))
    return T.ANY


def require(
    expression: BoundExpression, allowed: frozenset[T], wanted: str, *, at: int | None = None
) -> None:
    """Raises InvalidArgumentType if the type is known to be none of `allowed`."""
    if expression.type in allowed or expression.type in UNKNOWN:
        return
    offset = expression.at if at is None else at
    message = f"expected {wanted}, but this is {expression.type.value}"
    raise syntax_error("InvalidArgumentType", message, offset)


def require_boolean(expression: BoundExpression) -> None:
    require(expression, frozenset({T.BOOLEAN}), "Boolean")


def require_properties(expression: BoundExpression, key: str, at: int) -> None:
    """A property is read of something that can have one."""
    if expression.type in _WITH_PROPERTIES:
        return
    message = f"{expression.type.value} has no properties, so `{key}` cannot be read"
    if expression.type is T.PATH:
        raise syntax_error("InvalidArgumentType", message, at)
    error = CypherTypeError(message, detail="InvalidArgumentType", offset=at)
    error.compile_time = True
    raise error


def arithmetic_type(operator: str, left: BoundExpression, right: BoundExpression, at: int) -> T:
    """The type of `left operator right`. Raises InvalidArgumentType where it has none."""
    kinds = {left.type, right.type}
    if operator == "+":
        return _addition_type(left, right, at)
    for side in (left, right):
        require(side, _ARITHMETIC, "a number", at=at)
    if T.TEMPORAL in kinds or kinds & UNKNOWN:
        return T.ANY
    if operator == "^":
        return T.FLOAT
    return _numeric(kinds)


def concatenation_type(left: BoundExpression, right: BoundExpression, at: int) -> T:
    """The type of `left || right`. Raises InvalidArgumentType unless both may be strings, or both
    lists."""
    if T.BOOLEAN in (left.type, right.type):
        message = "|| puts strings or lists together, and this is Boolean"
        raise syntax_error("InvalidArgumentType", message, at, "write OR")
    for side in (left, right):
        require(side, frozenset({T.STRING, T.LIST}), "a string or a list", at=at)
    kinds = {left.type, right.type} - UNKNOWN
    if len(kinds) > 1:
        wanted = {T.STRING: "a string", T.LIST: "a list"}[left.type]
        require(right, frozenset({left.type}), wanted, at=at)
    return kinds.pop() if kinds else T.ANY


def _numeric(kinds: set[T]) -> T:
    if kinds == {T.INTEGER}:
        return T.INTEGER
    return T.FLOAT if T.FLOAT in kinds else T.NUMBER


def _addition_type(left: BoundExpression, right: BoundExpression, at: int) -> T:
    """Anything can be added to a list; what is not known may be one."""
    kinds = {left.type, right.type}
    if T.LIST in kinds:
        return T.LIST
    if kinds & UNKNOWN:
        return T.ANY
    for side in (left, right):
        require(side, _ADDED, "a number, a string or a list", at=at)
    if kinds <= NUMBERS:
        return _numeric(kinds)
    return T.STRING if T.STRING in kinds and kinds <= NUMBERS | {T.STRING} else T.ANY
