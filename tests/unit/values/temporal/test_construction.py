"""Values from maps and from other values, truncation and components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cypherd.errors import ArgumentError, CypherArithmeticError, CypherTypeError
from cypherd.values.temporal import construction, truncation
from cypherd.values.temporal.components import COMPONENTS, component
from cypherd.values.temporal.duration import Duration, duration_of
from cypherd.values.temporal.model import DateTime, TemporalValue
from cypherd.values.temporal.parsing import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_local_date_time,
    parse_local_time,
    parse_time,
)
from cypherd.values.temporal.zones import parse_zone

DAY = parse_date("1984-10-11")
LOCAL_TIME = parse_local_time("12:31:14.645876123")
TIME = parse_time("12:31:14.645876+01:00", 0)
LOCAL = parse_local_date_time("1984-03-07T12:31:14.645")
BERLIN = parse_date_time("1984-10-11T12:00[Europe/Berlin]")
SUMMER = 450_000_000
"""A moment in 1984's summer: what a zone's offset is told by where there is no date."""


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"year": 1984, "week": 10, "dayOfWeek": 3}, "1984-03-07"),
        ({"YEAR": 1984, "WeekDay": 3, "week": 10}, "1984-03-07"),
        ({"year": 1984, "quarter": 3, "quarterDay": 45}, "1984-08-14"),
        ({"year": 1984, "ordinalDay": 202}, "1984-07-20"),
        ({"year": 1984, "month": None}, "1984-01-01"),
        ({"year": -999_999_999}, "-999999999-01-01"),
        ({"date": DAY, "year": 28}, "0028-10-11"),
        ({"date": DAY, "day": 28}, "1984-10-28"),
        ({"date": DAY, "week": 1}, "1984-01-05"),
        ({"date": DAY, "dayOfWeek": 7}, "1984-10-14"),
        ({"date": DAY, "ordinalDay": 28}, "1984-01-28"),
        ({"date": DAY, "quarter": 3}, "1984-07-11"),
        ({"date": DAY, "quarter": 3, "dayOfQuarter": 1}, "1984-07-01"),
        ({"date": parse_date("1984-12-31"), "quarter": 2}, "1984-06-30"),
        ({"date": parse_date("1984-02-29"), "year": 1985}, "1985-02-28"),
        ({"date": parse_date("1984-10-31"), "month": 2}, "1984-02-29"),
        ({"date": LOCAL, "month": 5}, "1984-05-07"),
        ({"date": BERLIN}, "1984-10-11"),
        (LOCAL, "1984-03-07"),
    ],
)
def test_date(source: Any, shown: str) -> None:
    assert str(construction.make_date(source)) == shown


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"month": 3},
        {"year": 1984, "day": 3},
        {"year": 1984, "dayOfWeek": 3},
        {"year": 1984, "dayOfQuarter": 3},
        {"year": 1984, "month": 3, "week": 2},
        {"year": 1984, "month": 13},
        {"year": 1985, "month": 2, "day": 29},
        {"year": 1985, "week": 53},
        {"year": 1_000_000_000},
        {"year": 1984, "hour": 3},
        {"year": 1984, "Year": 1985},
        {"year": 1984, "colour": 1},
        {"date": DAY, "day": 32},
        {"date": parse_date("1984-09-30"), "day": 31},
    ],
)
def test_no_date(source: Any) -> None:
    with pytest.raises(ArgumentError):
        construction.make_date(source)


@pytest.mark.parametrize("source", [{"year": 1.0}, {"year": True}, {"date": "1984"}, LOCAL_TIME])
def test_wrong_types(source: Any) -> None:
    with pytest.raises(CypherTypeError):
        construction.make_date(source)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"hour": 12, "minute": 31, "second": 14, "millisecond": 645}, "12:31:14.645Z"),
        ({"hour": 12, "timezone": "+01:00"}, "12:00+01:00"),
        ({"hour": 12, "timezone": "Europe/Berlin"}, "12:00+02:00"),
        ({"time": LOCAL_TIME, "timezone": "+05:00"}, "12:31:14.645876123+05:00"),
        ({"time": TIME}, "12:31:14.645876+01:00"),
        ({"time": TIME, "timezone": "+05:00"}, "16:31:14.645876+05:00"),
        ({"time": TIME, "second": 42, "timezone": "+05:00"}, "16:31:42.645876+05:00"),
        ({"time": BERLIN, "timezone": "-13:00"}, "22:00-13:00"),
        (BERLIN, "12:00+01:00"),
        (LOCAL, "12:31:14.645Z"),
        (TIME, "12:31:14.645876+01:00"),
    ],
)
def test_time(source: Any, shown: str) -> None:
    assert str(construction.make_time(source, SUMMER)) == shown


@pytest.mark.parametrize(
    "source",
    [
        {},
        {"minute": 1},
        {"hour": 1, "second": 1},
        {"hour": 1, "minute": 1, "nanosecond": 1},
        {"hour": 24},
        {"hour": 1, "minute": 1, "second": 1, "millisecond": 1000},
        {"hour": 1, "minute": 1, "second": 1, "millisecond": 1, "nanosecond": 1000},
        {"hour": 1, "minute": 1, "second": 1, "microsecond": 1000, "nanosecond": 1},
    ],
)
def test_no_time(source: Any) -> None:
    with pytest.raises(ArgumentError):
        construction.make_local_time(source)
    with pytest.raises(ArgumentError):
        construction.make_time(source, 0)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"year": 1984}, "1984-01-01T00:00Z"),
        (
            {"year": 1984, "month": 10, "day": 11, "hour": 12, "timezone": "Europe/Berlin"},
            "1984-10-11T12:00+01:00[Europe/Berlin]",
        ),
        ({"date": DAY, "hour": 10, "minute": 10}, "1984-10-11T10:10Z"),
        ({"date": DAY, "time": TIME}, "1984-10-11T12:31:14.645876+01:00"),
        ({"date": DAY, "time": TIME, "timezone": "+05:00"}, "1984-10-11T16:31:14.645876+05:00"),
        ({"date": DAY, "time": LOCAL, "timezone": "+05:00"}, "1984-10-11T12:31:14.645+05:00"),
        ({"date": DAY, "time": BERLIN}, "1984-10-11T12:00+01:00[Europe/Berlin]"),
        # The offset of the other day, in summer.
        (
            {"date": DAY, "month": 7, "time": BERLIN},
            "1984-07-11T12:00+02:00[Europe/Berlin]",
        ),
        ({"date": BERLIN, "timezone": "+05:00"}, "1984-10-11T00:00+05:00"),
        ({"datetime": BERLIN, "timezone": "+05:00"}, "1984-10-11T16:00+05:00"),
        ({"datetime": BERLIN, "day": 28, "second": 42}, "1984-10-28T12:00:42+01:00[Europe/Berlin]"),
        (
            {"datetime": LOCAL, "timezone": "Europe/Berlin"},
            "1984-03-07T12:31:14.645+01:00[Europe/Berlin]",
        ),
        ({"epochSeconds": 416779, "nanosecond": 23}, "1970-01-05T19:46:19.000000023Z"),
        ({"epochMillis": 237821673987}, "1977-07-15T13:34:33.987Z"),
        (
            {"epochMillis": -1, "timezone": "Europe/Berlin"},
            "1970-01-01T00:59:59.999+01:00[Europe/Berlin]",
        ),
        (LOCAL, "1984-03-07T12:31:14.645Z"),
        (BERLIN, "1984-10-11T12:00+01:00[Europe/Berlin]"),
    ],
)  # fmt: skip
def test_date_time(source: Any, shown: str) -> None:
    assert str(construction.make_date_time(source)) == shown


@pytest.mark.parametrize(
    "source",
    [
        {"hour": 12},
        {"year": 1984, "hour": 12},
        {"year": 1984, "month": 10, "hour": 12},
        {"year": 1984, "week": 10, "time": TIME},
        {"datetime": BERLIN, "date": DAY},
        {"epochSeconds": 1, "epochMillis": 1},
        {"epochSeconds": 1, "year": 1984},
        {"epochSeconds": 1 << 62},
        {"date": DAY, "timezone": "Nowhere"},
    ],
)
def test_no_date_time(source: Any) -> None:
    with pytest.raises(ArgumentError):
        construction.make_date_time(source)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"date": DAY, "time": TIME}, "1984-10-11T12:31:14.645876"),
        ({"datetime": BERLIN, "minute": 5}, "1984-10-11T12:05"),
        (BERLIN, "1984-10-11T12:00"),
        ({"year": 1984, "week": 10, "dayOfWeek": 3, "hour": 1}, "1984-03-07T01:00"),
    ],
)
def test_local_date_time(source: Any, shown: str) -> None:
    assert str(construction.make_local_date_time(source)) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ({"days": 14, "hours": 16, "minutes": 12}, "P14DT16H12M"),
        ({"months": 5, "days": 1.5}, "P5M1DT12H"),
        ({"months": 0.75}, "P22DT19H51M49.5S"),
        ({"weeks": 2.5}, "P17DT12H"),
        ({"quarters": 3}, "P9M"),
        ({"days": -0.5}, "PT-12H"),
        ({"seconds": 0.1, "milliseconds": 0.1}, "PT0.1001S"),
        ({"nanoseconds": 1.9}, "PT0.000000001S"),
        ({"seconds": 2, "milliseconds": -1}, "PT1.999S"),
        ({"seconds": -60, "milliseconds": -1}, "PT-1M-0.001S"),
        ({"years": 12.5, "months": 5.5, "days": 14.5, "hours": 16.5, "minutes": 12.5,
          "seconds": 70.5, "nanoseconds": 3}, "P12Y11M29DT33H58M13.500000003S"),
        ({}, "PT0S"),
    ],
)  # fmt: skip
def test_duration(source: Any, shown: str) -> None:
    assert str(construction.make_duration(source)) == shown


@pytest.mark.parametrize("source", [{"days": float("inf")}, {"days": 1e19}, {"years": 1 << 62}])
def test_durations_too_long(source: Any) -> None:
    with pytest.raises(CypherArithmeticError):
        construction.make_duration(source)


@pytest.mark.parametrize(
    ("unit", "fields", "shown"),
    [
        ("millennium", {}, "1000-01-01T00:00+00:53:28[Europe/Berlin]"),
        ("century", {"day": 2}, "1900-01-02T00:00+01:00[Europe/Berlin]"),
        ("DECADE", {}, "1980-01-01T00:00+01:00[Europe/Berlin]"),
        ("weekYear", {"day": 5}, "1984-01-05T00:00+01:00[Europe/Berlin]"),
        ("quarter", {}, "1984-10-01T00:00+01:00[Europe/Berlin]"),
        ("week", {"dayOfWeek": 2}, "1984-10-09T00:00+01:00[Europe/Berlin]"),
        ("day", {"timezone": "+05:00"}, "1984-10-11T00:00+05:00"),
        ("hour", {"nanosecond": 2}, "1984-10-11T12:00:00.000000002+01:00[Europe/Berlin]"),
    ],
)
def test_truncated(unit: str, fields: dict[str, Any], shown: str) -> None:
    value = parse_date_time("1984-10-11T12:31:14.645[Europe/Berlin]")
    assert str(truncation.truncate_date_time(unit, value, fields)) == shown


@pytest.mark.parametrize(
    ("unit", "fields", "shown"),
    [
        ("second", {}, "12:31:14"),
        ("millisecond", {"nanosecond": 2}, "12:31:14.645000002"),
        ("millisecond", {"microsecond": 2, "nanosecond": 3}, "12:31:14.645002003"),
        ("millisecond", {"millisecond": 2}, "12:31:14.002"),
        ("microsecond", {"nanosecond": 999}, "12:31:14.645876999"),
        ("microsecond", {"microsecond": 5}, "12:31:14.000005"),
        ("second", {"hour": 1, "millisecond": 5}, "01:31:14.005"),
    ],
)
def test_truncated_fractions(unit: str, fields: dict[str, Any], shown: str) -> None:
    assert str(truncation.truncate_local_time(unit, LOCAL_TIME, fields)) == shown


def test_units_that_do_not_fit() -> None:
    with pytest.raises(ArgumentError):
        truncation.truncate_date("hour", LOCAL, {})
    with pytest.raises(ArgumentError):
        truncation.truncate_local_time("month", LOCAL, {})
    with pytest.raises(ArgumentError):
        truncation.truncate_local_time("hour", DAY, {})
    with pytest.raises(ArgumentError):
        truncation.truncate_date("fortnight", DAY, {})
    with pytest.raises(ArgumentError):
        truncation.truncate_local_time("microsecond", LOCAL_TIME, {"nanosecond": 1000})


VALUES: list[TemporalValue] = [
    DAY, LOCAL_TIME, TIME, LOCAL, BERLIN, parse_duration("-P1Y2M3DT4H5M6.789S")
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=[value.name for value in VALUES])
def test_every_component_in_any_case(value: TemporalValue) -> None:
    for name in COMPONENTS[type(value)]:
        assert component(value, name) == component(value, name.upper())
    for name in ("colour", "epochDays", ""):
        with pytest.raises(ArgumentError):
            component(value, name)


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        (parse_date("1984-01-01"), "weekYear", 1983),
        (parse_date("1984-01-01"), "week", 52),
        (DAY, "dayOfQuarter", 11),
        (DAY, "quarter", 4),
        (DAY, "ordinalDay", 285),
        (LOCAL_TIME, "microsecond", 645876),
        (TIME, "timezone", "+01:00"),
        (BERLIN, "timezone", "Europe/Berlin"),
        (BERLIN, "offsetMinutes", 60),
        (parse_date_time("1969-12-31T23:59:59.5Z"), "epochMillis", -500),
        (parse_date_time("1969-12-31T23:59:59.5Z"), "epochSeconds", -1),
        (parse_time("10:00-00:00:59", 0), "offsetMinutes", 0),
        (parse_duration("-P14M"), "monthsOfYear", -2),
        (parse_duration("-P14M"), "quarters", -4),
        (parse_duration("P-10DT90M"), "weeks", -1),
        (parse_duration("P-10DT90M"), "daysOfWeek", -3),
        (parse_duration("PT90M"), "minutesOfHour", 30),
        (parse_duration("PT-0.5S"), "seconds", -1),
        (parse_duration("PT-0.5S"), "nanosecondsOfSecond", 500_000_000),
        (parse_duration("PT-0.5S"), "milliseconds", -500),
    ],
)
def test_component(value: TemporalValue, name: str, expected: Any) -> None:
    assert component(value, name) == expected


def test_nanoseconds_that_do_not_fit() -> None:
    with pytest.raises(CypherArithmeticError):
        component(duration_of(0, 0, 1 << 90), "nanoseconds")


def test_values_are_kept_in_sets_and_pickled() -> None:
    import pickle

    assert len(set(VALUES) | set(pickle.loads(pickle.dumps(VALUES)))) == len(VALUES)
    assert DateTime(0, 0, 0) != DateTime(0, 0, 0, "UTC")
    assert Duration(1, 0, 0, 0) != Duration(0, 30, 0, 0)


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda: parse_zone("Europe/Berln"), "did you mean Europe/Berlin?"),
        (lambda: parse_zone("x" * 100_000), None),
        (lambda: component(DAY, "yaer"), "did you mean year?"),
        (lambda: construction.make_date({"year": 1984, "mnth": 1}), "did you mean month?"),
        (lambda: truncation.truncate_date("centruy", DAY, {}), "did you mean century?"),
    ],
)
def test_near_names(ask: Callable[[], Any], hint: str | None) -> None:
    with pytest.raises(ArgumentError) as caught:
        ask()
    assert caught.value.hint == hint
    assert len(caught.value.message) < 300
