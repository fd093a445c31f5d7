"""The expressions that an operator holds, and copies of it with others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators import LogicalOperator

_TREE = frozenset({"source", "left", "right", "inner", "match", "estimated_rows"})


_FIELDS: dict[type, tuple[str, ...]] = {}


def _own_fields(kind: type[Any]) -> tuple[str, ...]:
    names = _FIELDS.get(kind)
    if names is None:
        names = tuple(field.name for field in fields(kind) if field.name not in _TREE)
        _FIELDS[kind] = names
    return names


def _within(value: Any) -> Iterator[BoundExpression]:
    if isinstance(value, BoundExpression):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from _within(member)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _own_fields(type(value)):
            yield from _within(getattr(value, name))


def expressions(operator: LogicalOperator) -> Iterator[BoundExpression]:
    """All expressions of the operator itself, outermost only."""
    for name in _own_fields(type(operator)):
        yield from _within(getattr(operator, name))


def _mapped(value: Any, change: Callable[[BoundExpression], BoundExpression]) -> Any:
    if isinstance(value, BoundExpression):
        return change(value)
    if isinstance(value, tuple):
        new = tuple(_mapped(member, change) for member in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    if is_dataclass(value) and not isinstance(value, type):
        return _changed(value, change)
    return value


def _changed(holder: Any, change: Callable[[BoundExpression], BoundExpression]) -> Any:
    found = {}
    for name in _own_fields(type(holder)):
        old = getattr(holder, name)
        new = _mapped(old, change)
        if new is not old:
            found[name] = new
    return replace(holder, **found) if found else holder


def map_expressions(
    operator: LogicalOperator, change: Callable[[BoundExpression], BoundExpression]
) -> LogicalOperator:
    """The operator with every expression changed; itself if none differs."""
    changed: LogicalOperator = _changed(operator, change)
    return changed
