"""Truncation: what is below a unit goes to its least value, then given fields are put in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cypherd.values.names import suggestion
from cypherd.values.temporal import calendar
from cypherd.values.temporal import fields as f
from cypherd.values.temporal.construction import parts_of
from cypherd.values.temporal.fields import Fields
from cypherd.values.temporal.model import (
    NANOS,
    NANOS_OF_DAY,
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
    zoned,
)
from cypherd.values.temporal.zones import UTC, offset_at

_TIME_UNITS: Mapping[str, int] = {
    "day": NANOS_OF_DAY,
    "hour": 3600 * NANOS,
    "minute": 60 * NANOS,
    "second": NANOS,
    "millisecond": 1_000_000,
    "microsecond": 1_000,
}


def _first_of(years: int) -> Callable[[int], int]:
    def truncate(day: int) -> int:
        return calendar.date_of(calendar.civil(day)[0] // years * years, 1, 1)

    return truncate


def _quarter(day: int) -> int:
    return day - calendar.day_of_quarter(day) + 1


def _month(day: int) -> int:
    return day - calendar.civil(day)[2] + 1


def _week(day: int) -> int:
    return day - calendar.weekday_of(day) + 1


def _week_year(day: int) -> int:
    return calendar.first_monday(calendar.iso_week(day)[0])


_DATE_UNITS: Mapping[str, Callable[[int], int]] = {
    "millennium": _first_of(1000),
    "century": _first_of(100),
    "decade": _first_of(10),
    "year": _first_of(1),
    "weekYear": _week_year,
    "quarter": _quarter,
    "month": _month,
    "week": _week,
    "day": lambda day: day,
}
_BY_LOWER_NAME = {name.lower(): name for name in (*_DATE_UNITS, *_TIME_UNITS)}


def truncate_date(unit: str, value: TemporalValue, fields: Fields) -> Date:
    """Raises ArgumentError, CypherTypeError, as all of these do."""
    fields = f.known(fields, f.DATE_FIELDS, "date.truncate")
    name = _unit(unit, _DATE_UNITS, "date")
    return Date(f.day_from(fields, calendar.checked_day(_DATE_UNITS[name](_day(value, "date")))))


def truncate_local_time(unit: str, value: TemporalValue, fields: Fields) -> LocalTime:
    fields = f.known(fields, f.TIME_FIELDS, "localtime.truncate")
    return LocalTime(_time(unit, value, fields, "localtime"))


def truncate_time(unit: str, value: TemporalValue, fields: Fields, now: int) -> Time:
    """`now` (seconds since the epoch) tells the offset of a named zone."""
    fields = f.known(fields, f.TIME_FIELDS | {"timezone"}, "time.truncate")
    nanos, zone = _time(unit, value, fields, "time"), f.zone_of(fields)
    if zone is None:
        return Time(nanos, parts_of(value).offset or UTC)
    return Time(nanos, offset_at(zone, now))


def truncate_local_date_time(unit: str, value: TemporalValue, fields: Fields) -> LocalDateTime:
    fields = f.known(fields, f.DATE_FIELDS | f.TIME_FIELDS, "localdatetime.truncate")
    return LocalDateTime(*_date_time(unit, value, fields, "localdatetime"))


def truncate_date_time(unit: str, value: TemporalValue, fields: Fields) -> DateTime:
    fields = f.known(fields, f.DATE_FIELDS | f.TIME_FIELDS | {"timezone"}, "datetime.truncate")
    day, nanos = _date_time(unit, value, fields, "datetime")
    zone, parts = f.zone_of(fields), parts_of(value)
    if zone is not None:
        return zoned(day, nanos, zone)
    return zoned(day, nanos, UTC if parts.zone is None else parts.zone, parts.offset)


def _date_time(unit: str, value: TemporalValue, fields: Fields, function: str) -> tuple[int, int]:
    name = _unit(unit, {**_DATE_UNITS, **_TIME_UNITS}, function)
    day, nanos = _day(value, function), parts_of(value).nanos
    if name in _DATE_UNITS:
        day, nanos = calendar.checked_day(_DATE_UNITS[name](day)), 0
    elif nanos is None:
        f.refuse(f"a {value.name} cannot be truncated to {name}: it has no time")
    else:
        nanos -= nanos % _TIME_UNITS[name]
    return f.day_from(fields, day), _filled(fields, name, nanos)


def _time(unit: str, value: TemporalValue, fields: Fields, function: str) -> int:
    name, nanos = _unit(unit, _TIME_UNITS, function), parts_of(value).nanos
    if nanos is None:
        f.refuse(f"{function}.truncate() expects a value with a time, not a {value.name}")
    return _filled(fields, name, nanos - nanos % _TIME_UNITS[name])


_KEPT: Mapping[str, frozenset[str]] = {
    "millisecond": frozenset({"microsecond", "nanosecond"}),
    "microsecond": frozenset({"nanosecond"}),
}


def _filled(fields: Fields, unit: str, nanos: int) -> int:
    """A truncated time with the given fields. Below a second they stand beside what the unit
    kept: 14.645 truncated to milliseconds with 2 nanoseconds is 14.645000002."""
    fractions = {name for name in fields if name in f.FRACTIONS}
    if not fractions or not fractions <= _KEPT.get(unit, frozenset()):
        return f.nanos_from(fields, nanos)
    kept, unit_nanos = nanos % NANOS, _TIME_UNITS[unit]
    given = calendar.within("nanosecond", f.fraction_from(fields) or 0, 0, unit_nanos - 1)
    whole = {name: value for name, value in fields.items() if name not in fractions}
    return f.nanos_from(whole, nanos - kept) + kept + given


def _day(value: TemporalValue, function: str) -> int:
    day = parts_of(value).day
    if day is None:
        f.refuse(f"{function}.truncate() expects a value with a date, not a {value.name}")
    return day


def _unit(unit: str, units: Mapping[str, object], function: str) -> str:
    name = _BY_LOWER_NAME.get(unit.lower(), "")
    if name not in units:
        known = ", ".join(units)
        f.refuse(f"{function}.truncate() knows no unit {unit!r}: {known}", suggestion(unit, units))
    return name
