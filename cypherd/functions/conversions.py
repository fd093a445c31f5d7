"""Conversions between types: toInteger, toFloat, toString, toBoolean, and their variants.

Each knows what it can take; a string that does not spell a value gives null. The ...OrNull
variants give null for any value, the ...List ones convert the elements of a list.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from cypherd.errors import CypherTypeError
from cypherd.functions.signature import Family
from cypherd.values.arithmetic import MAX_INTEGER, MIN_INTEGER
from cypherd.values.description import wrong_type
from cypherd.values.extensions import EXTENDED
from cypherd.values.lists import is_list, to_list
from cypherd.values.text import number_text
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


@function(
    "toInteger",
    arguments=(T.ANY,),
    result=T.INTEGER,
    help="A number or string as an integer, cut toward zero; null if it spells none.",
)
def to_integer(value: Any) -> int | None:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return _cut(value)
    if isinstance(value, str):
        return _integer_of(value.strip())
    raise wrong_type("toInteger()", "a number, string or boolean", value, "InvalidArgumentValue")


@function(
    "toFloat",
    arguments=(T.ANY,),
    result=T.FLOAT,
    help="A number or string as a float; null if it spells none.",
)
def to_float(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        return _float_of(value.strip())
    raise wrong_type("toFloat()", "a number or a string", value, "InvalidArgumentValue")


@function(
    "toString",
    arguments=(T.ANY,),
    result=T.STRING,
    help="A number, boolean, string, temporal value or point as a string.",
)
def to_string(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, EXTENDED):
        return str(value)
    expected = "a number, boolean, string, temporal value or point"
    raise wrong_type("toString()", expected, value, "InvalidArgumentValue")


@function(
    "toBoolean",
    arguments=(T.ANY,),
    result=T.BOOLEAN,
    help="A string ('true', 'false') or integer (0 is false) as a boolean; null if it is none.",
)
def to_boolean(value: Any) -> bool | None:
    if isinstance(value, bool | int):
        return bool(value)
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    raise wrong_type("toBoolean()", "a boolean, string or integer", value, "InvalidArgumentValue")


def _declare_variants(name: str, convert: Callable[[Any], Any], result: T) -> None:
    def or_null(value: Any) -> Any:
        try:
            return convert(value)
        except CypherTypeError:
            return None

    def convert_list(values: Any) -> list[Any]:
        if not is_list(values):
            raise wrong_type(f"{name}List()", "a list", values)
        return [None if value is None else or_null(value) for value in to_list(values)]

    function(
        f"{name}OrNull",
        arguments=(T.ANY,),
        result=result,
        help=f"{name}(), but null for a value that it cannot take.",
    )(or_null)
    function(
        f"{name}List",
        arguments=(T.LIST,),
        result=T.LIST,
        help=f"{name}OrNull() of every element.",
    )(convert_list)


_declare_variants("toInteger", to_integer, T.INTEGER)
_declare_variants("toFloat", to_float, T.FLOAT)
_declare_variants("toString", to_string, T.STRING)
_declare_variants("toBoolean", to_boolean, T.BOOLEAN)


def _cut(value: float) -> int:
    # Java's narrowing: NaN becomes 0, what is too large the nearest integer there is.
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return MAX_INTEGER if value > 0 else MIN_INTEGER
    return max(MIN_INTEGER, min(MAX_INTEGER, int(value)))


def _integer_of(text: str) -> int | None:
    if len(text) <= 20 and _INTEGER.fullmatch(text):
        number = int(text)
        return number if MIN_INTEGER <= number <= MAX_INTEGER else None
    converted = _float_of(text)
    if converted is None or not math.isfinite(converted):
        return None
    number = int(converted)
    return number if MIN_INTEGER <= number <= MAX_INTEGER else None


def _float_of(text: str) -> float | None:
    if _NUMBER.fullmatch(text):
        return float(text)
    return _SPECIAL.get(text)
