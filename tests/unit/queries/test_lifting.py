"""Which literals are lifted out of a text, and which are left."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.queries.lifting import LONGEST, lift

LIFTED: list[tuple[str, str, dict[str, Any]]] = [
    ("MATCH (p:P {id: 42}) RETURN p.x", "MATCH (p:P {id: @0}) RETURN p.x", {"@0": 42}),
    (
        " match (a {s: 'x', f: 1.5})-[:T*1..3 {w:\"y\"}]->(b)\nWHERE b.z >= 10 RETURN 5 AS five",
        " match (a {s: @0, f: @1})-[:T*1..3 {w:@2}]->(b)\nWHERE b.z >= @3 RETURN 5 AS five",
        {"@0": "x", "@1": 1.5, "@2": "y", "@3": 10},
    ),
    (
        "MATCH (a) WHERE a.x=1 AND a.y<>'' OR a.z < 3 MATCH (b {k: 0}) WITH a WHERE a.q = 7 "
        "RETURN a",
        "MATCH (a) WHERE a.x=@0 AND a.y<>@1 OR a.z < @2 MATCH (b {k: @3}) WITH a WHERE a.q = 7 "
        "RETURN a",
        {"@0": 1, "@1": "", "@2": 3, "@3": 0},
    ),
    (
        "MATCH (a {`id`: 5}) /* = 'x' */ WHERE a.y = $y // = 1\n AND a.z = 2 RETURN a",
        "MATCH (a {`id`: @0}) /* = 'x' */ WHERE a.y = $y // = 1\n AND a.z = @1 RETURN a",
        {"@0": 5, "@1": 2},
    ),
    (
        "MATCH (n) WHERE n.a = 1 + 2 AND n.b STARTS WITH 'x' RETURN n",
        "MATCH (n) WHERE n.a = @0 + 2 AND n.b STARTS WITH 'x' RETURN n",
        {"@0": 1},
    ),
]
LEFT = [
    "RETURN 1",
    "CREATE (n {x: 1})",
    "MATCH (n) RETURN n.x = 1",
    "MATCH (n:A) RETURN n",
    "MATCH (n) WHERE n.x IN [1, 2] RETURN n",
    "MATCH (n) WHERE n.x = -5 RETURN n",
    "MATCH (n) WHERE n.x = 'it\\'s' AND n.y = 1 RETURN n",
    "MATCH (n) WHERE n.x = 'open RETURN n",
    "MATCH (n) WHERE n.x = 0x1F OR n.y = 007 OR n.z = 1e5 OR n.w = 9223372036854775808 RETURN n",
    "MATCH ((a)-->(b)){1,3} RETURN a",
    "MATCH (n) WHERE n.x = $__lifted0int AND n.y = 1 RETURN n",
    "MATCH (n) WHERE EXISTS { (n)-->({x: 1}) } RETURN n",
    "MATCHES (n {x: 1}) RETURN n",
    "MATCH (n {x: 1}) " + "/*" * 2000,
    "MATCH (n {x: 1}) " + "'" * 3999,
    "MATCH (n {x: 1}) RETURN n" + " " * LONGEST,
    "",
]


@pytest.mark.parametrize(("text", "expected", "parameters"), LIFTED)
def test_lifted(text: str, expected: str, parameters: dict[str, Any]) -> None:
    found = lift(text)
    assert found is not None
    names = {key: f"__lifted{key[1:]}{type(v).__name__}" for key, v in parameters.items()}
    assert found.text == re.sub(r"@\d+", lambda name: f"${names[name[0]]}", expected)
    assert found.parameters == {names[key]: v for key, v in parameters.items()}


@pytest.mark.parametrize("text", LEFT)
def test_left(text: str) -> None:
    assert lift(text) is None


@given(st.text(max_size=60))
def test_whatever_the_text_it_can_be_put_together_again(text: str) -> None:
    text = f"MATCH {text}"
    found = lift(text)
    if found is not None:
        back = found.text
        for name in reversed(found.parameters):
            before, _, after = back.rpartition(f"${name}")
            literal = text[len(before) : len(text) - len(after)]
            value = found.parameters[name]
            shown = literal[1:-1] if isinstance(value, str) else literal
            assert type(value)(shown) == value
            back = before + literal + after
        assert back == text
