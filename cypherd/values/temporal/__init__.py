"""Dates, times and durations.

zones ── calendar ── model ── duration        the values
   parsing, fields ── construction            strings, maps, other values -> values
   truncation, arithmetic, components         values -> values
"""

from cypherd.values.temporal.duration import Duration
from cypherd.values.temporal.model import (
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)

KINDS: tuple[type[TemporalValue], ...] = (
    DateTime,
    LocalDateTime,
    Date,
    Time,
    LocalTime,
    Duration,
)
"""In the order of their ranks."""

__all__ = [
    "KINDS",
    "Date",
    "DateTime",
    "Duration",
    "LocalDateTime",
    "LocalTime",
    "TemporalValue",
    "Time",
]
