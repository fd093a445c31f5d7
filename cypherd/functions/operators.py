"""The operators that are Calls (binder/expressions.py): signatures and bodies.

They are found by `find_operator`, not by the names that a query can call.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from cypherd.errors import CypherTypeError
from cypherd.functions.patterns import full_match
from cypherd.functions.signature import Family
from cypherd.values import arithmetic, equality, ordering
from cypherd.values.arithmetic import is_integer
from cypherd.values.description import type_of, wrong_type
from cypherd.values.lists import is_list
from cypherd.values.types import CypherType as T

_ELEMENT_ID = re.compile(r"[nr](?:0|[1-9]\d{0,17})", re.ASCII)
FAMILY = Family()
function = FAMILY.function

for _name, _body in arithmetic.OPERATORS.items():
    function(
        _name,
        arguments=(T.ANY, T.ANY) if _name == "+" else (T.NUMBER, T.NUMBER),
        result={"+": T.ANY, "^": T.FLOAT}.get(_name, T.NUMBER),
        help=f"Arithmetic {_name}.",
    )(_body)

function("negate", arguments=(T.NUMBER,), result=T.NUMBER, help="Unary -.")(arithmetic.negate)
function("plus", arguments=(T.NUMBER,), result=T.NUMBER, help="Unary +.")(arithmetic.plus)


def _not_equals(left: Any, right: Any) -> bool | None:
    answer = equality.equals(left, right)
    return None if answer is None else not answer


_COMPARISONS = {
    "=": equality.equals,
    "<>": _not_equals,
    "<": ordering.less,
    "<=": ordering.less_equal,
    ">": ordering.greater,
    ">=": ordering.greater_equal,
}

for _name, _comparison in _COMPARISONS.items():
    function(
        _name, arguments=(T.ANY, T.ANY), result=T.BOOLEAN, help=f"Comparison {_name}, ternary."
    )(_comparison)


@function(
    "entry",
    arguments=(T.STRING, T.ANY),
    result=T.MAP,
    null="handle",
    help="A map of one key, which is computed.",
)
def entry(key: Any, value: Any) -> Any:
    if not isinstance(key, str):
        raise wrong_type("a property's name in brackets", "a string", key)
    return {key: value}


@function("||", arguments=(T.ANY, T.ANY), result=T.ANY, help="Two strings, or two lists, as one.")
def concatenate(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if is_list(left) and is_list(right):
        return [*left, *right]
    odd = right if isinstance(left, str) or is_list(left) else left
    raise wrong_type("||", "two strings or two lists", odd)


@function(
    "is normalized",
    arguments=(T.STRING, T.STRING),
    result=T.BOOLEAN,
    help="Whether a string is in a Unicode normal form; null for what is no string.",
)
def is_normalized(text: Any, form: Any) -> bool | None:
    return unicodedata.is_normalized(form, text) if isinstance(text, str) else None


@function(
    "entity id",
    arguments=(T.STRING, T.ANY),
    result=T.ANY,
    help="The id in what elementId() gives, or in each of a list; -1 for any other value.",
)
def entity_id(letter: Any, value: Any) -> Any:
    if is_list(value):
        return [_entity_id(letter, item) for item in value]
    return _entity_id(letter, value)


def _entity_id(letter: str, value: Any) -> int:
    if isinstance(value, str) and _ELEMENT_ID.fullmatch(value) and value[0] == letter:
        return int(value[1:])
    return -1


@function(
    "in",
    arguments=(T.ANY, T.LIST),
    result=T.BOOLEAN,
    null="handle",
    help="Whether a list holds a value; null where a null hides the answer.",
)
def is_in(value: Any, values: Any) -> bool | None:
    if values is None:
        return None
    if not is_list(values):
        raise wrong_type("IN", "a list", values)
    return equality.contains(value, values)


# STARTS WITH and its kin are null for anything but strings (openCypher).


@function("starts with", arguments=(T.ANY, T.ANY), result=T.BOOLEAN, help="STARTS WITH.")
def starts_with(text: Any, prefix: Any) -> bool | None:
    return text.startswith(prefix) if _both_text(text, prefix) else None


@function("ends with", arguments=(T.ANY, T.ANY), result=T.BOOLEAN, help="ENDS WITH.")
def ends_with(text: Any, suffix: Any) -> bool | None:
    return text.endswith(suffix) if _both_text(text, suffix) else None


@function("contains", arguments=(T.ANY, T.ANY), result=T.BOOLEAN, help="CONTAINS.")
def contains(text: Any, part: Any) -> bool | None:
    return part in text if _both_text(text, part) else None


@function(
    "=~",
    arguments=(T.ANY, T.STRING),
    result=T.BOOLEAN,
    bounded=False,
    help="Whether a whole string matches a regular expression.",
)
def matches(text: Any, pattern: Any) -> bool | None:
    if not isinstance(pattern, str):
        raise wrong_type("=~", "a regular expression as a string", pattern)
    return full_match(pattern, text) if isinstance(text, str) else None


@function(
    "subscript",
    arguments=(T.ANY, T.ANY),
    result=T.ANY,
    help="container[index] of a list or a map.",
)
def subscript(container: Any, index: Any) -> Any:
    if is_list(container):
        return _element(container, index)
    if isinstance(container, dict):
        if not isinstance(index, str):
            raise CypherTypeError(
                f"a map is accessed by a string, not by {type_of(index).value}",
                detail="MapElementAccessByNonString",
            )
        return container.get(index)
    raise wrong_type("[]", "a list, map, node or relationship", container)


@function(
    "slice",
    arguments=(T.LIST, T.INTEGER, T.INTEGER),
    result=T.LIST,
    help="list[start..end]; the binder puts the list's own bounds for those left out.",
)
def slice_list(values: Any, start: Any, end: Any) -> Any:
    if not is_list(values):
        raise wrong_type("[..]", "a list", values)
    for bound in (start, end):
        if not is_integer(bound):
            raise wrong_type("[..]", "integers as bounds", bound)
    return values[start:end]


def _element(values: Any, index: Any) -> Any:
    if not is_integer(index):
        raise CypherTypeError(
            f"a list is accessed by an integer, not by {type_of(index).value}",
            detail="ListElementAccessByNonInteger",
        )
    return values[index] if -len(values) <= index < len(values) else None


def _both_text(left: Any, right: Any) -> bool:
    return isinstance(left, str) and isinstance(right, str)
