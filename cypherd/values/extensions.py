"""Values that MessagePack has no type of, as its extension types: temporal values and points.

code     in the store                      in answers and parameters
1 to 6   temporal (temporal/binary.py)     ISO 8601 text (temporal/tagged.py)
7        SRID and coordinates (points.py)  the same
"""

from __future__ import annotations

from cypherd.values.points import Point, pack_point, unpack_point
from cypherd.values.temporal import KINDS, TemporalValue, binary, tagged

ExtendedValue = TemporalValue | Point
EXTENDED: tuple[type[TemporalValue] | type[Point], ...] = (*KINDS, Point)
"""The types of these values."""
POINT = 7


def pack(value: ExtendedValue) -> tuple[int, bytes]:
    """(code, bytes) for the store."""
    return (POINT, pack_point(value)) if isinstance(value, Point) else binary.pack(value)


def unpack(code: int, data: bytes) -> ExtendedValue:
    """Raises ValueError for bytes that `pack` does not make."""
    return unpack_point(data) if code == POINT else binary.unpack(code, data)


def sent(value: ExtendedValue) -> tuple[int, bytes]:
    """(code, bytes) for clients."""
    return (POINT, pack_point(value)) if isinstance(value, Point) else tagged.tagged(value)


def received(code: int, data: bytes) -> ExtendedValue:
    """Raises ValueError for an unknown code, and for bytes that are not of that kind."""
    return unpack_point(data) if code == POINT else tagged.untagged(code, data)
