"""The types that the binder knows at compile time."""

from __future__ import annotations

from enum import Enum


class CypherType(Enum):
    """ANY is "not known until it runs"; NUMBER is INTEGER or FLOAT; NULL is the literal null;
    TEMPORAL is one of DATE to DURATION, which are only told apart when it runs."""

    ANY = "Any"
    NULL = "Null"
    BOOLEAN = "Boolean"
    INTEGER = "Integer"
    FLOAT = "Float"
    NUMBER = "Number"
    STRING = "String"
    LIST = "List"
    MAP = "Map"
    NODE = "Node"
    RELATIONSHIP = "Relationship"
    PATH = "Path"
    TEMPORAL = "Temporal"
    DATE = "Date"
    LOCAL_TIME = "LocalTime"
    TIME = "Time"
    LOCAL_DATE_TIME = "LocalDateTime"
    DATE_TIME = "DateTime"
    DURATION = "Duration"
    POINT = "Point"
