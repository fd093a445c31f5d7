"""The components of temporal values: `d.year`, `t.offset`, `duration.monthsOfYear`.

The parts below a second are counted from the second on: a `microsecond` holds the milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cypherd.errors import ArgumentError
from cypherd.values.names import suggestion
from cypherd.values.temporal import calendar
from cypherd.values.temporal.duration import Duration, fitting
from cypherd.values.temporal.model import (
    NANOS,
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)
from cypherd.values.temporal.zones import offset_text, zone_text

Reader = Callable[[Any], Any]

_DATE: Mapping[str, Reader] = {
    "year": lambda value: calendar.civil(value.day)[0],
    "quarter": lambda value: (calendar.civil(value.day)[1] + 2) // 3,
    "month": lambda value: calendar.civil(value.day)[1],
    "week": lambda value: calendar.iso_week(value.day)[1],
    "weekYear": lambda value: calendar.iso_week(value.day)[0],
    "day": lambda value: calendar.civil(value.day)[2],
    "ordinalDay": lambda value: (
        value.day - calendar.epoch_day(calendar.civil(value.day)[0], 1, 1) + 1
    ),
    "weekDay": lambda value: calendar.weekday_of(value.day),
    "dayOfWeek": lambda value: calendar.weekday_of(value.day),
    "dayOfQuarter": lambda value: calendar.day_of_quarter(value.day),
    "quarterDay": lambda value: calendar.day_of_quarter(value.day),
}
_TIME: Mapping[str, Reader] = {
    "hour": lambda value: value.nanos // (3600 * NANOS),
    "minute": lambda value: value.nanos // (60 * NANOS) % 60,
    "second": lambda value: value.nanos // NANOS % 60,
    "millisecond": lambda value: value.nanos % NANOS // 1_000_000,
    "microsecond": lambda value: value.nanos % NANOS // 1_000,
    "nanosecond": lambda value: value.nanos % NANOS,
}
_OFFSET: Mapping[str, Reader] = {
    "timezone": lambda value: offset_text(value.offset),
    "offset": lambda value: offset_text(value.offset),
    "offsetMinutes": lambda value: _quotient(value.offset, 60),
    "offsetSeconds": lambda value: value.offset,
}
_INSTANT: Mapping[str, Reader] = {
    "timezone": lambda value: zone_text(value.place),
    "epochSeconds": lambda value: value.epoch_seconds,
    "epochMillis": lambda value: value.epoch_seconds * 1000 + value.nanos % NANOS // 1_000_000,
}
_DURATION: Mapping[str, Reader] = {
    "years": lambda value: _quotient(value.months, 12),
    "quarters": lambda value: _quotient(value.months, 3),
    "months": lambda value: value.months,
    "weeks": lambda value: _quotient(value.days, 7),
    "days": lambda value: value.days,
    "hours": lambda value: _quotient(value.seconds, 3600),
    "minutes": lambda value: _quotient(value.seconds, 60),
    "seconds": lambda value: value.seconds,
    "milliseconds": lambda value: fitting(value.total_nanos // 1_000_000),
    "microseconds": lambda value: fitting(value.total_nanos // 1_000),
    "nanoseconds": lambda value: fitting(value.total_nanos),
    "quartersOfYear": lambda value: _remainder(_quotient(value.months, 3), 4),
    "monthsOfQuarter": lambda value: _remainder(value.months, 3),
    "monthsOfYear": lambda value: _remainder(value.months, 12),
    "daysOfWeek": lambda value: _remainder(value.days, 7),
    "minutesOfHour": lambda value: _remainder(_quotient(value.seconds, 60), 60),
    "secondsOfMinute": lambda value: _remainder(value.seconds, 60),
    "millisecondsOfSecond": lambda value: value.nanos // 1_000_000,
    "microsecondsOfSecond": lambda value: value.nanos // 1_000,
    "nanosecondsOfSecond": lambda value: value.nanos,
}
COMPONENTS: Mapping[type[TemporalValue], Mapping[str, Reader]] = {
    Date: _DATE,
    LocalTime: _TIME,
    Time: {**_TIME, **_OFFSET},
    LocalDateTime: {**_DATE, **_TIME},
    DateTime: {**_DATE, **_TIME, **_OFFSET, **_INSTANT},
    Duration: _DURATION,
}
_BY_LOWER_NAME: Mapping[type[TemporalValue], Mapping[str, Reader]] = {
    kind: {name.lower(): reader for name, reader in readers.items()}
    for kind, readers in COMPONENTS.items()
}


def component(value: TemporalValue, name: str) -> Any:
    """The component of that name, in any case. Raises ArgumentError for a name that values of
    this kind do not have, CypherArithmeticError for a number that does not fit 64 bits."""
    reader = COMPONENTS[type(value)].get(name) or _BY_LOWER_NAME[type(value)].get(name.lower())
    if reader is None:
        raise ArgumentError(
            f"a {value.name} has no component {name}",
            detail="InvalidArgumentValue",
            hint=suggestion(name, COMPONENTS[type(value)]),
        )
    return reader(value)


def _quotient(value: int, unit: int) -> int:
    return value // unit if value >= 0 else -(-value // unit)


def _remainder(value: int, unit: int) -> int:
    return value % unit if value >= 0 else -(-value % unit)
