"""Temporal values from maps and from other temporal values.

A map may hold whole values under `date`, `time` or `datetime`, of which parts are taken; the
other fields change them. `timezone` beside a part that has a zone already asks for the same
moment elsewhere, otherwise it says where the local time is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from cypherd.errors import CypherTypeError
from cypherd.values.temporal import fields as f
from cypherd.values.temporal.duration import Duration, Number, approximate, exact
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
    at_instant,
    zoned,
)
from cypherd.values.temporal.zones import UTC, Zone, offset_at

_DATE = f.DATE_FIELDS | {"date"}
_TIME = f.TIME_FIELDS | {"time"}
_LOCAL = _DATE | _TIME | {"datetime"}
_EPOCH_NAMES = frozenset({"epochSeconds", "epochMillis"})
_EPOCH = _EPOCH_NAMES | {"millisecond", "microsecond", "nanosecond", "timezone"}

_DURATION_UNITS: Mapping[str, tuple[int, int]] = {
    "years": (0, 12),
    "quarters": (0, 3),
    "months": (0, 1),
    "weeks": (1, 7),
    "days": (1, 1),
    "hours": (2, 3600),
    "minutes": (2, 60),
    "seconds": (2, 1),
    "milliseconds": (3, 1_000_000),
    "microseconds": (3, 1_000),
    "nanoseconds": (3, 1),
}
_DURATION_NAMES = frozenset(_DURATION_UNITS)


@dataclass(frozen=True, slots=True)
class Parts:
    """What another value gives: None for what it does not have."""

    day: int | None = None
    nanos: int | None = None
    zone: Zone | None = None
    offset: int | None = None


def parts_of(value: TemporalValue) -> Parts:
    match value:
        case Date(day):
            return Parts(day)
        case LocalDateTime(day, nanos):
            return Parts(day, nanos)
        case DateTime(day, nanos, offset):
            return Parts(day, nanos, value.place, offset)
        case LocalTime(nanos):
            return Parts(None, nanos)
        case Time(nanos, offset):
            return Parts(None, nanos, offset, offset)
    return Parts()


def make_date(source: Any) -> Date:
    """From a map or a temporal value. Raises ArgumentError, CypherTypeError, as all of these."""
    if isinstance(source, TemporalValue):
        return Date(_day(source, "date"))
    source = f.known(source, _DATE, "date")
    base = _day(_selected(source, "date"), "date") if "date" in source else None
    return Date(f.day_from(source, base))


def make_local_time(source: Any) -> LocalTime:
    if isinstance(source, TemporalValue):
        return LocalTime(_nanos(source, "localtime"))
    source = f.known(source, _TIME, "localtime")
    return LocalTime(_time_fields(source, "localtime")[0])


def make_time(source: Any, now: int) -> Time:
    """`now` (seconds since the epoch) tells the offset of a named zone."""
    if isinstance(source, TemporalValue):
        return Time(_nanos(source, "time"), parts_of(source).offset or UTC)
    source = f.known(source, _TIME | {"timezone"}, "time")
    nanos, parts = _time_fields(source, "time")
    zone = f.zone_of(source)
    offset = parts.offset or UTC
    if zone is None:
        return Time(nanos, offset)
    target = offset_at(zone, now)
    if parts.offset is not None:
        nanos = (nanos + (target - offset) * NANOS) % NANOS_OF_DAY
    return Time(nanos, target)


def make_local_date_time(source: Any) -> LocalDateTime:
    if isinstance(source, TemporalValue):
        return LocalDateTime(_day(source, "localdatetime"), parts_of(source).nanos or 0)
    source = f.known(source, _LOCAL, "localdatetime")
    day, nanos, _ = _date_time_fields(source, "localdatetime")
    return LocalDateTime(day, nanos)


def make_date_time(source: Any) -> DateTime:
    if isinstance(source, DateTime):
        return source
    if isinstance(source, TemporalValue):
        return zoned(_day(source, "datetime"), parts_of(source).nanos or 0, UTC)
    source = f.known(source, _LOCAL | _EPOCH, "datetime")
    if not _EPOCH_NAMES.isdisjoint(source):
        return _from_epoch_fields(source)
    day, nanos, parts = _date_time_fields(source, "datetime")
    zone = f.zone_of(source)
    if parts.zone is None:
        return zoned(day, nanos, UTC if zone is None else zone)
    value = zoned(day, nanos, parts.zone, parts.offset)
    if zone is None:
        return value
    return at_instant(value.epoch_seconds, value.nanos % NANOS, zone)


def from_epoch(seconds: int, nanos: int, zone: Zone = UTC) -> DateTime:
    """`nanos` may be any number of nanoseconds besides the seconds."""
    more, rest = divmod(nanos, NANOS)
    return at_instant(seconds + more, rest, zone)


def make_duration(source: Any) -> Duration:
    if isinstance(source, Duration):
        return source
    if isinstance(source, TemporalValue):
        _refuse_value("duration", "a map, string or duration", source)
    totals: list[Number] = [0, 0, 0, 0]
    for name, value in f.known(source, _DURATION_NAMES, "duration").items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CypherTypeError(f"{name} must be a number", detail="InvalidArgumentType")
        place, factor = _DURATION_UNITS[name]
        number = exact(value) if isinstance(value, float) else value
        totals[place] = totals[place] + number * factor
    return approximate(*totals)


def _from_epoch_fields(source: Fields) -> DateTime:
    source = f.known(source, _EPOCH, "datetime with an epoch")
    seconds, millis = f.integer(source, "epochSeconds"), f.integer(source, "epochMillis")
    if seconds is not None and millis is not None:
        f.refuse("epochSeconds and epochMillis cannot be given together")
    if millis is not None and "millisecond" in source:
        f.refuse("epochMillis and millisecond cannot be given together")
    zone = f.zone_of(source)
    total = (millis or 0) * 1_000_000
    fraction = f.fraction_from(source) or 0
    return from_epoch(seconds or 0, total + fraction, UTC if zone is None else zone)


def _date_time_fields(source: Fields, function: str) -> tuple[int, int, Parts]:
    """(epoch day, nanoseconds of the day, the parts that the time and its zone come from)."""
    if "datetime" in source:
        if "date" in source or "time" in source:
            f.refuse("datetime cannot be given together with date or time")
        whole = _selected(source, "datetime")
        day, parts = _day(whole, function), parts_of(whole)
        nanos = f.nanos_from(source, parts.nanos or 0)
        return f.day_from(source, day), nanos, parts
    base = _day(_selected(source, "date"), function) if "date" in source else None
    if "time" in source or not f.TIME_FIELDS.isdisjoint(source):
        if base is None:
            f.check_day_is_given(source)
        nanos, parts = _time_fields(source, function)
    else:
        nanos, parts = 0, Parts()
    return f.day_from(source, base), nanos, parts


def _time_fields(source: Fields, function: str) -> tuple[int, Parts]:
    if "time" not in source:
        if "hour" not in source:
            f.refuse("hour must be given")
        return f.nanos_from(source, None), Parts()
    value = _selected(source, "time")
    return f.nanos_from(source, _nanos(value, function)), parts_of(value)


def _selected(source: Fields, name: str) -> TemporalValue:
    value = source[name]
    if isinstance(value, TemporalValue):
        return value
    raise CypherTypeError(f"{name} must be a temporal value", detail="InvalidArgumentType")


def _day(value: TemporalValue, function: str) -> int:
    return _needed(parts_of(value).day, function, "a value with a date", value)


def _nanos(value: TemporalValue, function: str) -> int:
    return _needed(parts_of(value).nanos, function, "a value with a time", value)


def _needed(part: int | None, function: str, expected: str, value: TemporalValue) -> int:
    if part is None:
        _refuse_value(function, expected, value)
    return part


def _refuse_value(function: str, expected: str, value: TemporalValue) -> NoReturn:
    raise CypherTypeError(
        f"{function}() expects {expected}, not a {value.name}", detail="InvalidArgumentType"
    )
