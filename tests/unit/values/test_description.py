from __future__ import annotations

from typing import Any

import pytest

from cypherd.values.description import type_of, wrong_type
from cypherd.values.graph import Node, NodeRef, Path, PathRef, Relationship, RelationshipRef
from cypherd.values.temporal import Date, DateTime, Duration, LocalDateTime, LocalTime, Time
from cypherd.values.types import CypherType

NODE = Node(1, (), {})

TYPES: list[tuple[Any, CypherType]] = [
    (None, CypherType.NULL),
    (True, CypherType.BOOLEAN),
    (1, CypherType.INTEGER),
    (1.0, CypherType.FLOAT),
    ("", CypherType.STRING),
    ([], CypherType.LIST),
    (range(3), CypherType.LIST),
    ({}, CypherType.MAP),
    (NodeRef(1), CypherType.NODE),
    (NODE, CypherType.NODE),
    (RelationshipRef(1), CypherType.RELATIONSHIP),
    (Relationship(1, "T", 1, 1, {}), CypherType.RELATIONSHIP),
    (PathRef((NodeRef(1),), ()), CypherType.PATH),
    (Path((NODE,), ()), CypherType.PATH),
    (Date(0), CypherType.DATE),
    (LocalTime(0), CypherType.LOCAL_TIME),
    (Time(0, 0), CypherType.TIME),
    (LocalDateTime(0, 0), CypherType.LOCAL_DATE_TIME),
    (DateTime(0, 0, 0), CypherType.DATE_TIME),
    (Duration(0, 0, 0, 0), CypherType.DURATION),
]


@pytest.mark.parametrize(("value", "expected"), TYPES, ids=lambda v: repr(v)[:30])
def test_type_of(value: Any, expected: CypherType) -> None:
    assert type_of(value) is expected


def test_wrong_type_names_what_was_given() -> None:
    error = wrong_type("f()", "a list", 1, "InvalidArgumentValue")
    assert error.message == "f() expects a list, but was given a value of type Integer"
    assert error.detail == "InvalidArgumentValue"
