"""What a value is called in an error message."""

from __future__ import annotations

from typing import Any

from cypherd.errors import CypherTypeError
from cypherd.values.graph import Node, NodeRef, Path, PathRef, Relationship, RelationshipRef
from cypherd.values.points import Point
from cypherd.values.temporal import Date, DateTime, Duration, LocalDateTime, LocalTime, Time
from cypherd.values.types import CypherType

_TYPES: tuple[tuple[type, CypherType], ...] = (
    (bool, CypherType.BOOLEAN),
    (int, CypherType.INTEGER),
    (float, CypherType.FLOAT),
    (str, CypherType.STRING),
    (list, CypherType.LIST),
    (range, CypherType.LIST),
    (dict, CypherType.MAP),
    (Date, CypherType.DATE),
    (LocalTime, CypherType.LOCAL_TIME),
    (Time, CypherType.TIME),
    (LocalDateTime, CypherType.LOCAL_DATE_TIME),
    (DateTime, CypherType.DATE_TIME),
    (Duration, CypherType.DURATION),
    (Point, CypherType.POINT),
    (NodeRef, CypherType.NODE),
    (RelationshipRef, CypherType.RELATIONSHIP),
    (PathRef, CypherType.PATH),
    (Node, CypherType.NODE),
    (Relationship, CypherType.RELATIONSHIP),
    (Path, CypherType.PATH),
)


def type_of(value: Any) -> CypherType:
    """The Cypher type of a value."""
    if value is None:
        return CypherType.NULL
    for kind, cypher_type in _TYPES:
        if isinstance(value, kind):
            return cypher_type
    return CypherType.ANY


def wrong_type(
    function: str, expected: str, value: Any, detail: str = "InvalidArgumentType"
) -> CypherTypeError:
    """The error for a value that `function` cannot take; `expected` names what it can."""
    return CypherTypeError(
        f"{function} expects {expected}, but was given a value of type {type_of(value).value}",
        detail=detail,
    )


_TYPE_TEXTS: dict[CypherType, str] = {
    CypherType.LOCAL_TIME: "LOCAL TIME",
    CypherType.TIME: "ZONED TIME",
    CypherType.LOCAL_DATE_TIME: "LOCAL DATETIME",
    CypherType.DATE_TIME: "ZONED DATETIME",
}


def type_text(type_: CypherType, element: CypherType = CypherType.ANY) -> str:
    """A type as signatures have it, under Neo4j's names: `LIST<STRING>`."""
    if type_ is CypherType.LIST:
        return f"LIST<{type_text(element)}>"
    return _TYPE_TEXTS.get(type_, str(type_.value).upper())
