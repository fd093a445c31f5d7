from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.values.equality import contains, equals, equivalence_key, equivalence_keys
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

EQUALS: list[tuple[str, Any, Any, bool | None]] = [
    ("null", None, None, None),
    ("integer and float", 1, 1.0, True),
    ("beyond 2^53", (1 << 53) + 1, float(1 << 53), False),
    ("NaN", math.nan, math.nan, False),
    ("boolean and integer", True, 1, False),
    ("booleans", True, True, True),
    ("string and integer", "1", 1, False),
    ("lists", [1, 2], [1.0, 2], True),
    ("lists of other lengths", [1], [1, None], False),
    ("list with null", [1, None], [1, 2], None),
    ("list with null that differs anyway", [1, None], [2, 2], False),
    ("list with boolean", [True], [1], False),
    ("nested", [[1, None]], [[1, 2]], None),
    ("list and range", [1, 2], range(1, 3), True),
    ("ranges", range(1, 1 << 40), range(1, 1 << 40), True),
    ("list and map", [], {}, False),
    ("maps", {"a": 1}, {"a": 1.0}, True),
    ("maps of other keys", {"a": None}, {"b": None}, False),
    ("map with null", {"a": None, "b": 1}, {"a": 1, "b": 1}, None),
    ("map with null that differs anyway", {"a": None, "b": 1}, {"a": 1, "b": 2}, False),
    ("nodes", NodeRef(1), NodeRef(1), True),
    ("node and relationship", NodeRef(1), RelationshipRef(1), False),
    ("node and its id", NodeRef(1), 1, False),
]


@pytest.mark.parametrize(
    ("left", "right", "expected"), [e[1:] for e in EQUALS], ids=[e[0] for e in EQUALS]
)
def test_equals(left: Any, right: Any, expected: bool | None) -> None:
    assert equals(left, right) is expected
    assert equals(right, left) is expected


PATH = PathRef((NodeRef(1), NodeRef(2)), (RelationshipRef(1),))

SAME: list[tuple[str, Any, Any]] = [
    ("null", None, None),
    ("NaN", math.nan, -math.nan),
    ("integer and float", 1, 1.0),
    ("lists with null", [1, None], [1.0, None]),
    ("list and range", [1, 2], range(1, 3)),
    ("maps", {"a": 1, "b": None}, {"b": None, "a": 1}),
    ("paths", PATH, PathRef((NodeRef(1), NodeRef(2)), (RelationshipRef(1),))),
]

DIFFERENT: list[tuple[str, Any, Any]] = [
    ("boolean and integer", True, 1),
    ("boolean inside a list", [True], [1]),
    ("beyond 2^53", (1 << 53) + 1, float(1 << 53)),
    ("node and relationship", NodeRef(1), RelationshipRef(1)),
    ("null and empty list", None, []),
    ("list and map", [], {}),
    ("NaN and its name", math.nan, "NaN"),
    ("string and list", "a", ["a"]),
    ("map value null and absent", {"a": None}, {}),
]


@pytest.mark.parametrize(("left", "right"), [s[1:] for s in SAME], ids=[s[0] for s in SAME])
def test_equivalent(left: Any, right: Any) -> None:
    assert len({equivalence_key(left), equivalence_key(right)}) == 1


@pytest.mark.parametrize(
    ("left", "right"), [d[1:] for d in DIFFERENT], ids=[d[0] for d in DIFFERENT]
)
def test_not_equivalent(left: Any, right: Any) -> None:
    assert len({equivalence_key(left), equivalence_key(right)}) == 2


scalars = st.one_of(st.booleans(), st.integers(-3, 3), st.floats(-3, 3), st.text("ab", max_size=2))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("ab", max_size=1), inner, max_size=2)
    ),
    max_leaves=6,
)


@given(values, values)
def test_without_null_and_nan_both_equalities_agree(left: Any, right: Any) -> None:
    assert equals(left, right) is (equivalence_key(left) == equivalence_key(right))


@given(st.one_of(st.none(), scalars), st.integers(-3, 3), st.integers(0, 4))
def test_a_range_contains_what_its_list_does(value: Any, start: int, length: int) -> None:
    items = range(start, start + length)
    assert contains(value, items) is contains(value, list(items))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([], id="none"),
        pytest.param(["a", None, 1, 2**60], id="plain"),
        pytest.param(["a", True, 1], id="a boolean among integers"),
        pytest.param([1, 1.0, float("nan")], id="floats"),
        pytest.param(["a", ["a", None]], id="a list"),
    ],
)
def test_keys_of_a_column_are_those_of_its_values(values: list[Any]) -> None:
    assert equivalence_keys(values) == [equivalence_key(value) for value in values]
