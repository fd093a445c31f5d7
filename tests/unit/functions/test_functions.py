from __future__ import annotations

import math
from typing import Any

import pytest

from cypherd.errors import ArgumentError, CypherTypeError, MemoryLimitExceeded
from cypherd.functions.registry import MODULES, find_functions, find_operator, function_names
from cypherd.functions.signature import Function
from cypherd.values.arithmetic import MAX_INTEGER, MIN_INTEGER
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

PATH = PathRef((NodeRef(1), NodeRef(2)), (RelationshipRef(7),))


def call(name: str, *arguments: Any) -> Any:
    body = find_functions(name)[0].body
    assert body is not None
    return body(*arguments)


RESULTS: list[tuple[str, tuple[Any, ...], Any]] = [
    ("coalesce", (None, 1, 2), 1),
    ("coalesce", (None,), None),
    ("size", ([1, 2],), 2),
    ("size", ("äö\U0001f600",), 3),
    ("length", (PATH,), 1),
    ("nodes", (PATH,), [NodeRef(1), NodeRef(2)]),
    ("relationships", (PATH,), [RelationshipRef(7)]),
    ("isempty", ({},), True),
    ("isempty", ("a",), False),
    ("nullif", (1, 1.0), None),
    ("nullif", (1, 2), 1),
    ("head", ([],), None),
    ("head", ([1, 2],), 1),
    ("last", ([1, 2],), 2),
    ("tail", ([1, 2, 3],), [2, 3]),
    ("tail", ([],), []),
    ("reverse", ([1, None],), [None, 1]),
    ("reverse", ("abc",), "cba"),
    ("range", (0, 10, 3), range(0, 11, 3)),
    ("range", (3, 1, -1), range(3, 0, -1)),
    ("tointeger", ("42",), 42),
    ("tointeger", (" -7 ",), -7),
    ("tointeger", ("2.9",), 2),
    ("tointeger", ("1e3",), 1000),
    ("tointeger", ("foo",), None),
    ("tointeger", ("",), None),
    ("tointeger", ("9223372036854775807",), MAX_INTEGER),
    ("tointeger", ("9223372036854775808",), None),
    ("tointeger", ("1_000",), None),
    ("tointeger", (-2.9,), -2),
    ("tointeger", (math.nan,), 0),
    ("tointeger", (-1e30,), MIN_INTEGER),
    ("tointeger", (True,), 1),
    ("tofloat", ("1.5",), 1.5),
    ("tofloat", ("x",), None),
    ("tofloat", (2,), 2.0),
    ("tofloat", ("-Infinity",), -math.inf),
    ("tostring", (1.0,), "1.0"),
    ("tostring", (True,), "true"),
    ("tostring", (-5,), "-5"),
    ("toboolean", ("TRUE",), True),
    ("toboolean", ("yes",), None),
    ("toboolean", (0,), False),
    ("tointegerornull", ([],), None),
    ("tointegerlist", (["1", None, 2.5, {}],), [1, None, 2, None]),
    ("tostringornull", ({},), None),
    ("abs", (-5,), 5),
    ("abs", (-0.5,), 0.5),
    ("sign", (-0.1,), -1),
    ("isnan", (math.nan,), True),
    ("isnan", (1,), False),
    ("ceil", (1.2,), 2.0),
    ("ceil", (-0.5,), -0.0),
    ("floor", (-1.2,), -2.0),
    ("floor", (math.inf,), math.inf),
    ("round", (1.5,), 2.0),
    ("round", (-1.5,), -1.0),
    ("round", (0.49999999999999994,), 0.0),
    ("round", (1.255, 2), 1.26),
    ("round", (-1.25, 1, "HALF_EVEN"), -1.2),
    ("round", (1.21, 1, "up"), 1.3),
    ("round", (math.inf,), math.inf),
    ("sqrt", (4,), 2.0),
    ("log", (0,), -math.inf),
    ("exp", (1000,), math.inf),
    ("cot", (0,), math.inf),
    ("haversin", (math.pi,), 1.0),
    ("degrees", (math.pi,), 180.0),
    ("radians", (180,), math.pi),
    ("atan2", (1, 1), math.pi / 4),
    ("pi", (), math.pi),
    ("e", (), math.e),
    ("toupper", ("aß",), "ASS"),
    ("lower", ("AB",), "ab"),
    ("trim", (" a ",), "a"),
    ("ltrim", (" a ",), "a "),
    ("rtrim", (" a ",), " a"),
    ("left", ("abc", 5), "abc"),
    ("left", ("abc", 2), "ab"),
    ("right", ("abc", 2), "bc"),
    ("right", ("abc", 0), ""),
    ("substring", ("hello", 1), "ello"),
    ("substring", ("hello", 1, 3), "ell"),
    ("substring", ("hello", 9), ""),
    ("replace", ("hello", "l", "w"), "hewwo"),
    ("split", ("a,b,c", ","), ["a", "b", "c"]),
    ("split", ("abc", ""), ["a", "b", "c"]),
    ("split", ("a,b;c", [",", ";"]), ["a", "b", "c"]),
    ("split", ("", ","), [""]),
]

ERRORS: list[tuple[str, tuple[Any, ...], type[Exception], str | None]] = [
    ("size", (1,), CypherTypeError, "InvalidArgumentType"),
    ("length", (NodeRef(1),), CypherTypeError, "InvalidArgumentType"),
    ("head", ("a",), CypherTypeError, "InvalidArgumentType"),
    ("range", (1, 2, 0), ArgumentError, "NumberOutOfRange"),
    ("range", (1.0, 2), ArgumentError, "InvalidArgumentType"),
    ("range", (True, 2), ArgumentError, "InvalidArgumentType"),
    ("range", (MIN_INTEGER, MAX_INTEGER), ArgumentError, "NumberOutOfRange"),
    ("tointeger", ([],), CypherTypeError, "InvalidArgumentValue"),
    ("tofloat", (True,), CypherTypeError, "InvalidArgumentValue"),
    ("tostring", (NodeRef(1),), CypherTypeError, "InvalidArgumentValue"),
    ("toboolean", (1.0,), CypherTypeError, "InvalidArgumentValue"),
    ("abs", (True,), CypherTypeError, "InvalidArgumentType"),
    ("sqrt", ("4",), CypherTypeError, "InvalidArgumentType"),
    ("round", (1.5, -1), ArgumentError, "NumberOutOfRange"),
    ("left", ("a", -1), ArgumentError, "NegativeIntegerArgument"),
    ("substring", ("a", 0, -1), ArgumentError, "NegativeIntegerArgument"),
    ("toupper", (1,), CypherTypeError, "InvalidArgumentType"),
    ("replace", ("a" * 10_000, "", "b" * 10_000), MemoryLimitExceeded, None),
]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"), RESULTS, ids=[f"{r[0]}{r[1]!r}"[:60] for r in RESULTS]
)
def test_result(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    found = call(name, *arguments)
    assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "detail"), ERRORS, ids=[f"{e[0]}{e[1]!r}"[:60] for e in ERRORS]
)
def test_error(
    name: str, arguments: tuple[Any, ...], kind: type[Exception], detail: str | None
) -> None:
    with pytest.raises(kind) as raised:
        call(name, *arguments)
    assert getattr(raised.value, "detail", None) == detail


@pytest.mark.parametrize("name", ["sqrt", "log", "log10", "acos", "asin"])
def test_outside_its_domain_a_function_is_not_a_number(name: str) -> None:
    assert math.isnan(call(name, -2))


def test_random_values_differ() -> None:
    assert len({call("randomuuid") for _ in range(5)}) == 5
    assert all(0 <= call("rand") < 1 for _ in range(20))


EVERY = [function for module in MODULES for function in module.FAMILY.functions]


@pytest.mark.parametrize("function", EVERY, ids=[f.name + str(i) for i, f in enumerate(EVERY)])
def test_metadata(function: Function) -> None:
    assert function in find_functions(function.name.lower())
    assert function.help.endswith(".")
    assert 0 <= function.optional <= len(function.arguments)
    assert not (function.aggregate and function.body)
    overloads = find_functions(function.name.lower())
    assert {f.body for f in overloads} == {function.body}


def test_names_are_sorted_and_no_operator_is_among_them() -> None:
    names = function_names()
    assert list(names) == sorted(names, key=str.lower)
    assert {"toUpper", "percentileCont", "range"} <= set(names)
    assert find_functions("subscript") == ()
    assert find_functions("nosuch") == ()
    assert find_operator("subscript")[0].name == "subscript"


PATTERNS = [
    ("whole string", "abc", "a.c", True),
    ("not a part", "abc", "b", False),
    ("alternatives", "ab", "a|ab", True),
    ("flags", "ABC", "(?i)abc", True),
    ("no dot for a line end", "a\nb", "a.b", False),
    ("dot for all", "a\nb", "(?s)a.b", True),
    ("letters", "é", r"\p{L}", True),
    ("number", 1, "1", None),
    ("takes for ever when backtracking", "a" * 5000 + "b", "(a*)*", False),
]


@pytest.mark.parametrize(
    ("text", "pattern", "expected"), [p[1:] for p in PATTERNS], ids=[p[0] for p in PATTERNS]
)
def test_regular_expressions(text: Any, pattern: str, expected: bool | None) -> None:
    body = find_operator("=~")[0].body
    assert body is not None
    assert body(text, pattern) is expected


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1"])
def test_patterns_that_are_refused(pattern: str) -> None:
    body = find_operator("=~")[0].body
    assert body is not None
    with pytest.raises(ArgumentError, match="not a regular expression"):
        body("a", pattern)
