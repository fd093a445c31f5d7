"""Walking and rewriting bound expressions, whatever their class.

The fields of each class are read once: an expression's children are its BoundExpression fields,
the members of tuples of them, and the second members of (name, expression) pairs. Subqueries
show only their arguments; their bodies have names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

from cypherd.binder.expressions import BoundExpression, Variable

Expression = TypeVar("Expression", bound=BoundExpression)


_FIELDS: dict[type, tuple[str, ...]] = {}


def _field_names(kind: type[BoundExpression]) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = tuple(f.name for f in fields(kind) if f.name not in ("type", "at"))
        _FIELDS[kind] = names
    return names


def _within(value: Any) -> Iterator[BoundExpression]:
    if isinstance(value, BoundExpression):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from _within(member)


def children(expression: BoundExpression) -> Iterator[BoundExpression]:
    """The direct parts of an expression, in the order of its fields."""
    for name in _field_names(type(expression)):
        yield from _within(getattr(expression, name))


def walk(expression: BoundExpression) -> Iterator[BoundExpression]:
    """The expression and all its parts, in pre-order."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def _mapped(value: Any, change: Callable[[BoundExpression], BoundExpression]) -> Any:
    if isinstance(value, BoundExpression):
        return change(value)
    if isinstance(value, tuple):
        changed = tuple(_mapped(member, change) for member in value)
        same = all(a is b for a, b in zip(changed, value, strict=True))
        return value if same else changed
    return value


def map_children(
    expression: Expression, change: Callable[[BoundExpression], BoundExpression]
) -> Expression:
    """The expression with `change` applied to its direct parts; the same object if none differs."""
    changes = {}
    for name in _field_names(type(expression)):
        value = getattr(expression, name)
        changed = _mapped(value, change)
        if changed is not value:
            changes[name] = changed
    return replace(expression, **changes) if changes else expression


def transform(
    expression: BoundExpression, change: Callable[[BoundExpression], BoundExpression]
) -> BoundExpression:
    """`change` applied to every part, innermost first."""
    return change(map_children(expression, lambda part: transform(part, change)))


def variables(expression: BoundExpression) -> frozenset[str]:
    """Names of the columns that the expression reads (element variables of comprehensions, whose
    names are unique, are left out)."""
    read: set[str] = set()
    local: set[str] = set()
    for part in walk(expression):
        if isinstance(part, Variable):
            read.add(part.name)
        for name in ("variable", "accumulator"):
            declared = getattr(part, name, None)
            if isinstance(declared, str):
                local.add(declared)
    return frozenset(read - local)


def substitute(expression: BoundExpression, names: dict[str, BoundExpression]) -> BoundExpression:
    """The expression with the variables in `names` replaced."""

    def change(part: BoundExpression) -> BoundExpression:
        if isinstance(part, Variable):
            return names.get(part.name, part)
        return part

    return transform(expression, change) if variables(expression) & names.keys() else expression
