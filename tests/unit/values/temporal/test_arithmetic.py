"""Adding durations, durations among themselves, and the durations between values."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import ArgumentError, CypherArithmeticError
from cypherd.values.temporal.arithmetic import between, in_days, in_months, in_seconds, plus
from cypherd.values.temporal.duration import (
    Duration,
    added,
    divided,
    duration_of,
    multiplied,
    negated,
)
from cypherd.values.temporal.model import NANOS, LocalDateTime, TemporalValue
from cypherd.values.temporal.parsing import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_local_date_time,
    parse_local_time,
    parse_time,
)


def _read(text: str) -> TemporalValue:
    if "T" not in text:
        return parse_date(text) if "-" in text[1:6] else parse_local_time(text)
    is_zoned = "[" in text or text.endswith("Z") or "+" in text[1:]
    return parse_date_time(text) if is_zoned else parse_local_date_time(text)


@pytest.mark.parametrize(
    ("value", "duration", "expected"),
    [
        ("1984-10-11", "P12Y5M14DT16H13M10S", "1997-03-25"),
        ("1984-10-11", "-P12Y5M14DT16H13M10S", "1972-04-27"),
        ("1984-10-11", "PT48H", "1984-10-13"),
        ("1984-10-11", "PT47H59M59.9S", "1984-10-12"),
        ("1984-10-11", "PT-47H-59M", "1984-10-10"),
        ("2011-01-31", "P1M", "2011-02-28"),
        ("2011-01-31", "P1M1D", "2011-03-01"),
        ("2012-02-29", "P1Y", "2013-02-28"),
        ("12:31:14", "P1DT1H", "13:31:14"),
        ("12:31:14", "PT-13H", "23:31:14"),
        ("1984-10-11T12:31:14", "PT12H", "1984-10-12T00:31:14"),
        ("1984-10-11T12:31:14.5", "PT-0.6S", "1984-10-11T12:31:13.900"),
        # A day is a day of the calendar, 24 hours are not.
        ("2017-10-28T12:00[Europe/Berlin]", "P1D", "2017-10-29T12:00+01:00[Europe/Berlin]"),
        ("2017-10-28T12:00[Europe/Berlin]", "PT24H", "2017-10-29T11:00+01:00[Europe/Berlin]"),
        ("2017-02-26T02:30[Europe/Berlin]", "P1M", "2017-03-26T03:30+02:00[Europe/Berlin]"),
        ("2017-02-26T02:30[Europe/Berlin]", "P1M1D", "2017-03-27T03:30+02:00[Europe/Berlin]"),
        ("2017-10-29T02:30+01:00[Europe/Berlin]", "P0D", "2017-10-29T02:30+01:00[Europe/Berlin]"),
        ("2017-10-29T02:30+02:00[Europe/Berlin]", "PT1H", "2017-10-29T02:30+01:00[Europe/Berlin]"),
        ("1984-10-11T12:31:14+01:00", "P1M", "1984-11-11T12:31:14+01:00"),
    ],
)
def test_plus(value: str, duration: str, expected: str) -> None:
    assert str(plus(_read(value), parse_duration(duration))) == expected


@pytest.mark.parametrize("value", ["+999999999-12-31", "+999999999-12-31T23:59:59"])
@pytest.mark.parametrize("duration", ["P1D", "P1M", "P1Y", "PT24H", "P9000000000000000000D"])
def test_beyond_the_last_year(value: str, duration: str) -> None:
    value_there = parse_local_date_time(value) if "T" in value else parse_date(value)
    with pytest.raises(ArgumentError):
        plus(value_there, parse_duration(duration))


@given(
    st.datetimes(datetime(1, 1, 1), datetime(9000, 1, 1)),
    st.timedeltas(timedelta(days=-1), timedelta(days=100_000)),
)
def test_like_python(moment: datetime, delta: timedelta) -> None:
    value = parse_local_date_time(moment.isoformat())
    micros = delta // timedelta(microseconds=1)
    try:
        expected = (moment + delta).isoformat()
    except OverflowError:
        return
    moved = plus(value, duration_of(0, 0, micros * 1000))
    assert moved == parse_local_date_time(expected)
    assert in_seconds(value, moved) == duration_of(0, 0, micros * 1000)


@given(
    st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)),
    st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)),
)
def test_between_leads_from_one_to_the_other(start: datetime, end: datetime) -> None:
    left, right = (parse_local_date_time(moment.isoformat()) for moment in (start, end))
    found = between(left, right)
    assert plus(left, found) == right
    signs = {part > 0 for part in (found.months, found.days, found.total_nanos) if part}
    assert len(signs) <= 1
    assert abs(found.days) <= 31
    assert abs(found.total_nanos) < 86_400 * NANOS
    assert in_months(left, right) == Duration(found.months, 0, 0, 0)


@pytest.mark.parametrize(
    ("left", "right", "whole", "months", "days", "seconds"),
    [
        ("1984-10-11", "2015-06-24", "P30Y8M13D", "P30Y8M", "P11213D", "PT269112H"),
        ("2018-03-11", "2016-06-24", "P-1Y-8M-17D", "P-1Y-8M", "P-625D", "PT-15000H"),
        ("2015-01-31", "2015-03-01", "P1M1D", "P1M", "P29D", "PT696H"),
        ("2018-01-01T12:00", "2018-01-02T10:00", "PT22H", "PT0S", "PT0S", "PT22H"),
        ("12:34:54.7", "12:34:54.3", "PT-0.4S", "PT0S", "PT0S", "PT-0.4S"),
        (
            "2017-10-29T00:00[Europe/Berlin]", "2017-10-30", "P1D", "PT0S", "P1D", "PT25H"
        ),
        ("2017-10-29", "2017-10-29T04:00[Europe/Berlin]", "PT5H", "PT0S", "PT0S", "PT5H"),
        (
            "2017-10-29T12:00+00:00", "2017-10-29T14:00+02:00", "PT0S", "PT0S", "PT0S", "PT0S"
        ),
    ],
)  # fmt: skip
def test_between(left: str, right: str, whole: str, months: str, days: str, seconds: str) -> None:
    a, b = _read(left), _read(right)
    found = [str(between(a, b)), str(in_months(a, b)), str(in_days(a, b)), str(in_seconds(a, b))]
    assert found == [whole, months, days, seconds]


def test_between_a_time_and_a_zoned_value() -> None:
    time = parse_time("10:00+02:00", 0)
    moment = parse_date_time("2020-07-01T10:00Z")
    assert str(between(time, moment)) == "PT2H"
    assert str(in_seconds(moment, time)) == "PT-2H"


def _duration(text: str) -> Duration:
    return parse_duration(text)


LONG = "P12Y5M14DT16H13M10.000000001S"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (added(_duration(LONG), _duration("P1M1DT1S")), "P12Y6M15DT16H13M11.000000001S"),
        (negated(_duration(LONG)), "P-12Y-5M-14DT-16H-13M-10.000000001S"),
        (multiplied(_duration(LONG), 2), "P24Y10M28DT32H26M20.000000002S"),
        (multiplied(_duration(LONG), 0.5), "P6Y2M22DT13H21M8S"),
        (divided(_duration(LONG), 2), "P6Y2M22DT13H21M8S"),
        (divided(_duration(LONG), 0.5), "P24Y10M28DT32H26M20.000000002S"),
        (multiplied(_duration("P1D"), -1.5), "P-1DT-12H"),
        (multiplied(_duration("PT0.1S"), 3), "PT0.3S"),
        (divided(_duration("P1M"), 3), "P10DT3H29M42S"),
    ],
)
def test_durations(value: Duration, expected: str) -> None:
    assert str(value) == expected


def test_division_by_zero_and_overflow() -> None:
    for divisor in (0, 0.0):
        with pytest.raises(CypherArithmeticError):
            divided(_duration("P1D"), divisor)
    for factor in (1 << 63, 1e30, float("inf"), float("nan")):
        with pytest.raises(CypherArithmeticError):
            multiplied(_duration("P1D"), factor)


PARTS = st.integers(-(10**9), 10**9)


@given(st.builds(duration_of, PARTS, PARTS, st.integers(-(10**18), 10**18)))
def test_durations_are_read_as_they_are_written(value: Duration) -> None:
    assert parse_duration(str(value)) == value
    assert negated(negated(value)) == value


@given(st.lists(st.builds(duration_of, PARTS, PARTS, PARTS), min_size=2, max_size=5))
def test_durations_are_ordered_by_their_average_length(values: list[Duration]) -> None:
    ordered = sorted(values, key=lambda value: value.order_key())
    lengths: list[Any] = [
        value.months * 2_629_746 * NANOS + value.days * 86_400 * NANOS + value.total_nanos
        for value in ordered
    ]
    assert lengths == sorted(lengths)


def test_local_seconds() -> None:
    assert LocalDateTime(-1, 0).seconds == -86_400
