"""The key encoding orders bytes as Cypher orders values, and equal means equal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import CypherTypeError
from cypherd.storage.keys import (
    decode_integers,
    encode,
    encode_composite,
    encode_integers,
    encode_string_prefix,
    equals_something,
    successor,
    type_range,
)
from cypherd.values.ordering import sort_key
from cypherd.values.points import Point
from cypherd.values.temporal import Duration, TemporalValue
from tests.property.temporal_values import POINTS, TEMPORAL

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
BEYOND_DOUBLES = st.builds(
    lambda power, offset: max(-(1 << 63), min((1 << 63) - 1, (1 << power) + offset)),
    st.integers(50, 63),
    st.integers(-2000, 2000),
)
NUMBERS = (
    INT64
    | BEYOND_DOUBLES
    | BEYOND_DOUBLES.map(float)
    | BEYOND_DOUBLES.map(lambda value: -value)
    | st.floats(allow_nan=True)
)
TEXT = st.text(st.characters(codec=None), max_size=6) | st.text(
    st.sampled_from("\x00\x01\xffab\ud800\uffff"), max_size=5
)
SCALARS = st.booleans() | NUMBERS.filter(lambda n: not isinstance(n, int) or abs(n) <= 1 << 63)
SINGLE = SCALARS | TEXT | TEMPORAL | POINTS
VALUES = SINGLE | st.lists(SINGLE, max_size=3)


def order(left: Any, right: Any) -> int:
    above, below = bool(left > right), bool(left < right)
    return above - below


@given(VALUES, VALUES)
def test_bytes_compare_as_values_do(left: Any, right: Any) -> None:
    assert order(encode(left), encode(right)) == order(sort_key(left), sort_key(right))


@given(NUMBERS, NUMBERS)
def test_numbers_are_exact(left: float, right: float) -> None:
    assert order(encode(left), encode(right)) == order(sort_key(left), sort_key(right))


@given(st.lists(VALUES, min_size=2, max_size=2), st.lists(VALUES, min_size=2, max_size=2))
def test_composite_keys_order_by_the_first_value_first(left: list[Any], right: list[Any]) -> None:
    expected = order([sort_key(v) for v in left], [sort_key(v) for v in right])
    assert order(encode_composite(left), encode_composite(right)) == expected


@given(VALUES, VALUES)
def test_no_encoding_begins_another(left: Any, right: Any) -> None:
    a, b = encode(left), encode(right)
    assert a == b or not (a.startswith(b) or b.startswith(a))


@given(TEXT, TEXT)
def test_prefix_of_text_is_prefix_of_encoding(prefix: str, text: str) -> None:
    start = encode_string_prefix(prefix)
    end = successor(start)
    assert end is not None
    assert (start <= encode(text) < end) == text.startswith(prefix)


@given(VALUES, VALUES)
def test_type_range_holds_exactly_the_comparable_types(value: Any, other: Any) -> None:
    limits = type_range(value)
    if limits is None:
        assert isinstance(value, Duration | Point) or value != value
        return
    assert limits[0] <= encode(value) < limits[1]
    kinds = [isinstance(side, TemporalValue) and type(side) for side in (value, other)]
    same = sort_key(value)[0] == sort_key(other)[0] and kinds[0] == kinds[1]
    assert (limits[0] <= encode(other) < limits[1]) == same


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (0.0, -0.0), (1 << 53, float(1 << 53)), ([1, 2], [1.0, 2.0]), (range(2), [0, 1])],
    ids=["one", "zeros", "two to the 53", "lists", "range"],
)
def test_equal_values_have_equal_keys(left: Any, right: Any) -> None:
    assert encode(left) == encode(right)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, True),
        (None, False),
        (math.nan, False),
        ([1, math.nan], False),
        ([None], False),
        ({}, False),
        ([], True),
        (math.inf, True),
    ],
)
def test_what_equals_nothing(value: Any, expected: bool) -> None:
    assert equals_something(value) is expected


def test_what_cannot_be_a_property_has_no_key() -> None:
    with pytest.raises(CypherTypeError):
        encode({"a": 1})


@given(st.lists(INT64 | BEYOND_DOUBLES | st.integers(-9, 9), max_size=20))
def test_integers_are_encoded_together_as_alone(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    keys = encode_integers(array)
    assert keys.tobytes() == b"".join(map(encode, values))
    assert decode_integers(keys).tolist() == values


@pytest.mark.parametrize("value", [2**63 - 1, 2**63 - 513, -(2**63), 2**53 + 1, -(2**53) - 1, 0])
def test_integers_at_the_limits(value: int) -> None:
    keys = encode_integers(np.array([value], dtype=np.int64))
    assert keys.tobytes() == encode(value)
    assert decode_integers(keys).tolist() == [value]
