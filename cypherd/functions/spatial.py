"""Points: making them, and how far they are apart."""

from __future__ import annotations

from typing import Any

from cypherd.functions.signature import Family
from cypherd.values import spatial
from cypherd.values.description import wrong_type
from cypherd.values.points import Point
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function


@function(
    "point",
    arguments=(T.MAP,),
    result=T.POINT,
    help="The point of x and y, or longitude and latitude, with z or height and crs or srid.",
)
def point(fields: Any) -> Point | None:
    if not isinstance(fields, dict):
        raise wrong_type("point()", "a map", fields)
    return spatial.point_of(fields)


@function(
    "point.distance",
    arguments=(T.POINT, T.POINT),
    result=T.FLOAT,
    help="How far two points are apart; in metres for WGS 84, null for different systems.",
)
def distance(one: Any, other: Any) -> float | None:
    return spatial.distance(*_points("point.distance()", one, other))


@function(
    "distance",
    arguments=(T.POINT, T.POINT),
    result=T.FLOAT,
    help="The old name of point.distance.",
    deprecated_by="point.distance()",
)
def old_distance(one: Any, other: Any) -> float | None:
    return spatial.distance(*_points("distance()", one, other))


@function(
    "point.withinBBox",
    arguments=(T.POINT, T.POINT, T.POINT),
    result=T.BOOLEAN,
    help="Whether a point is in the box between its lower left and upper right corner.",
)
def within_box(value: Any, low: Any, high: Any) -> bool | None:
    return spatial.within_box(*_points("point.withinBBox()", value, low, high))


def _points(name: str, *values: Any) -> tuple[Point, ...]:
    for value in values:
        if not isinstance(value, Point):
            raise wrong_type(name, "points", value)
    return values
