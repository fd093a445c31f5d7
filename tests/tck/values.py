"""The TCK's notation of expected values, and how results are compared with it.

`parse_value` reads `(:A {p: 1})`, `[:T {p: 1}]`, `<(:A)-[:T]->(:B)>`, lists, maps, strings,
numbers, booleans and null into plain, hashable forms; `canonical` puts a result's value into the
same form, so comparing is `==`. Integers and floats differ, NaN equals NaN, labels have no order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cypherd.values.graph import Node, Path, Relationship

Form = Hashable

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Inf\b)")
_NAME = re.compile(r"[^\W\d]\w*|`(?:[^`]|``)*`")
_WORDS = {"true": True, "false": False, "null": None, "NaN": math.nan, "Inf": math.inf}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def accept(self, token: str) -> bool:
        self.peek()
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise ValueError(f"{token!r} expected at {self.at} of {self.text!r}")

    def match(self, pattern: re.Pattern[str]) -> str | None:
        self.peek()
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def name(self) -> str:
        name = self.match(_NAME)
        if name is None:
            raise ValueError(f"a name expected at {self.at} of {self.text!r}")
        return name[1:-1].replace("``", "`") if name.startswith("`") else name


def parse_value(text: str) -> Any:
    """The value that `text` denotes, lists as list and maps as dict; graph values as forms.

    Raises ValueError when the text is none.
    """
    reader = _Reader(text)
    value = _value(reader)
    if reader.peek():
        raise ValueError(f"unexpected text at {reader.at} of {text!r}")
    return value


def _value(reader: _Reader) -> Any:
    match reader.peek():
        case "'":
            return _string(reader)
        case "[":
            return _list_or_relationship(reader)
        case "{":
            return _map(reader)
        case "(":
            return _node(reader)
        case "<":
            return _path(reader)
    number = reader.match(_NUMBER)
    if number is not None:
        return _number(number)
    word = reader.name()
    if word not in _WORDS:
        raise ValueError(f"{word!r} is no value, in {reader.text!r}")
    return _WORDS[word]


def _number(text: str) -> int | float:
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return float(text)


def _string(reader: _Reader) -> str:
    reader.expect("'")
    parts: list[str] = []
    while True:
        character = reader.text[reader.at]
        reader.at += 1
        if character == "'":
            return "".join(parts)
        if character == "\\":
            escaped = reader.text[reader.at]
            reader.at += 1
            character = _ESCAPES.get(escaped, escaped)
        parts.append(character)


def _list_or_relationship(reader: _Reader) -> Any:
    reader.expect("[")
    if reader.peek() == ":":
        return _relationship_rest(reader)
    return _items(reader)


def _items(reader: _Reader) -> list[Any]:
    items: list[Any] = []
    while not reader.accept("]"):
        items.append(_value(reader))
        if not reader.accept(","):
            reader.expect("]")
            break
    return items


def _map(reader: _Reader) -> dict[str, Any]:
    reader.expect("{")
    entries: dict[str, Any] = {}
    while not reader.accept("}"):
        key = reader.name()
        reader.expect(":")
        entries[key] = _value(reader)
        if not reader.accept(","):
            reader.expect("}")
            break
    return entries


@dataclass(frozen=True, slots=True)
class NodeForm:
    labels: frozenset[str]
    properties: Form


@dataclass(frozen=True, slots=True)
class RelationshipForm:
    type: str
    properties: Form


@dataclass(frozen=True, slots=True)
class PathForm:
    """`steps` are (relationship, walked along its direction, node reached)."""

    start: NodeForm
    steps: tuple[tuple[RelationshipForm, bool, NodeForm], ...]


def _node(reader: _Reader) -> NodeForm:
    reader.expect("(")
    labels = []
    while reader.accept(":"):
        labels.append(reader.name())
    properties = _map(reader) if reader.peek() == "{" else {}
    reader.expect(")")
    return NodeForm(frozenset(labels), canonical(properties))


def _relationship_rest(reader: _Reader) -> RelationshipForm:
    reader.expect(":")
    name = reader.name()
    properties = _map(reader) if reader.peek() == "{" else {}
    reader.expect("]")
    return RelationshipForm(name, canonical(properties))


def _path(reader: _Reader) -> PathForm:
    reader.expect("<")
    start = _node(reader)
    steps = []
    while not reader.accept(">"):
        backwards = reader.accept("<-")
        if not backwards:
            reader.expect("-")
        reader.expect("[")
        relationship = _relationship_rest(reader)
        reader.expect("-" if backwards else "->")
        steps.append((relationship, not backwards, _node(reader)))
    return PathForm(start, tuple(steps))


def canonical(value: Any, *, any_list_order: bool = False) -> Form:
    """A hashable form; `any_list_order` makes lists equal whatever the order of their items."""
    match value:
        case None | bool() | str() | NodeForm() | RelationshipForm() | PathForm():
            return (type(value).__name__, value)
        case int():
            return ("integer", value)
        case float():
            return ("float", "NaN" if math.isnan(value) else value + 0.0)
        case Node():
            return canonical(NodeForm(frozenset(value.labels), canonical(value.properties)))
        case Relationship():
            return canonical(RelationshipForm(value.type, canonical(value.properties)))
        case Path():
            return canonical(_path_form(value))
        case Mapping():
            pairs = ((k, canonical(v, any_list_order=any_list_order)) for k, v in value.items())
            return ("map", frozenset(pairs))
        case list() | tuple():
            return _list_form(value, any_list_order)
    # Temporal and spatial values: the TCK writes them as strings.
    return ("str", str(value))


def _list_form(value: Sequence[Any], any_order: bool) -> Form:
    items = [canonical(item, any_list_order=any_order) for item in value]
    return ("list", tuple(sorted(items, key=repr) if any_order else items))


def _path_form(path: Path) -> PathForm:
    forms = [NodeForm(frozenset(n.labels), canonical(n.properties)) for n in path.nodes]
    steps = [
        (
            RelationshipForm(relationship.type, canonical(relationship.properties)),
            relationship.start == path.nodes[i].id,
            forms[i + 1],
        )
        for i, relationship in enumerate(path.relationships)
    ]
    return PathForm(forms[0], tuple(steps))
