"""List functions. Every one takes a `range` where it takes a list (values/lists.py)."""

from __future__ import annotations

from typing import Any

from cypherd.errors import ArgumentError
from cypherd.functions.signature import Family
from cypherd.values.arithmetic import is_integer
from cypherd.values.description import type_of, wrong_type
from cypherd.values.lists import is_list
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function


@function(
    "range",
    arguments=(T.ANY, T.ANY, T.ANY),  # wrong types are an error of the running query (TCK)
    optional=1,
    result=T.LIST,
    bounded=False,
    help="The integers from start to end, both included, by step.",
)
def make_range(start: Any, end: Any, step: Any = 1) -> range:
    for value in (start, end, step):
        if not is_integer(value):
            raise ArgumentError(
                f"range() expects integers, but was given a value of type {type_of(value).value}",
                detail="InvalidArgumentType",
            )
    if step == 0:
        raise ArgumentError("the step of range() cannot be 0", detail="NumberOutOfRange")
    values = range(start, end + (1 if step > 0 else -1), step)
    try:
        len(values)
    except OverflowError:
        raise ArgumentError(
            "range() has more elements than an integer can count", detail="NumberOutOfRange"
        ) from None
    return values


@function("head", arguments=(T.LIST,), result=T.ANY, help="The first element; null of none.")
def head(values: Any) -> Any:
    _need_list("head()", values)
    return values[0] if len(values) else None


@function("last", arguments=(T.LIST,), result=T.ANY, help="The last element; null of none.")
def last(values: Any) -> Any:
    _need_list("last()", values)
    return values[-1] if len(values) else None


@function("tail", arguments=(T.LIST,), result=T.LIST, help="All elements but the first.")
def tail(values: Any) -> Any:
    _need_list("tail()", values)
    return values[1:]


@function(
    "reverse",
    arguments=[(T.LIST,), (T.STRING,)],
    result=T.ANY,
    help="A list or string backwards.",
)
def reverse(value: Any) -> Any:
    if isinstance(value, str) or is_list(value):
        return value[::-1]
    raise wrong_type("reverse()", "a list or a string", value)


def _need_list(name: str, value: Any) -> None:
    if not is_list(value):
        raise wrong_type(name, "a list", value)
