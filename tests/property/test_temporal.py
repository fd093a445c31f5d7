"""Whatever is given to the temporal functions, the answer is a value or an error of Cypher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import CypherdError
from cypherd.functions.registry import find_functions
from cypherd.values import arithmetic
from cypherd.values.equality import equals, equivalence_key
from cypherd.values.ordering import UNORDERED, compare, sort_key
from cypherd.values.temporal import (
    Date,
    DateTime,
    Duration,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)
from cypherd.values.temporal.clock import Clock
from cypherd.values.temporal.components import COMPONENTS, component
from cypherd.values.temporal.zones import MAX_OFFSET
from tests.property.temporal_values import DURATIONS, TEMPORAL

KINDS = ["date", "localtime", "time", "localdatetime", "datetime"]
CLOCK = Clock(1_450_000_000_123_456_000, 1_450_000_000_123_456_000)

NAMES = sorted({name for kind in COMPONENTS.values() for name in kind} | {
    "date", "time", "datetime", "timezone", "epochSeconds", "epochMillis", "Year", "colour"
})  # fmt: skip
INTEGERS = st.integers(-2, 70) | st.sampled_from([366, 1984, 999, 10**9, -(10**9), (1 << 63) - 1])
ZONES = st.sampled_from(["Europe/Berlin", "+01:00", "Z", "-18:00", "Nowhere", ""])
FIELDS = st.dictionaries(
    st.sampled_from(NAMES), INTEGERS | ZONES | TEMPORAL | st.none() | st.floats(), max_size=6
)
UNITS = st.sampled_from(
    ["millennium", "century", "decade", "year", "weekYear", "quarter", "month", "week", "day",
     "hour", "minute", "second", "millisecond", "microsecond", "fortnight", ""]
)  # fmt: skip
TEXT = st.text("0123456789-+:.,TZWQPYMDHS[]Europe/Blin ", max_size=30) | st.from_regex(
    r"[+-]?\d{4,9}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?([+-]\d\d:\d\d)?)?", fullmatch=True
)


def _checked(value: Any) -> Any:
    """A value that is whole: its parts are in their bounds, and it is what it is written as."""
    match value:
        case Date(day) | LocalDateTime(day) | DateTime(day):
            assert abs(day) < 366 * 10**9
    match value:
        case LocalTime(nanos) | Time(nanos) | LocalDateTime(_, nanos) | DateTime(_, nanos):
            assert 0 <= nanos < 86_400 * 10**9
    match value:
        case Time(_, offset) | DateTime(_, _, offset):
            assert abs(offset) <= MAX_OFFSET
        case Duration(months, days, seconds, nanos):
            assert all(abs(part) <= 1 << 63 for part in (months, days, seconds))
            assert 0 <= nanos < 10**9
    if isinstance(value, TemporalValue):
        for name in COMPONENTS[type(value)]:
            _try(component, value, name)
        assert _call(value.name, str(value)) == value
    return value


def _try(body: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return body(*arguments)
    except CypherdError:
        return None


def _call(name: str, *arguments: Any) -> Any:
    function = find_functions(name.lower())[0]
    assert function.body is not None
    return function.body(*([CLOCK] if function.clock else []), *arguments)


@pytest.mark.parametrize("name", [*KINDS, "duration"])
@given(source=TEXT | FIELDS | TEMPORAL)
def test_constructors(name: str, source: Any) -> None:
    _checked(_try(_call, name, source))


@pytest.mark.parametrize("name", KINDS)
@given(unit=UNITS, value=TEMPORAL, fields=FIELDS)
def test_truncation(name: str, unit: str, value: TemporalValue, fields: Any) -> None:
    _checked(_try(_call, f"{name}.truncate", unit, value, fields))


@given(TEMPORAL, DURATIONS | st.integers(-9, 9) | st.floats() | TEMPORAL)
def test_arithmetic(left: TemporalValue, right: Any) -> None:
    for body in arithmetic.OPERATORS.values():
        _checked(_try(body, left, right))
        _checked(_try(body, right, left))


@pytest.mark.parametrize("name", ["between", "inMonths", "inDays", "inSeconds"])
@given(left=TEMPORAL, right=TEMPORAL)
def test_between(name: str, left: TemporalValue, right: TemporalValue) -> None:
    _checked(_try(_call, f"duration.{name}", left, right))


@given(TEMPORAL, TEMPORAL)
def test_orders_and_equalities_agree(left: TemporalValue, right: TemporalValue) -> None:
    a, b = sort_key(left), sort_key(right)
    assert (a == b) is equals(left, right) is (equivalence_key(left) == equivalence_key(right))
    order = compare(left, right)
    if type(left) is type(right) and not isinstance(left, Duration):
        assert order == (a > b) - (a < b)
        assert order != UNORDERED
    else:
        assert order is None
