from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.values.graph import NodeRef, PathRef, RelationshipRef
from cypherd.values.ordering import (
    UNORDERED,
    compare,
    greater,
    greater_equal,
    less,
    less_equal,
    sort_key,
    sort_rows,
)

BIG = 1 << 53

COMPARE: list[tuple[str, Any, Any, int | None]] = [
    ("integer and float", 1, 1.5, -1),
    ("beyond 2^53", BIG + 1, float(BIG), 1),
    ("strings", "a", "b", -1),
    ("booleans", False, True, -1),
    ("equal", 1, 1.0, 0),
    ("NaN", math.nan, 1, UNORDERED),
    ("null", None, 1, None),
    ("number and string", 1, "a", None),
    ("NaN and string", math.nan, "a", None),
    ("boolean and number", True, 1, None),
    ("maps", {}, {}, None),
    ("nodes", NodeRef(1), NodeRef(2), None),
    ("lists", [1, 2], [1, 3], -1),
    ("list and its prefix", [1, 0], [1], 1),
    ("null beyond the shorter list", [1, None], [1], 1),
    ("null where it matters", [1, 2], [1, None], None),
    ("null behind the difference", [1, 2], [3, None], -1),
    ("other types where it matters", [1, "a"], [1, 2], None),
    ("list and range", [1, 2, 4], range(1, 4), 1),
]


@pytest.mark.parametrize(
    ("left", "right", "expected"), [c[1:] for c in COMPARE], ids=[c[0] for c in COMPARE]
)
def test_compare(left: Any, right: Any, expected: int | None) -> None:
    assert compare(left, right) == expected


def test_the_four_comparisons() -> None:
    assert [f(1, 2) for f in (less, less_equal, greater, greater_equal)] == [
        True,
        True,
        False,
        False,
    ]
    assert [f(2, 2) for f in (less, less_equal, greater, greater_equal)] == [
        False,
        True,
        False,
        True,
    ]
    for comparison in (less, less_equal, greater, greater_equal):
        assert comparison(math.nan, 1) is False
        assert comparison("a", 1) is None


ASCENDING: list[Any] = [
    {},
    {"a": 1},
    {"a": 2},
    {"b": 1},
    {"a": 1, "b": 1},
    NodeRef(1),
    NodeRef(2),
    RelationshipRef(1),
    [],
    ["a"],
    ["a", 1],
    [1],
    [1, "a"],
    [1, None],
    [None, 1],
    PathRef((NodeRef(1),), ()),
    PathRef((NodeRef(1), NodeRef(2)), (RelationshipRef(1),)),
    "",
    "a",
    "b",
    "\uffff",
    "\U00010000",
    False,
    True,
    -math.inf,
    -1,
    0.5,
    1,
    float(BIG),
    BIG + 1,
    math.inf,
    math.nan,
    None,
]


@pytest.mark.parametrize("ascending", [True, False], ids=["ascending", "descending"])
def test_orderability(ascending: bool) -> None:
    shuffled = ASCENDING[::2] + ASCENDING[1::2]
    rows = sort_rows([shuffled], [ascending])
    expected = ASCENDING if ascending else ASCENDING[::-1]
    assert [id(shuffled[row]) for row in rows] == [id(value) for value in expected]


homogeneous = [
    st.integers(-5, 5),
    st.one_of(st.floats(-2, 2), st.just(math.nan)),
    st.text("ab", max_size=2),
    st.booleans(),
    st.one_of(st.none(), st.integers(-3, 3), st.floats(-3, 3), st.text("a", max_size=1)),
]


@pytest.mark.parametrize("kind", homogeneous, ids=["int", "float", "str", "bool", "mixed"])
def test_fast_paths_sort_as_the_keys_do(kind: st.SearchStrategy[Any]) -> None:
    pairs = st.lists(st.tuples(kind, st.integers(0, 2)), min_size=1, max_size=20)

    @given(pairs, st.booleans(), st.booleans())
    def check(rows: list[tuple[Any, int]], first_up: bool, second_up: bool) -> None:
        first, second = [a for a, _ in rows], [b for _, b in rows]
        expected = list(range(len(rows)))
        expected.sort(key=lambda row: sort_key(second[row]), reverse=not second_up)
        expected.sort(key=lambda row: sort_key(first[row]), reverse=not first_up)
        assert sort_rows([first, second], [first_up, second_up]).tolist() == expected

    check()


def test_arrays_are_taken_as_columns() -> None:
    assert sort_rows([np.array([2.0, 1.0]), ["a", "b"]], [True, True]).tolist() == [1, 0]
    assert sort_rows([], []).tolist() == []
