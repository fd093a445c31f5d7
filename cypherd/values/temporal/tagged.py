"""Temporal values as text with a number that tells their kind: their form in MessagePack.

The numbers are those of the store (binary.py); the text is the ISO 8601 form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cypherd.errors import ArgumentError
from cypherd.values.temporal import parsing
from cypherd.values.temporal.duration import Duration
from cypherd.values.temporal.model import (
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)
from cypherd.values.temporal.zones import UTC

CODES: Mapping[type[TemporalValue], int] = {
    DateTime: 1,
    LocalDateTime: 2,
    Date: 3,
    Time: 4,
    LocalTime: 5,
    Duration: 6,
}
_PARSERS: Mapping[int, Callable[[str], TemporalValue]] = {
    1: parsing.parse_date_time,
    2: parsing.parse_local_date_time,
    3: parsing.parse_date,
    4: lambda text: parsing.parse_time(text, UTC),
    5: parsing.parse_local_time,
    6: parsing.parse_duration,
}


def tagged(value: TemporalValue) -> tuple[int, bytes]:
    """(code, UTF-8)."""
    return CODES[type(value)], str(value).encode()


def untagged(code: int, data: bytes) -> TemporalValue:
    """Raises ValueError for an unknown code, and for text that is not of that kind."""
    parse = _PARSERS.get(code)
    if parse is None:
        raise ValueError(f"there is no extension type {code}")
    try:
        return parse(data.decode())
    except (UnicodeDecodeError, ArgumentError) as error:
        raise ValueError(f"extension type {code}: {error}") from error
