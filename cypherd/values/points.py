"""Points in one of four coordinate reference systems, as Neo4j has them.

SRID   name           coordinates
7203   cartesian      x, y
9157   cartesian-3d   x, y, z
4326   wgs-84         longitude, latitude in degrees
4979   wgs-84-3d      longitude, latitude, height in metres
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class System:
    """A coordinate reference system. `names`: of its coordinates, in order."""

    srid: int
    name: str
    names: tuple[str, ...]
    geographic: bool


CARTESIAN = System(7203, "cartesian", ("x", "y"), False)
CARTESIAN_3D = System(9157, "cartesian-3d", ("x", "y", "z"), False)
WGS_84 = System(4326, "wgs-84", ("longitude", "latitude"), True)
WGS_84_3D = System(4979, "wgs-84-3d", ("longitude", "latitude", "height"), True)
SYSTEMS = (CARTESIAN, CARTESIAN_3D, WGS_84, WGS_84_3D)
BY_SRID: Mapping[int, System] = {system.srid: system for system in SYSTEMS}
BY_NAME: Mapping[str, System] = {system.name: system for system in SYSTEMS}
PLAIN_NAMES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Point:
    """`coordinates`: two or three finite floats, as many as the system has."""

    srid: int
    coordinates: tuple[float, ...]

    @property
    def system(self) -> System:
        return BY_SRID[self.srid]

    def order_key(self) -> tuple[int, tuple[float, ...]]:
        """For ORDER BY, which has to have some order; `<` of two points is null."""
        return self.srid, self.coordinates

    def as_map(self) -> dict[str, Any]:
        """What point() makes the same point of again."""
        system = self.system
        named = dict(zip(system.names, self.coordinates, strict=True))
        return {"srid": self.srid, "crs": system.name, **named}

    def __str__(self) -> str:
        parts = zip(PLAIN_NAMES, self.coordinates, strict=False)
        listed = ", ".join(f"{name}: {value!r}" for name, value in parts)
        return f"point({{{listed}, crs: '{self.system.name}'}})"


def pack_point(point: Point) -> bytes:
    """The SRID (4 bytes), then each coordinate as a double (8), big-endian."""
    return struct.pack(f">i{len(point.coordinates)}d", point.srid, *point.coordinates)


def unpack_point(data: bytes) -> Point:
    """Raises ValueError for bytes that `pack_point` does not make."""
    count = (len(data) - 4) // 8
    if count not in (2, 3) or len(data) != 4 + 8 * count:
        raise ValueError(f"no point has {len(data)} bytes")
    srid, *coordinates = struct.unpack(f">i{count}d", data)
    system = BY_SRID.get(srid)
    if system is None or len(system.names) != count or not all(map(math.isfinite, coordinates)):
        raise ValueError(f"no point: SRID {srid} with {coordinates}")
    return Point(srid, tuple(coordinates))
