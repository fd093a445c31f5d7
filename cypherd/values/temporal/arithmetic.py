"""Temporal values and durations: `+` and `-`, and the duration between two values.

A duration is added months first (to the last day of a month that is too short), then days, both
on the calendar, then seconds: of a zoned value on the time line, of times around the clock, of
dates only the whole days among them.
"""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.values.temporal.calendar import add_months, checked_day, civil
from cypherd.values.temporal.construction import Parts, from_epoch, parts_of
from cypherd.values.temporal.duration import Duration, duration_of
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
from cypherd.values.temporal.zones import Zone


def plus(value: TemporalValue, duration: Duration) -> TemporalValue:
    """`value + duration`; `value` is no duration. Raises ArgumentError for a year beyond reach."""
    nanos = duration.total_nanos
    match value:
        case Date(day):
            whole = abs(nanos) // NANOS_OF_DAY
            return Date(checked_day(_moved(day, duration) + (whole if nanos >= 0 else -whole)))
        case LocalTime(local):
            return LocalTime((local + nanos) % NANOS_OF_DAY)
        case Time(local, offset):
            return Time((local + nanos) % NANOS_OF_DAY, offset)
        case LocalDateTime(day, local):
            more, rest = divmod(local + nanos, NANOS_OF_DAY)
            return LocalDateTime(checked_day(_moved(day, duration) + more), rest)
        case DateTime():
            moved = _moved_in_zone(value, duration)
            return from_epoch(moved.epoch_seconds, moved.nanos % NANOS + nanos, value.place)
    raise TypeError(f"{type(value).__name__} has no place in time")


def _moved_in_zone(value: DateTime, duration: Duration) -> DateTime:
    """Months, then days: each ends at a time that the zone's clock shows."""
    if duration.months:
        day = add_months(value.day, duration.months)
        value = zoned(day, value.nanos, value.place, value.offset)
    if duration.days:
        value = zoned(value.day + duration.days, value.nanos, value.place, value.offset)
    return value


def _moved(day: int, duration: Duration) -> int:
    moved = add_months(day, duration.months) if duration.months else day
    return checked_day(moved + duration.days)


@dataclass(frozen=True, slots=True)
class _Point:
    """A local date and time, and the nanoseconds since the epoch that it is at."""

    day: int
    nanos: int
    instant: int


def between(left: TemporalValue, right: TemporalValue) -> Duration:
    """Months, then days, then the rest, each as many as there are whole ones."""
    start, end, zone, dated = _aligned(left, right)
    if not dated:
        return duration_of(0, 0, end.instant - start.instant)
    months = _months(start, end)
    start = _point(add_months(start.day, months), start.nanos, zone)
    days = _days(start, end)
    start = _point(start.day + days, start.nanos, zone)
    return duration_of(months, days, end.instant - start.instant)


def in_months(left: TemporalValue, right: TemporalValue) -> Duration:
    start, end, _, dated = _aligned(left, right)
    return duration_of(_months(start, end) if dated else 0, 0, 0)


def in_days(left: TemporalValue, right: TemporalValue) -> Duration:
    start, end, _, dated = _aligned(left, right)
    return duration_of(0, _days(start, end) if dated else 0, 0)


def in_seconds(left: TemporalValue, right: TemporalValue) -> Duration:
    start, end, _, _ = _aligned(left, right)
    return duration_of(0, 0, end.instant - start.instant)


def _aligned(left: TemporalValue, right: TemporalValue) -> tuple[_Point, _Point, Zone | None, bool]:
    """Both with all parts, in the zone of the left one, and whether both came with a date.

    A part that only one has, date or zone, is taken over by the other; a time that is not there
    is midnight.
    """
    a, b = parts_of(left), parts_of(right)
    zone = b.zone if a.zone is None else a.zone
    start = _completed(a, b, zone)
    end = _completed(b, a, zone if b.zone is None else b.zone)
    if zone is not None and b.zone is not None:
        seconds, rest = divmod(end.instant, NANOS)
        shown = at_instant(seconds, rest, zone)
        end = _Point(shown.day, shown.nanos, end.instant)
    return start, end, zone, a.day is not None and b.day is not None


def _completed(own: Parts, other: Parts, zone: Zone | None) -> _Point:
    day = own.day if own.day is not None else other.day or 0
    return _point(day, own.nanos or 0, zone, own.offset)


def _point(day: int, nanos: int, zone: Zone | None, offset: int | None = None) -> _Point:
    if zone is None:
        return _Point(day, nanos, day * NANOS_OF_DAY + nanos)
    moment = zoned(day, nanos, zone, offset)
    instant = moment.epoch_seconds * NANOS + moment.nanos % NANOS
    return _Point(moment.day, moment.nanos, instant)


def _days(start: _Point, end: _Point) -> int:
    return _last_whole_day(start, end) - start.day


def _months(start: _Point, end: _Point) -> int:
    first_year, first_month, first_day = civil(start.day)
    year, month, day = civil(_last_whole_day(start, end))
    months = (year - first_year) * 12 + month - first_month
    if months > 0 and day < first_day:
        return months - 1
    return months + 1 if months < 0 and day > first_day else months


def _last_whole_day(start: _Point, end: _Point) -> int:
    """The day of the end, or the one next to it toward the start where the times of day cross."""
    if end.day > start.day and end.nanos < start.nanos:
        return end.day - 1
    if end.day < start.day and end.nanos > start.nanos:
        return end.day + 1
    return end.day
