"""What can be done with points: making, reading and measuring them.

Distances on the ellipsoid are those on a sphere of 6,378,140 metres (haversine), as in Neo4j; with
heights, along the sphere at the mean of both, and up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from cypherd.errors import ArgumentError
from cypherd.values.arithmetic import is_number
from cypherd.values.description import wrong_type
from cypherd.values.names import suggestion
from cypherd.values.points import (
    BY_NAME,
    BY_SRID,
    CARTESIAN,
    CARTESIAN_3D,
    PLAIN_NAMES,
    SYSTEMS,
    WGS_84,
    WGS_84_3D,
    Point,
    System,
)

EARTH_RADIUS = 6_378_140.0
"""Metres."""
_TEXT = re.compile(r"\s*(?:point\s*\(\s*(\{[^}]*\})\s*\)|(\{[^}]*\}))\s*", re.IGNORECASE)
_ENTRY = re.compile(r"""\s*(\w+)\s*:\s*(?:"([^"]*)"|'([^']*)'|([^\s,'"]+))\s*""")


# --- making -----------------------------------------------------------------------------


def point_of(fields: Mapping[str, Any]) -> Point | None:
    """What point() makes of a map; other keys of it are passed over. null if a coordinate is null.

    Raises ArgumentError for a map that is no point, CypherTypeError for what is no number."""
    geographic = "longitude" in fields or "latitude" in fields
    plain = "x" in fields and "y" in fields
    names: tuple[str, ...] = ("x", "y") if plain else ("longitude", "latitude")
    if not plain and not all(name in fields for name in names):
        raise _invalid("a point has either x and y, or longitude and latitude")
    third = next((name for name in ("height", "z") if name in fields), None)
    names = names if third is None else (*names, third)
    if any(fields[name] is None for name in (*names, *_given(fields))):
        return None
    values = tuple(_coordinate(name, fields[name]) for name in names)
    system = _system(fields, geographic and not plain, len(values))
    return Point(system.srid, _within_range(system, values))


def _given(fields: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name in ("crs", "srid") if name in fields)


def _coordinate(name: str, value: Any) -> float:
    if not is_number(value):
        raise wrong_type("point()", f"a number for {name}", value)
    if not math.isfinite(value):
        raise _invalid(f"{name} of a point is a finite number, not {value}")
    # -0.0 is the same place.
    return float(value) + 0.0


def _system(fields: Mapping[str, Any], geographic: bool, dimensions: int) -> System:
    named = _given(fields)
    if len(named) > 1:
        asked = _named_system("crs", fields["crs"])
        if asked is not _named_system("srid", fields["srid"]):
            raise _invalid(f"crs {fields['crs']!r} and srid {fields['srid']!r} differ")
    elif named:
        asked = _named_system(named[0], fields[named[0]])
    else:
        candidates = (WGS_84, WGS_84_3D) if geographic else (CARTESIAN, CARTESIAN_3D)
        return candidates[dimensions - 2]
    if len(asked.names) != dimensions:
        raise _invalid(
            f"a point of {asked.name} has {len(asked.names)} coordinates, not {dimensions}"
        )
    if geographic and not asked.geographic:
        raise _invalid(f"longitude and latitude are not coordinates of {asked.name}")
    return asked


def system_named(name: str) -> System:
    """By its `crs`. Raises ArgumentError for an unknown one."""
    return _named_system("crs", name)


def _named_system(key: str, value: Any) -> System:
    if key == "crs":
        found = BY_NAME.get(value.lower()) if isinstance(value, str) else None
    else:
        found = BY_SRID.get(value) if type(value) is int else None
    if found is None:
        known = ", ".join(f"{system.name} ({system.srid})" for system in SYSTEMS)
        raise _invalid(f"{key} {value!r} is no coordinate reference system; there are {known}")
    return found


def _within_range(system: System, values: tuple[float, ...]) -> tuple[float, ...]:
    """Longitudes go round, to -180 up to 180; latitudes do not."""
    if not system.geographic:
        return values
    longitude, latitude, *height = values
    if not -90.0 <= latitude <= 90.0:
        raise _invalid(f"the latitude of a point is from -90 to 90, not {latitude}")
    if not -180.0 <= longitude <= 180.0:
        longitude = (longitude + 180.0) % 360.0 - 180.0 + 0.0
    return (longitude, latitude, *height)


def _invalid(message: str) -> ArgumentError:
    return ArgumentError(message, detail="InvalidArgumentValue")


def parse_point(text: str, default: System | None = None) -> Point:
    """`{x: 1, y: 2, crs: 'cartesian'}`, or that in `point(...)`, as toString() gives it; `default`
    where the text names no system. Raises ArgumentError."""
    match = _TEXT.fullmatch(text)
    fields: dict[str, Any] = {}
    for entry in (match[1] or match[2])[1:-1].split(",") if match else ():
        part = _ENTRY.fullmatch(entry)
        if part is None:
            raise _invalid(f"{entry.strip()!r} is no part of a point")
        fields[part[1]] = _field(part)
    if default is not None and not _given(fields):
        fields["crs"] = default.name
    point = point_of(fields)
    if point is None:
        raise _invalid("a point has no null in it")
    return point


def _field(part: re.Match[str]) -> Any:
    quoted = part[2] if part[2] is not None else part[3]
    if quoted is not None:
        return quoted
    text = part[4]
    if part[1] == "srid" and text.isdigit():
        return int(text)
    try:
        return text if part[1] == "crs" else float(text)
    except ValueError:
        raise _invalid(f"{text!r} is no number") from None


# --- reading ----------------------------------------------------------------------------


def point_component(point: Point, name: str) -> Any:
    """`x`, `y`, `z`, `crs`, `srid`, and for WGS 84 `longitude`, `latitude`, `height`, in any case.
    Raises ArgumentError for what a point of this kind does not have."""
    system = point.system
    readers: dict[str, Any] = {"crs": system.name, "srid": point.srid}
    readers.update(zip(PLAIN_NAMES, point.coordinates, strict=False))
    readers.update(zip(system.names, point.coordinates, strict=True))
    found = readers.get(name.lower())
    if found is None:
        raise ArgumentError(
            f"a point of {system.name} has no component {name}",
            detail="InvalidArgumentValue",
            hint=suggestion(name, readers),
        )
    return found


# --- measuring --------------------------------------------------------------------------


def distance(one: Point, other: Point) -> float | None:
    """In metres for WGS 84, else in the unit of the coordinates; null for different systems."""
    if one.srid != other.srid:
        return None
    if not one.system.geographic:
        return math.dist(one.coordinates, other.coordinates)
    along = _angle(one.coordinates, other.coordinates)
    if len(one.coordinates) == 2:
        return EARTH_RADIUS * along
    low, high = one.coordinates[2], other.coordinates[2]
    return math.hypot((EARTH_RADIUS + (low + high) / 2) * along, high - low)


def _angle(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """In radians, seen from the centre: by the haversine formula."""
    longitude, latitude = math.radians(one[0]), math.radians(one[1])
    east, north = math.radians(other[0]) - longitude, math.radians(other[1]) - latitude
    share = math.sin(north / 2) ** 2
    share += math.cos(latitude) * math.cos(math.radians(other[1])) * math.sin(east / 2) ** 2
    return 2.0 * math.asin(min(math.sqrt(share), 1.0))


def within_box(point: Point, low: Point, high: Point) -> bool | None:
    """Whether it lies in the box between the corners, its edges included; null for different
    systems. A box of longitudes that go down crosses the date line."""
    if not point.srid == low.srid == high.srid:
        return None
    inside = [
        a <= value <= b
        for value, a, b in zip(point.coordinates, low.coordinates, high.coordinates, strict=True)
    ]
    if point.system.geographic and low.coordinates[0] > high.coordinates[0]:
        west, east, here = low.coordinates[0], high.coordinates[0], point.coordinates[0]
        inside[0] = here >= west or here <= east
    return all(inside)
