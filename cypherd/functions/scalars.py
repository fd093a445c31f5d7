"""Scalar functions: coalesce, size, isEmpty, randomUUID and their kin."""

from __future__ import annotations

import uuid
from typing import Any

from cypherd.functions.signature import Family
from cypherd.values.description import wrong_type
from cypherd.values.equality import equals
from cypherd.values.graph import Path, PathRef
from cypherd.values.lists import is_list
from cypherd.values.types import CypherType as T
from cypherd.values.value_types import value_type_of

FAMILY = Family()
function = FAMILY.function


@function(
    "coalesce",
    arguments=(T.ANY,),
    variadic=True,
    result=T.ANY,
    null="handle",
    help="The first argument that is not null; the ones after it are not evaluated.",
)
def coalesce(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


@function(
    "exists",
    arguments=(T.ANY,),
    result=T.BOOLEAN,
    null="handle",
    help="Whether a property is there (the old form of IS NOT NULL).",
    deprecated_by="IS NOT NULL",
)
def exists(value: Any) -> bool:
    return value is not None


@function(
    "size",
    arguments=[(T.LIST,), (T.STRING,)],
    result=T.INTEGER,
    help="How many elements a list has, or characters a string.",
)
def size(value: Any) -> int:
    if isinstance(value, str) or is_list(value):
        return len(value)
    raise wrong_type("size()", "a list or a string", value)


@function(
    "isEmpty",
    arguments=[(T.LIST,), (T.MAP,), (T.STRING,)],
    result=T.BOOLEAN,
    help="Whether a list, map or string has nothing in it.",
)
def is_empty(value: Any) -> bool:
    if isinstance(value, str | dict) or is_list(value):
        return len(value) == 0
    raise wrong_type("isEmpty()", "a list, a map or a string", value)


@function(
    "length",
    arguments=[(T.PATH,), (T.LIST,), (T.STRING,)],
    result=T.INTEGER,
    help="How many relationships a path has (of old also the size of a list or string).",
)
def length(value: Any) -> int:
    if isinstance(value, PathRef | Path):
        return len(value.relationships)
    if isinstance(value, str) or is_list(value):
        return len(value)
    raise wrong_type("length()", "a path", value)


@function("nodes", arguments=(T.PATH,), result=T.LIST, help="The nodes of a path, in order.")
def nodes(path: Any) -> list[Any]:
    if isinstance(path, PathRef | Path):
        return list(path.nodes)
    raise wrong_type("nodes()", "a path", path)


@function(
    "relationships",
    arguments=(T.PATH,),
    result=T.LIST,
    help="The relationships of a path, in order.",
)
def relationships(path: Any) -> list[Any]:
    if isinstance(path, PathRef | Path):
        return list(path.relationships)
    raise wrong_type("relationships()", "a path", path)


@function(
    "valueType",
    arguments=(T.ANY,),
    result=T.STRING,
    null="handle",
    help="The type of a value, as in IS :: TYPE.",
)
def value_type(value: Any) -> str:
    return str(value_type_of(value))


@function("randomUUID", arguments=(), result=T.STRING, deterministic=False, help="A random UUID.")
def random_uuid() -> str:
    return str(uuid.uuid4())


@function(
    "nullIf",
    arguments=(T.ANY, T.ANY),
    result=T.ANY,
    null="handle",
    help="Null if both arguments are equal, else the first one.",
)
def null_if(value: Any, other: Any) -> Any:
    return None if equals(value, other) else value
