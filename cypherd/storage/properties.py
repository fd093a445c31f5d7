"""What can be a property: booleans, 64-bit integers, floats, strings, temporal values, points, and
lists of one of these.

As in Neo4j, a list that mixes integers and floats is stored as floats, and an empty list is
fine; null elements, nested lists, maps and graph values are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cypherd.errors import ArgumentError, CypherTypeError
from cypherd.values.description import type_of
from cypherd.values.extensions import EXTENDED
from cypherd.values.lists import is_list, to_list

_AS_THEY_ARE = frozenset((str, float, bool))
_SCALARS = frozenset((str, int, float, bool, *EXTENDED))
_MIN, _MAX = -(1 << 63), (1 << 63) - 1


def stored_properties(properties: Mapping[int, Any]) -> dict[int, Any]:
    """`properties` without nulls, each value as it is stored. Raises CypherTypeError."""
    return {
        key: value if type(value) in _AS_THEY_ARE else stored_value(value)
        for key, value in properties.items()
        if value is not None
    }


def stored_value(value: Any) -> Any:
    """Raises CypherTypeError (InvalidPropertyType), ArgumentError for integers past 64 bits."""
    kind = type(value)
    if kind is int:
        return _checked(value)
    if kind in _SCALARS:
        return value
    if is_list(value):
        return _stored_list(to_list(value))
    _refuse(f"Property values can only be of primitive types or lists of them, not {_name(value)}")


def _stored_list(values: list[Any]) -> list[Any]:
    kinds = set(map(type, values))
    if kinds == {int, float}:
        return [float(value) for value in values]
    if len(kinds) > 1:
        names = ", ".join(sorted({_name(value) for value in values}))
        _refuse(f"Lists stored as properties must hold values of one type, not {names}")
    if not kinds <= _SCALARS:
        _refuse(f"Lists stored as properties cannot hold {_name(values[0])}")
    if kinds == {int}:
        for value in values:
            _checked(value)
    return list(values)


def _checked(value: int) -> int:
    if _MIN <= value <= _MAX:
        return value
    raise ArgumentError(f"{value} does not fit an INTEGER of 64 bits")


def _name(value: Any) -> str:
    return "null" if value is None else type_of(value).value


def _refuse(message: str) -> Any:
    raise CypherTypeError(message, detail="InvalidPropertyType")
