"""The shape of a plan: children, copies with other children, and the numbers of operators.

Operators are numbered by a pre-order walk: the operator itself, then its source (or left and
right), then its inner plan. Planner, executor and PROFILE all use these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from cypherd.planner.logical.operators import LogicalOperator

_CHILDREN = ("source", "left", "right", "inner", "match")


_FIELDS: dict[type, tuple[str, ...]] = {}


def _child_fields(kind: type[LogicalOperator]) -> tuple[str, ...]:
    found = _FIELDS.get(kind)
    if found is None:
        names = {field.name for field in fields(kind)}
        found = tuple(name for name in _CHILDREN if name in names)
        _FIELDS[kind] = found
    return found


def children(operator: LogicalOperator) -> tuple[LogicalOperator, ...]:
    """The operator's children: source, or left and right; then its inner plan."""
    return tuple(getattr(operator, name) for name in _child_fields(type(operator)))


def with_children(operator: LogicalOperator, new: tuple[LogicalOperator, ...]) -> LogicalOperator:
    """The operator with other children, in the order of `children`; itself if none differs."""
    names = _child_fields(type(operator))
    changes: dict[str, Any] = {
        name: child
        for name, child in zip(names, new, strict=True)
        if child is not getattr(operator, name)
    }
    return replace(operator, **changes) if changes else operator


def inner_plan(operator: LogicalOperator) -> LogicalOperator | None:
    """The plan that the operator runs for the rows of its source, if it has one."""
    names = _child_fields(type(operator))
    inner: LogicalOperator | None = None
    if names and names[-1] in ("inner", "match"):
        inner = getattr(operator, names[-1])
    return inner


def sources(operator: LogicalOperator) -> tuple[LogicalOperator, ...]:
    """The children whose rows flow into the operator, without its inner plan."""
    every = children(operator)
    return every if inner_plan(operator) is None else every[:-1]


def walk(root: LogicalOperator) -> Iterator[LogicalOperator]:
    """All operators in the order of their numbers."""
    stack = [root]
    while stack:
        operator = stack.pop()
        yield operator
        stack.extend(reversed(children(operator)))


def number_operators(root: LogicalOperator) -> dict[int, LogicalOperator]:
    """Operators by number, from 0."""
    return dict(enumerate(walk(root)))


def transform(
    operator: LogicalOperator, change: Callable[[LogicalOperator], LogicalOperator]
) -> LogicalOperator:
    """`change` applied to every operator, children first."""
    new = tuple(transform(child, change) for child in children(operator))
    return change(with_children(operator, new))
