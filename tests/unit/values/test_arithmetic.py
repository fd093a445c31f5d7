from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from cypherd.errors import CypherArithmeticError, CypherTypeError, MemoryLimitExceeded
from cypherd.values import arithmetic as a
from cypherd.values.lists import MAX_LIST
from cypherd.values.text import float_text

MIN, MAX = a.MIN_INTEGER, a.MAX_INTEGER

RESULTS: list[tuple[str, Callable[[Any, Any], Any], Any, Any, Any]] = [
    ("integers", a.add, 1, 2, 3),
    ("mixed numbers", a.add, 1, 0.5, 1.5),
    ("strings", a.add, "a", "b", "ab"),
    ("string and integer", a.add, "a", 1, "a1"),
    ("integer and string", a.add, 1, "a", "1a"),
    ("string and float", a.add, "a", 1e10, "a1.0E10"),
    ("lists", a.add, [1], [2], [1, 2]),
    ("list and element", a.add, [1], "a", [1, "a"]),
    ("element and list", a.add, True, [1], [True, 1]),
    ("list and range", a.add, [0], range(1, 3), [0, 1, 2]),
    ("largest", a.add, MAX, 0, MAX),
    ("least", a.subtract, MIN + 1, 1, MIN),
    ("product", a.multiply, -(1 << 62), 2, MIN),
    ("quotient of positives", a.divide, 7, 2, 3),
    ("quotient toward zero", a.divide, -7, 2, -3),
    ("quotient of negatives", a.divide, -7, -2, 3),
    ("quotient exact beyond 2^53", a.divide, MAX, 1, MAX),
    ("float quotient", a.divide, 7, 2.0, 3.5),
    ("one by float zero", a.divide, 1, 0.0, math.inf),
    ("one by negative zero", a.divide, 1, -0.0, -math.inf),
    ("remainder", a.modulo, 7, -3, 1),
    ("negative remainder", a.modulo, -7, 3, -1),
    ("float remainder", a.modulo, -7.5, 2, -1.5),
    ("power", a.power, 2, 3, 8.0),
    ("power too large", a.power, 10, 400, math.inf),
    ("zero to a negative power", a.power, 0, -1, math.inf),
]

NANS: list[tuple[str, Callable[[Any, Any], Any], Any, Any]] = [
    ("zero by zero", a.divide, 0.0, 0),
    ("remainder by zero", a.modulo, 1.0, 0.0),
    ("remainder of infinity", a.modulo, math.inf, 2),
    ("root of a negative", a.power, -8, 0.5),
]

ERRORS: list[tuple[str, Callable[[Any, Any], Any], Any, Any, type[Exception], str]] = [
    ("sum", a.add, MAX, 1, CypherArithmeticError, "integer overflow"),
    ("difference", a.subtract, MIN, 1, CypherArithmeticError, "integer overflow"),
    ("product", a.multiply, 1 << 62, 2, CypherArithmeticError, "integer overflow"),
    ("quotient", a.divide, MIN, -1, CypherArithmeticError, "integer overflow"),
    ("by zero", a.divide, 1, 0, CypherArithmeticError, "/ by zero"),
    ("remainder by zero", a.modulo, 1, 0, CypherArithmeticError, "/ by zero"),
    ("boolean", a.add, True, 1, CypherTypeError, "Boolean and Integer"),
    ("string and boolean", a.add, "a", True, CypherTypeError, "String and Boolean"),
    ("maps", a.add, {}, {}, CypherTypeError, "Map and Map"),
    ("string times", a.multiply, "a", 2, CypherTypeError, "String and Integer"),
    ("long range", a.add, range(1 << 40), [1], MemoryLimitExceeded, "longer than"),
    ("long string", a.add, "a" * MAX_LIST, "a", MemoryLimitExceeded, "longer than"),
]


@pytest.mark.parametrize(
    ("operate", "left", "right", "expected"), [r[1:] for r in RESULTS], ids=[r[0] for r in RESULTS]
)
def test_result(operate: Callable[[Any, Any], Any], left: Any, right: Any, expected: Any) -> None:
    found = operate(left, right)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("operate", "left", "right"), [r[1:] for r in NANS], ids=[r[0] for r in NANS]
)
def test_not_a_number(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> None:
    assert math.isnan(operate(left, right))


@pytest.mark.parametrize(
    ("operate", "left", "right", "kind", "message"),
    [r[1:] for r in ERRORS],
    ids=[r[0] for r in ERRORS],
)
def test_error(
    operate: Callable[[Any, Any], Any],
    left: Any,
    right: Any,
    kind: type[Exception],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        operate(left, right)


def test_negation() -> None:
    assert a.negate(5) == -5
    with pytest.raises(CypherArithmeticError, match="integer overflow"):
        a.negate(MIN)
    with pytest.raises(CypherTypeError):
        a.negate("a")


TEXTS = [
    (0.0, "0.0"),
    (-0.0, "-0.0"),
    (1.0, "1.0"),
    (1.5, "1.5"),
    (0.001, "0.001"),
    (9999999.0, "9999999.0"),
    (1e7, "1.0E7"),
    (123456789.125, "1.23456789125E8"),
    (-1e300, "-1.0E300"),
    (1.5e-5, "1.5E-5"),
    (0.00012, "1.2E-4"),
    (1e-05, "1.0E-5"),
    (math.inf, "Infinity"),
    (-math.inf, "-Infinity"),
    (math.nan, "NaN"),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=[t for _, t in TEXTS])
def test_floats_are_written_as_java_does(value: float, text: str) -> None:
    assert float_text(value) == text
