"""The two equalities of Cypher (openCypher CIP2016-06-14).

`equals` is `=`: ternary, null where a null hides the answer, NaN equal to nothing.
`equivalence_key` is that of DISTINCT and grouping: null equals null and NaN equals NaN.
In both 1 equals 1.0, exactly also beyond 2^53, and true is no number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from cypherd.values.extensions import EXTENDED
from cypherd.values.graph import NodeRef, RelationshipRef
from cypherd.values.lists import ListValue, is_list, to_list

_NAN_KEY = (float, "NaN")


def equals(left: Any, right: Any) -> bool | None:
    """`left = right`: None is null."""
    if left is None or right is None:
        return None
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_list(left) and is_list(right):
        return _lists_equal(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        return _maps_equal(left, right)
    # Python compares int with float exactly; references, paths and temporal values by class and
    # parts: the same moment in another zone is another value.
    return bool(left == right)


def contains(value: Any, items: ListValue) -> bool | None:
    """`value IN items`."""
    if isinstance(items, range):
        return _range_contains(value, items)
    return any_of(equals(value, item) for item in items)


def any_of(answers: Iterable[bool | None]) -> bool | None:
    """Ternary OR of answers, not evaluated beyond a true one; false of none."""
    unknown = False
    for answer in answers:
        if answer:
            return True
        unknown = unknown or answer is None
    return None if unknown else False


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Ternary AND of answers, not evaluated beyond a false one; true of none."""
    unknown = False
    for answer in answers:
        if answer is False:
            return False
        unknown = unknown or answer is None
    return None if unknown else True


_OWN_KEYS: frozenset[type] = frozenset({str, int, type(None), *EXTENDED})

NODE_KEY, RELATIONSHIP_KEY = 1j, 2j
"""Added to an id they make a key that no other Cypher value has, and that Python compares and
hashes without calling Python code. Ids are below 2^53."""


def equivalence_key(value: Any) -> Hashable:
    """A key that is equal for values which are the same to DISTINCT and grouping.

    Plain numbers and strings are their own keys; what Python would confuse with them is tagged.
    """
    if isinstance(value, bool):
        return (bool, value)
    if isinstance(value, float) and value != value:
        return _NAN_KEY
    if isinstance(value, NodeRef):
        return value.id + NODE_KEY
    if isinstance(value, RelationshipRef):
        return value.id + RELATIONSHIP_KEY
    if is_list(value):
        return (list, *map(equivalence_key, to_list(value)))
    if isinstance(value, dict):
        return (dict, frozenset((key, equivalence_key(item)) for key, item in value.items()))
    key: Hashable = value
    return key


def equivalence_keys(values: list[Any]) -> list[Any]:
    """The key of each value; columns of plain values, the most, are their own keys as they are."""
    if _OWN_KEYS.issuperset(map(type, values)):
        return values
    return [equivalence_key(value) for value in values]


def _lists_equal(left: ListValue, right: ListValue) -> bool | None:
    if len(left) != len(right):
        return False
    if isinstance(left, range) and isinstance(right, range):
        return left == right
    return all_of(equals(a, b) for a, b in zip(left, right, strict=True))


def _maps_equal(left: dict[str, Any], right: dict[str, Any]) -> bool | None:
    if left.keys() != right.keys():
        return False
    return all_of(equals(item, right[key]) for key, item in left.items())


def _range_contains(value: Any, items: range) -> bool | None:
    if value is None:
        return None if items else False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if isinstance(value, float):
        return value.is_integer() and int(value) in items
    return value in items
