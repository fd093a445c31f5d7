"""Order-preserving encoding of property values: bytes that compare as Cypher orders values.

    value                      bytes
    list                       10, each element, 00
    point                      20, SRID (4), each coordinate as the double of a number is
    datetime                   21, seconds since 1970 (8), nanoseconds (4), offset (4), zone as the
                               string is, empty for a bare offset
    localdatetime              22, days since 1970 (8), nanoseconds of the day (8)
    date                       23, days since 1970 (8)
    time                       24, nanoseconds of the day in UTC (8), offset (4)
    localtime                  25, nanoseconds of the day (8)
    duration                   26, average length in seconds (16), nanoseconds (4), months (8),
                               days (8)
    string                     30, UTF-8 with 00 written as 00 FF, then 00 01
    boolean                    40, 00 or 01
    number                     50, nearest double (8 bytes), exact value minus that double (2 bytes)
    NaN                        51

The order of the tags is that of ORDER BY (openCypher CIP2016-06-14). The double is big-endian
with its sign bit flipped, or all bits where it is negative; -0.0 is written as 0.0. The
difference is that of a 64-bit integer to its nearest double, at most 512 either way, plus 8000
(hexadecimal). As rounding is monotonic, integers beyond 2^53 stand exactly between the doubles.
Whole numbers of temporal values are big-endian with the sign bit flipped.

No encoding is the beginning of another one. So encodings can be put one after another for a
composite key, and a key that was cut at `limit` bytes can never equal a whole one.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.errors import CypherTypeError
from cypherd.values.extensions import EXTENDED
from cypherd.values.lists import is_list
from cypherd.values.points import Point
from cypherd.values.temporal import (
    Date,
    DateTime,
    Duration,
    LocalDateTime,
    LocalTime,
    TemporalValue,
    Time,
)

TAG_LIST = 0x10
TAG_POINT = 0x20
TAG_DATE_TIME = 0x21
TAG_LOCAL_DATE_TIME = 0x22
TAG_DATE = 0x23
TAG_TIME = 0x24
TAG_LOCAL_TIME = 0x25
TAG_DURATION = 0x26
TAG_STRING = 0x30
TAG_BOOLEAN = 0x40
TAG_NUMBER = 0x50
TAG_NAN = 0x51

_LIST = bytes([TAG_LIST])
_STRING = bytes([TAG_STRING])
_FALSE = bytes([TAG_BOOLEAN, 0])
_TRUE = bytes([TAG_BOOLEAN, 1])
_NAN = bytes([TAG_NAN])
_END_OF_LIST = b"\x00"
_END_OF_STRING = b"\x00\x01"

_pack_number = struct.Struct(">BQH").pack
_pack_small = struct.Struct(">BdH").pack
_EXACT = 1 << 53
_pack_double = struct.Struct(">d").pack
_unpack_bits = struct.Struct(">Q").unpack
_PLAIN = frozenset({int, str, bool})

INTEGER_KEY = np.dtype([("tag", "u1"), ("bits", ">u8"), ("difference", ">u2")])
"""The encoding of a number as an item of an array."""
_SIGN = 1 << 63
_ALL = (1 << 64) - 1


def encode(value: Any) -> bytes:
    """The encoding of one property value. Raises CypherTypeError for anything else."""
    kind = type(value)
    if kind is str:
        return _STRING + _escaped(value) + _END_OF_STRING
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is int:
        if 0 <= value <= _EXACT:
            # The bits of a double that is not negative with the sign flipped are those of its
            # negative.
            return _pack_small(TAG_NUMBER, -float(value), 0x8000)
        nearest = float(value)
        return _number(nearest, value - int(nearest))
    if kind is float:
        return _NAN if math.isnan(value) else _number(value, 0)
    if is_list(value):
        return _LIST + b"".join(map(encode, value)) + _END_OF_LIST
    encoder = _EXTENDED.get(kind)
    if encoder is not None:
        return encoder(value)
    raise CypherTypeError(
        f"a value of type {kind.__name__} cannot be in an index", detail="InvalidPropertyType"
    )


def encode_integers(values: IntArray) -> NDArray[Any]:
    """The encodings of integers, as an array of INTEGER_KEY."""
    doubles = values.astype(np.float64)
    keys = np.empty(len(values), dtype=INTEGER_KEY)
    bits = doubles.view(np.uint64)
    keys["tag"] = TAG_NUMBER
    keys["bits"] = np.where(values < 0, ~bits, bits | np.uint64(_SIGN))
    keys["difference"] = values - _whole_of(doubles) + 0x8000
    return keys


def decode_integers(keys: NDArray[Any]) -> IntArray:
    """The values of keys of `encode_integers`."""
    bits = keys["bits"].astype(np.uint64)
    doubles = np.where(bits >= _SIGN, bits ^ np.uint64(_SIGN), ~bits).view(np.float64)
    return _whole_of(doubles) + (keys["difference"].astype(np.int64) - 0x8000)


def _whole_of(doubles: NDArray[Any]) -> IntArray:
    """As integers; 2^63, which is the nearest double of the largest ones, is -2^63 here: the
    differences to it are the same in 64 bits."""
    return np.where(doubles >= 2.0**63, -(2.0**63), doubles).astype(np.int64)


def encode_composite(values: Sequence[Any]) -> bytes:
    return encode(values[0]) if len(values) == 1 else b"".join(map(encode, values))


def encode_string_prefix(prefix: str) -> bytes:
    """What the encodings of all strings that start with `prefix` start with."""
    return _STRING + _escaped(prefix)


def equals_something(value: Any) -> bool:
    """False for what no stored value can equal: null, NaN, maps, graph values, and lists that
    hold one of them."""
    if type(value) in _PLAIN:
        return True
    if is_list(value):
        return all(map(equals_something, value))
    if isinstance(value, float):
        return not math.isnan(value)
    return isinstance(value, (str, int, *EXTENDED))


def type_range(value: Any) -> tuple[bytes, bytes] | None:
    """[low, high) around the encodings of all values that `value` can be compared with by `<`;
    None where there are none. NaN is neither less nor greater than any number."""
    if isinstance(value, bool):
        return _between(TAG_BOOLEAN)
    if isinstance(value, int | float):
        return None if math.isnan(value) else _between(TAG_NUMBER)
    if isinstance(value, str):
        return _between(TAG_STRING)
    if isinstance(value, TemporalValue) and not isinstance(value, Duration):
        return _between(encode(value)[0])
    return _between(TAG_LIST) if is_list(value) else None


def successor(prefix: bytes) -> bytes | None:
    """The least bytes above everything that starts with `prefix`; None if there are none."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None


def _between(tag: int) -> tuple[bytes, bytes]:
    return bytes([tag]), bytes([tag + 1])


def _number(double: float, difference: int) -> bytes:
    return _pack_number(TAG_NUMBER, _ordered_bits(double), difference + 0x8000)


def _double(value: float) -> bytes:
    return _ordered_bits(value).to_bytes(8, "big")


def _ordered_bits(double: float) -> int:
    bits: int = _unpack_bits(_pack_double(double + 0.0))[0]
    return bits ^ (_ALL if bits & _SIGN else _SIGN)


def _whole(value: int, size: int) -> bytes:
    """A signed integer in `size` bytes that compare as the integers do."""
    return (value + (1 << (8 * size - 1))).to_bytes(size, "big")


def _date_time(value: DateTime) -> bytes:
    seconds, nanos, offset, zone = value.order_key()
    fixed = _whole(seconds, 8) + _whole(nanos, 4) + _whole(offset, 4)
    return bytes([TAG_DATE_TIME]) + fixed + _escaped(zone) + _END_OF_STRING


def _parts(tag: int, *sizes: int) -> Callable[[TemporalValue], bytes]:
    """An encoder of values whose order is that of integers of these sizes."""

    def encoder(value: TemporalValue) -> bytes:
        parts: tuple[Any, ...] = value.order_key()
        return bytes([tag]) + b"".join(map(_whole, parts, sizes))

    return encoder


def _point(value: Point) -> bytes:
    coordinates = b"".join(map(_double, value.coordinates))
    return bytes([TAG_POINT]) + _whole(value.srid, 4) + coordinates


_EXTENDED: Mapping[type, Callable[[Any], bytes]] = {
    Point: _point,
    DateTime: _date_time,
    LocalDateTime: _parts(TAG_LOCAL_DATE_TIME, 8, 8),
    Date: _parts(TAG_DATE, 8),
    Time: _parts(TAG_TIME, 8, 4),
    LocalTime: _parts(TAG_LOCAL_TIME, 8),
    Duration: _parts(TAG_DURATION, 16, 4, 8, 8),
}


def _escaped(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return data.replace(b"\x00", b"\x00\xff") if b"\x00" in data else data
