"""Arithmetic on Cypher values: 64-bit integers with overflow errors, IEEE 754 floats, durations.

All functions take non-null values and raise CypherTypeError where the types do not fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from cypherd.errors import CypherArithmeticError, CypherTypeError
from cypherd.values.description import type_of
from cypherd.values.lists import check_size, is_list, to_list
from cypherd.values.temporal import Duration, TemporalValue
from cypherd.values.temporal import duration as durations
from cypherd.values.temporal.arithmetic import plus as plus_duration
from cypherd.values.text import number_text

MIN_INTEGER = -(1 << 63)
MAX_INTEGER = (1 << 63) - 1


def is_number(value: Any) -> bool:
    """INTEGER or FLOAT; a Python bool is an int, a Cypher BOOLEAN is not a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def checked(value: int) -> int:
    """`value` if it fits 64 bits. Raises CypherArithmeticError otherwise."""
    if MIN_INTEGER <= value <= MAX_INTEGER:
        return value
    raise CypherArithmeticError("integer overflow")


def add(left: Any, right: Any) -> Any:
    """Sum, concatenation of strings (a number beside a string becomes text) or of lists, a
    duration after a date or time."""
    if is_number(left) and is_number(right):
        return _result(left + right)
    if is_list(left) or is_list(right):
        return _concatenated(left, right)
    if isinstance(left, str) or isinstance(right, str):
        return _joined(left, right)
    if isinstance(right, Duration) and isinstance(left, TemporalValue):
        return _moved(left, right)
    if isinstance(left, Duration) and isinstance(right, TemporalValue):
        return _moved(right, left)
    _refuse("+", left, right)


def subtract(left: Any, right: Any) -> Any:
    """Difference, or a duration before a date or time."""
    if is_number(left) and is_number(right):
        return _result(left - right)
    if isinstance(right, Duration) and isinstance(left, TemporalValue):
        return _moved(left, durations.negated(right))
    _refuse("-", left, right)


def multiply(left: Any, right: Any) -> Any:
    """Product; a duration by a number."""
    if is_number(left) and is_number(right):
        return _result(left * right)
    if isinstance(left, Duration) and is_number(right):
        return durations.multiplied(left, right)
    if isinstance(right, Duration) and is_number(left):
        return durations.multiplied(right, left)
    _refuse("*", left, right)


def divide(left: Any, right: Any) -> Any:
    """Integers truncate toward zero; by zero: an error for integers, infinity or NaN for
    floats; a duration by a number. Raises CypherArithmeticError."""
    if isinstance(left, Duration) and is_number(right):
        return durations.divided(left, right)
    _need_numbers("/", left, right)
    if isinstance(left, int) and isinstance(right, int):
        if right == 0:
            raise CypherArithmeticError("/ by zero")
        quotient = abs(left) // abs(right)
        return checked(quotient if (left < 0) == (right < 0) else -quotient)
    if right == 0:
        return _divided_by_zero(float(left), float(right))
    return left / right


def modulo(left: Any, right: Any) -> Any:
    """The remainder with the sign of `left`, as in Java. Raises CypherArithmeticError."""
    _need_numbers("%", left, right)
    if isinstance(left, int) and isinstance(right, int):
        if right == 0:
            raise CypherArithmeticError("/ by zero")
        remainder = abs(left) % abs(right)
        return remainder if left >= 0 else -remainder
    if right == 0 or math.isinf(left):
        return math.nan
    return math.fmod(left, right)


def power(left: Any, right: Any) -> float:
    """Always a float."""
    _need_numbers("^", left, right)
    return float_power(float(left), float(right))


def float_power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        # IEEE 754 has a value where Python raises: infinities and NaN.
        with np.errstate(all="ignore"):
            return float(np.power(np.float64(base), np.float64(exponent)))


def negate(value: Any) -> Any:
    if isinstance(value, Duration):
        return durations.negated(value)
    if not is_number(value):
        raise CypherTypeError(
            f"- expects a number or duration, not {type_of(value).value}",
            detail="InvalidArgumentType",
        )
    return _result(-value)


def plus(value: Any) -> Any:
    """Unary plus: a number or duration as it is."""
    if not is_number(value) and not isinstance(value, Duration):
        raise CypherTypeError(
            f"+ expects a number or duration, not {type_of(value).value}",
            detail="InvalidArgumentType",
        )
    return value


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": modulo,
    "^": power,
}


def _result(value: Any) -> Any:
    return value if isinstance(value, float) else checked(value)


def _moved(value: TemporalValue, duration: Duration) -> TemporalValue:
    if isinstance(value, Duration):
        return durations.added(value, duration)
    return plus_duration(value, duration)


def _divided_by_zero(left: float, right: float) -> float:
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _concatenated(left: Any, right: Any) -> list[Any]:
    check_size((len(left) if is_list(left) else 1) + (len(right) if is_list(right) else 1))
    first = to_list(left) if is_list(left) else [left]
    second = to_list(right) if is_list(right) else [right]
    return first + second


def _joined(left: Any, right: Any) -> str:
    if not _is_text(left) or not _is_text(right):
        _refuse("+", left, right)
    first, second = _text(left), _text(right)
    check_size(len(first) + len(second))
    return first + second


def _is_text(value: Any) -> bool:
    return isinstance(value, str) or is_number(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else number_text(value)


def _need_numbers(operator: str, left: Any, right: Any) -> None:
    if not is_number(left) or not is_number(right):
        _refuse(operator, left, right)


def _refuse(operator: str, left: Any, right: Any) -> NoReturn:
    raise CypherTypeError(
        f"{operator} cannot be applied to {type_of(left).value} and {type_of(right).value}",
        detail="InvalidArgumentType",
    )
