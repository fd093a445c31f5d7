"""The types that the binder knows at compile time."""

from __future__ import annotations

from enum import Enum


class CypherType(Enum):
    """ANY is "not known until it runs"; NUMBER is INTEGER or FLOAT; NULL is the literal null."""

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
    POINT = "Point"
