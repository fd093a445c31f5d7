"""Mathematical functions: floats by IEEE 754 (NaN and infinities, no errors), exact integers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Decimal,
    localcontext,
)
from typing import Any

from cypherd.errors import ArgumentError
from cypherd.functions.signature import Family
from cypherd.values.arithmetic import checked, is_integer, is_number
from cypherd.values.description import wrong_type
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function

_MODES = {
    "UP": ROUND_UP,
    "DOWN": ROUND_DOWN,
    "CEILING": ROUND_CEILING,
    "FLOOR": ROUND_FLOOR,
    "HALF_UP": ROUND_HALF_UP,
    "HALF_DOWN": ROUND_HALF_DOWN,
    "HALF_EVEN": ROUND_HALF_EVEN,
}


@function("abs", arguments=(T.NUMBER,), result=T.NUMBER, help="The absolute value.")
def absolute(value: Any) -> Any:
    _need_number("abs()", value)
    return abs(value) if isinstance(value, float) else checked(abs(value))


@function("sign", arguments=(T.NUMBER,), result=T.INTEGER, help="-1, 0 or 1.")
def sign(value: Any) -> int:
    _need_number("sign()", value)
    return int(value > 0) - int(value < 0)


@function("isNaN", arguments=(T.NUMBER,), result=T.BOOLEAN, help="Whether a number is NaN.")
def is_nan(value: Any) -> bool:
    _need_number("isNaN()", value)
    return bool(value != value)


@function("ceil", arguments=(T.NUMBER,), result=T.FLOAT, help="The next whole number up.")
def ceil(value: Any) -> float:
    number = _float("ceil()", value)
    return math.copysign(float(math.ceil(number)), number) if math.isfinite(number) else number


@function("floor", arguments=(T.NUMBER,), result=T.FLOAT, help="The next whole number down.")
def floor(value: Any) -> float:
    number = _float("floor()", value)
    return math.copysign(float(math.floor(number)), number) if math.isfinite(number) else number


@function(
    "round",
    arguments=(T.NUMBER, T.INTEGER, T.STRING),
    optional=2,
    result=T.FLOAT,
    help="Rounded to a number of decimals (0), halves up, or by mode: UP, DOWN, CEILING, "
    "FLOOR, HALF_UP, HALF_DOWN, HALF_EVEN.",
)
def round_number(value: Any, precision: Any = 0, mode: Any = None) -> float:
    number = _float("round()", value)
    if not is_integer(precision):
        raise wrong_type("round()", "an integer precision", precision)
    if precision < 0:
        raise ArgumentError(
            "the precision of round() cannot be negative", detail="NumberOutOfRange"
        )
    if not math.isfinite(number) or precision > 400:
        return number
    if mode is None and precision == 0:
        # Neo4j without a mode: a half goes toward positive infinity, round(-1.5) is -1.
        return float(math.floor(Decimal(number) + Decimal("0.5")))
    rounding = _MODES.get(str(mode or "HALF_UP").upper())
    if rounding is None:
        raise ArgumentError(f"round() knows no mode {mode!r}; there are {', '.join(_MODES)}")
    with localcontext() as context:
        context.prec = 1200
        return float(Decimal(repr(number)).quantize(Decimal(1).scaleb(-precision), rounding))


@function("rand", arguments=(), result=T.FLOAT, deterministic=False, help="At random in [0, 1).")
def rand() -> float:
    return random.random()


@function("e", arguments=(), result=T.FLOAT, help="The base of natural logarithms.")
def euler() -> float:
    return math.e


@function("pi", arguments=(), result=T.FLOAT, help="Pi.")
def pi() -> float:
    return math.pi


@function(
    "atan2", arguments=(T.NUMBER, T.NUMBER), result=T.FLOAT, help="The angle of the point (x, y)."
)
def atan2(y: Any, x: Any) -> float:
    return math.atan2(_float("atan2()", y), _float("atan2()", x))


def _cot(value: float) -> float:
    tangent = math.tan(value)
    return math.copysign(math.inf, value) if tangent == 0 else 1 / tangent


def _haversin(value: float) -> float:
    return (1 - math.cos(value)) / 2


def _log_of(logarithm: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: -math.inf if value == 0 else logarithm(value)


_FLOAT_FUNCTIONS: tuple[tuple[str, Callable[[float], float], str], ...] = (
    ("exp", math.exp, "e to the power of a number."),
    ("log", _log_of(math.log), "The natural logarithm."),
    ("log10", _log_of(math.log10), "The logarithm to base 10."),
    ("sqrt", math.sqrt, "The square root."),
    ("acos", math.acos, "The arc cosine, in radians."),
    ("asin", math.asin, "The arc sine, in radians."),
    ("atan", math.atan, "The arc tangent, in radians."),
    ("cos", math.cos, "The cosine of radians."),
    ("cot", _cot, "The cotangent of radians."),
    ("sin", math.sin, "The sine of radians."),
    ("tan", math.tan, "The tangent of radians."),
    ("degrees", math.degrees, "Radians as degrees."),
    ("radians", math.radians, "Degrees as radians."),
    ("haversin", _haversin, "Half the versine of radians."),
)


def _declare(name: str, compute: Callable[[float], float], help: str) -> None:
    def body(value: Any) -> float:
        number = _float(f"{name}()", value)
        try:
            return compute(number)
        except ValueError:  # outside the domain
            return math.nan
        except OverflowError:
            return math.inf

    function(name, arguments=(T.NUMBER,), result=T.FLOAT, help=help)(body)


for _row in _FLOAT_FUNCTIONS:
    _declare(*_row)


def _need_number(name: str, value: Any) -> None:
    if not is_number(value):
        raise wrong_type(name, "a number", value)


def _float(name: str, value: Any) -> float:
    _need_number(name, value)
    return float(value)
