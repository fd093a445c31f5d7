"""Temporal values as bytes with a number that tells their kind: the store's form of them.

    code  kind            bytes, big-endian
    1     datetime        seconds of the local clock since 1970 (8), nanoseconds (4), offset in
                          seconds (4), then the zone's name in UTF-8 if it has one
    2     localdatetime   the same seconds (8), nanoseconds (4)
    3     date            days since 1970 (4, or 8 where they do not fit)
    4     time            nanoseconds of the local day (8), offset in seconds (4)
    5     localtime       nanoseconds of the day (8)
    6     duration        months (8), days (8), seconds (8), nanoseconds (4)

All are signed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from cypherd.values.temporal.duration import Duration
from cypherd.values.temporal.model import (
    NANOS,
    SECONDS_OF_DAY,
    Date,
    DateTime,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)

_ZONED = struct.Struct(">qii")
_LOCAL = struct.Struct(">qi")
_SHORT_DATE = struct.Struct(">i")
_LONG_DATE = struct.Struct(">q")
_TIME = struct.Struct(">qi")
_LOCAL_TIME = struct.Struct(">q")
_DURATION = struct.Struct(">qqqi")
_SHORT = 1 << 31


def pack(value: TemporalValue) -> tuple[int, bytes]:
    """(code, bytes)."""
    code, packer = _PACKERS[type(value)]
    return code, packer(value)


def unpack(code: int, data: bytes) -> TemporalValue:
    """Raises ValueError for bytes that `pack` does not make."""
    unpacker = _UNPACKERS.get(code)
    if unpacker is None:
        raise ValueError(f"there is no kind of temporal value {code}")
    try:
        return unpacker(data)
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"no temporal value of kind {code}: {error}") from error


def _pack_zoned(value: DateTime) -> bytes:
    seconds, nanos = divmod(value.nanos, NANOS)
    fixed = _ZONED.pack(value.day * SECONDS_OF_DAY + seconds, nanos, value.offset)
    return fixed if value.zone is None else fixed + value.zone.encode()


def _unpack_zoned(data: bytes) -> DateTime:
    local, nanos, offset = _ZONED.unpack_from(data)
    day, seconds = divmod(local, SECONDS_OF_DAY)
    zone = data[_ZONED.size :].decode() or None
    return DateTime(day, seconds * NANOS + nanos, offset, zone)


def _pack_local(value: LocalDateTime) -> bytes:
    return _LOCAL.pack(value.seconds, value.nanos % NANOS)


def _unpack_local(data: bytes) -> LocalDateTime:
    local, nanos = _LOCAL.unpack(data)
    day, seconds = divmod(local, SECONDS_OF_DAY)
    return LocalDateTime(day, seconds * NANOS + nanos)


def _pack_date(value: Date) -> bytes:
    fits = -_SHORT <= value.day < _SHORT
    return (_SHORT_DATE if fits else _LONG_DATE).pack(value.day)


@lru_cache(maxsize=1 << 14)
def _unpack_date(data: bytes) -> Date:
    """Stores hold few different days, many times each."""
    return Date(*(_SHORT_DATE if len(data) == _SHORT_DATE.size else _LONG_DATE).unpack(data))


def _pack_duration(value: Duration) -> bytes:
    return _DURATION.pack(value.months, value.days, value.seconds, value.nanos)


_PACKERS: Mapping[type[TemporalValue], tuple[int, Callable[[Any], bytes]]] = {
    DateTime: (1, _pack_zoned),
    LocalDateTime: (2, _pack_local),
    Date: (3, _pack_date),
    Time: (4, lambda value: _TIME.pack(value.nanos, value.offset)),
    LocalTime: (5, lambda value: _LOCAL_TIME.pack(value.nanos)),
    Duration: (6, _pack_duration),
}
_UNPACKERS: Mapping[int, Callable[[bytes], TemporalValue]] = {
    1: _unpack_zoned,
    2: _unpack_local,
    3: _unpack_date,
    4: lambda data: Time(*_TIME.unpack(data)),
    5: lambda data: LocalTime(*_LOCAL_TIME.unpack(data)),
    6: lambda data: Duration(*_DURATION.unpack(data)),
}
