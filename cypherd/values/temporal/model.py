"""The temporal values. All hold integers only: epoch days, nanoseconds of a day, seconds.

`str()` of a value is its ISO 8601 form, as toString() and JSON have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cypherd.values.temporal.calendar import checked_day, civil
from cypherd.values.temporal.zones import (
    Zone,
    offset_at,
    offset_of_local,
    offset_text,
)

NANOS = 1_000_000_000
SECONDS_OF_DAY = 86_400
NANOS_OF_DAY = SECONDS_OF_DAY * NANOS


class TemporalValue:
    """What is common to all: values of one `rank` stand in the order of their keys, and kinds of
    values in the order of their ranks (that of ORDER BY)."""

    __slots__ = ()
    rank: ClassVar[int]
    name: ClassVar[str]

    def order_key(self) -> tuple[int | str, ...]:
        raise TypeError(f"{type(self).__name__} has no order")


@dataclass(frozen=True, slots=True)
class DateTime(TemporalValue):
    """A moment: the local date and time, and the offset they are read at. `zone` is the name of
    the zone that gave the offset, if one did."""

    day: int
    nanos: int
    offset: int
    zone: str | None = None
    rank: ClassVar[int] = 0
    name: ClassVar[str] = "datetime"

    @property
    def epoch_seconds(self) -> int:
        return self.day * SECONDS_OF_DAY + self.nanos // NANOS - self.offset

    @property
    def place(self) -> Zone:
        """The zone by name if it has one, else the offset."""
        return self.offset if self.zone is None else self.zone

    def order_key(self) -> tuple[int, int, int, str]:
        return (self.epoch_seconds, self.nanos % NANOS, self.offset, self.zone or "")

    def __str__(self) -> str:
        zone = "" if self.zone is None else f"[{self.zone}]"
        local = f"{date_text(self.day)}T{time_text(self.nanos)}"
        return f"{local}{offset_text(self.offset)}{zone}"


@dataclass(frozen=True, slots=True)
class LocalDateTime(TemporalValue):
    day: int
    nanos: int
    rank: ClassVar[int] = 1
    name: ClassVar[str] = "localdatetime"

    @property
    def seconds(self) -> int:
        """Since 1970 on its own clock, without the fraction."""
        return self.day * SECONDS_OF_DAY + self.nanos // NANOS

    def order_key(self) -> tuple[int, int]:
        return (self.day, self.nanos)

    def __str__(self) -> str:
        return f"{date_text(self.day)}T{time_text(self.nanos)}"


@dataclass(frozen=True, slots=True)
class Date(TemporalValue):
    day: int
    rank: ClassVar[int] = 2
    name: ClassVar[str] = "date"

    def order_key(self) -> tuple[int]:
        return (self.day,)

    def __str__(self) -> str:
        return date_text(self.day)


@dataclass(frozen=True, slots=True)
class Time(TemporalValue):
    """A time on the clock of an offset: `nanos` of the local day."""

    nanos: int
    offset: int
    rank: ClassVar[int] = 3
    name: ClassVar[str] = "time"

    @property
    def utc_nanos(self) -> int:
        """Nanoseconds after midnight in UTC, of the same day: may be below 0 or past the day."""
        return self.nanos - self.offset * NANOS

    def order_key(self) -> tuple[int, int]:
        return (self.utc_nanos, self.offset)

    def __str__(self) -> str:
        return time_text(self.nanos) + offset_text(self.offset)


@dataclass(frozen=True, slots=True)
class LocalTime(TemporalValue):
    nanos: int
    rank: ClassVar[int] = 4
    name: ClassVar[str] = "localtime"

    def order_key(self) -> tuple[int]:
        return (self.nanos,)

    def __str__(self) -> str:
        return time_text(self.nanos)


def zoned(day: int, nanos: int, zone: Zone, preferred: int | None = None) -> DateTime:
    """The moment at which the clock of `zone` shows a local date and time.

    In a gap the clock is put forward; of two such moments the one at offset `preferred`, else the
    earlier. Raises ArgumentError for a year that there is not.
    """
    checked_day(day)
    if isinstance(zone, int):
        return DateTime(day, nanos, zone)
    local = day * SECONDS_OF_DAY + nanos // NANOS
    offset = offset_of_local(zone, local, preferred)
    actual = offset_at(zone, local - offset)
    if actual == offset:
        return DateTime(day, nanos, offset, zone)
    return at_instant(local - offset, nanos % NANOS, zone)


def at_instant(seconds: int, nanos: int, zone: Zone) -> DateTime:
    """What the clock of `zone` shows `seconds` and `nanos` (below a second) after the epoch."""
    offset = offset_at(zone, seconds)
    day, second = divmod(seconds + offset, SECONDS_OF_DAY)
    checked_day(day)
    name = zone if isinstance(zone, str) else None
    return DateTime(day, second * NANOS + nanos, offset, name)


def date_text(day: int) -> str:
    year, month, day_of_month = civil(day)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04}-{month:02}-{day_of_month:02}"


def time_text(nanos: int) -> str:
    """Hours and minutes; seconds where there are any, with 3, 6 or 9 digits of fraction."""
    seconds, fraction = divmod(nanos, NANOS)
    minutes, second = divmod(seconds, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    if fraction == 0:
        return f"{text}:{second:02}" if second else text
    digits = f"{fraction:09}"
    shortest = 3 if digits.endswith("000000") else 6 if digits.endswith("000") else 9
    return f"{text}:{second:02}.{digits[:shortest]}"
