"""Values for people to read: `(:Person {name: "Ann"})` instead of a map of ids.

Everything that a terminal would act on, or show as something else, is escaped: control characters,
also those of C1, and the marks that turn the direction of what follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from cypherd.render.values import encode_value, non_finite_name
from cypherd.values.graph import Node, Path, Relationship
from cypherd.values.points import Point

_NAME = re.compile(r"[^\W\d]\w*")
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def literal(value: Any) -> str:
    """A value as Cypher would have it, on one line; strings in double quotes."""
    writer = _WRITERS.get(type(value))
    if writer is not None:
        return writer(value)
    encoded = encode_value(value)
    return encoded if isinstance(encoded, str) else literal(encoded)


def string_literal(value: str) -> str:
    """With the escapes of JSON."""
    text = orjson.dumps(value).decode()
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


def string_literals(values: Sequence[str]) -> list[str]:
    """Of a whole column, looked at together first."""
    together = "".join(values)
    if together.isprintable() and '"' not in together and "\\" not in together:
        return [f'"{value}"' for value in values]
    return [string_literal(value) for value in values]


def printable(text: str) -> str:
    """Text without quotes, with what is not for a terminal escaped."""
    return text if text.isprintable() else _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _number(value: float) -> str:
    text = orjson.dumps(value).decode()
    return non_finite_name(value) if text == "null" else text


def _list(value: Any) -> str:
    return f"[{', '.join(map(literal, value))}]"


def _map(value: Mapping[str, Any]) -> str:
    return f"{{{', '.join(f'{_name(key)}: {literal(item)}' for key, item in value.items())}}}"


def _name(name: str) -> str:
    """A name, in backticks unless it is a plain one."""
    if _NAME.fullmatch(name):
        return name
    return printable(f"`{name.replace('`', '``')}`")


def _node(node: Node) -> str:
    return f"({_inside(''.join(f':{_name(label)}' for label in node.labels), node.properties)})"


def _relationship(relationship: Relationship) -> str:
    return f"[{_inside(f':{_name(relationship.type)}', relationship.properties)}]"


def _inside(labels: str, properties: Mapping[str, Any]) -> str:
    return " ".join(part for part in (labels, _map(properties) if properties else "") if part)


def _path(path: Path) -> str:
    return "".join(_steps(path))


def _steps(path: Path) -> Iterator[str]:
    yield _node(path.nodes[0])
    for before, relationship, after in zip(
        path.nodes, path.relationships, path.nodes[1:], strict=False
    ):
        forwards = relationship.start == before.id
        yield f"{'' if forwards else '<'}-{_relationship(relationship)}-{'>' if forwards else ''}"
        yield _node(after)


_WRITERS: dict[type, Callable[[Any], str]] = {
    type(None): lambda value: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: _number,
    str: string_literal,
    list: _list,
    tuple: _list,
    range: _list,
    dict: _map,
    Point: str,
    Node: _node,
    Relationship: _relationship,
    Path: _path,
}
