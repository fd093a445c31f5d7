"""The reader of expected values, so that a wrong comparison cannot pass scenarios."""

from __future__ import annotations

import math
from typing import Any

import pytest

from cypherd.values.graph import Node, Path, Relationship
from tests.tck.values import canonical, parse_value

A = Node(1, ("A", "B"), {"p": 1})
B = Node(2, (), {})
T = Relationship(7, "T", 1, 2, {"w": [1, "x"]})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ("true", True),
        ("-12", -12),
        ("1.0", 1.0),
        ("-.5", -0.5),
        ("1e9", 1e9),
        ("1.2E-3", 0.0012),
        ("Inf", math.inf),
        ("-Inf", -math.inf),
        ("''", ""),
        (r"'it\'s \\ \n'", "it's \\ \n"),
        ("[]", []),
        ("[1, 'a', [null]]", [1, "a", [None]]),
        ("{}", {}),
        ("{a: 1, `b c`: {d: []}}", {"a": 1, "b c": {"d": []}}),
        ("(:B:A {p: 1})", A),
        ("()", B),
        ("[:T {w: [1, 'x']}]", T),
        ("<(:A:B {p: 1})-[:T {w: [1, 'x']}]->()>", Path((A, B), (T,))),
        ("<()<-[:T {w: [1, 'x']}]-(:A:B {p: 1})>", Path((B, A), (T,))),
        ("<()>", Path((B,), ())),
        ("[(), [:T {w: [1, 'x']}]]", [B, T]),
    ],
)
def test_equal(text: str, value: Any) -> None:
    assert canonical(parse_value(text)) == canonical(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("1", True),
        ("1", "1"),
        ("[1, 2]", [2, 1]),
        ("{a: 1}", {"a": 1, "b": None}),
        ("(:A {p: 1})", A),
        ("(:A:B {p: 1.0})", A),
        ("<(:A:B {p: 1})<-[:T {w: [1, 'x']}]-()>", Path((A, B), (T,))),
        ("[:U {w: [1, 'x']}]", T),
        ("null", 0),
    ],
)
def test_different(text: str, value: Any) -> None:
    assert canonical(parse_value(text)) != canonical(value)


def test_nan_equals_nan() -> None:
    assert canonical(parse_value("NaN")) == canonical(math.nan)


def test_any_list_order() -> None:
    assert canonical([1, [2, "a"]], any_list_order=True) == canonical(
        [["a", 2], 1], any_list_order=True
    )
    assert canonical([1, 1, 2], any_list_order=True) != canonical([1, 2, 2], any_list_order=True)


@pytest.mark.parametrize("text", ["", "(", "[1", "'a", "{a}", "1 2", "word"])
def test_no_value(text: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        parse_value(text)
