"""The types that values are told apart by when a query runs: `INTEGER NOT NULL`, `LIST<STRING>`.

They have Neo4j's names. A type allows null unless it says NOT NULL; a union has one of several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cypherd.values.description import type_of
from cypherd.values.types import CypherType as T

_NAMES: dict[str, frozenset[T]] = {
    "NOTHING": frozenset(),
    "NULL": frozenset(),
    "BOOLEAN": frozenset({T.BOOLEAN}),
    "STRING": frozenset({T.STRING}),
    "INTEGER": frozenset({T.INTEGER}),
    "FLOAT": frozenset({T.FLOAT}),
    "DATE": frozenset({T.DATE}),
    "LOCAL TIME": frozenset({T.LOCAL_TIME}),
    "ZONED TIME": frozenset({T.TIME}),
    "LOCAL DATETIME": frozenset({T.LOCAL_DATE_TIME}),
    "ZONED DATETIME": frozenset({T.DATE_TIME}),
    "DURATION": frozenset({T.DURATION}),
    "POINT": frozenset({T.POINT}),
    "NODE": frozenset({T.NODE}),
    "RELATIONSHIP": frozenset({T.RELATIONSHIP}),
    "MAP": frozenset({T.MAP}),
    "LIST": frozenset({T.LIST}),
    "PATH": frozenset({T.PATH}),
}
_SYNONYMS = {
    "BOOL": "BOOLEAN",
    "VARCHAR": "STRING",
    "INT": "INTEGER",
    "SIGNED INTEGER": "INTEGER",
    "VERTEX": "NODE",
    "EDGE": "RELATIONSHIP",
    "ARRAY": "LIST",
    "VALUE": "ANY",
    "ANY VALUE": "ANY",
    "TIMESTAMP WITHOUT TIMEZONE": "LOCAL DATETIME",
}
TYPE_NAMES = (*_NAMES, "ANY", "PROPERTY VALUE")
_BY_TYPE = {next(iter(types)): name for name, types in _NAMES.items() if types}
_STORED = frozenset(
    {T.BOOLEAN, T.STRING, T.INTEGER, T.FLOAT, T.DATE, T.LOCAL_TIME, T.TIME, T.LOCAL_DATE_TIME,
     T.DATE_TIME, T.DURATION, T.POINT}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValueType:
    """One of `choices`, each (name, type of the elements of a LIST, whether null is allowed)."""

    choices: tuple[tuple[str, ValueType | None, bool], ...]

    def __str__(self) -> str:
        return " | ".join(_text(*choice) for choice in self.choices)

    def holds(self, value: Any) -> bool:
        """Whether a value is of this type."""
        if value is None:
            return any(nullable for _, _, nullable in self.choices)
        return any(_is(value, name, inside) for name, inside, _ in self.choices)


def type_name(words: str) -> str | None:
    """The name of a type in whatever case and under any synonym; None if there is none."""
    name = words.upper()
    name = _SYNONYMS.get(name, name)
    return name if name in TYPE_NAMES else None


def value_type_of(value: Any) -> ValueType:
    """The narrowest type of a value: what valueType() says."""
    if value is None:
        return ValueType((("NULL", None, True),))
    kind = type_of(value)
    inside = _elements(value) if kind is T.LIST else None
    return ValueType(((_BY_TYPE[kind], inside, False),))


def _elements(values: Any) -> ValueType:
    """The type of the elements of a list: each kind once, in the order of the names; lists of
    several types among them as a union."""
    nullable = any(value is None for value in values)
    found = {
        choice[:2]: None
        for value in values
        if value is not None
        for choice in value_type_of(value).choices
    }
    if not found:
        return ValueType((("NULL" if nullable else "NOTHING", None, nullable),))
    order = {name: position for position, name in enumerate(_NAMES)}
    ordered = sorted(found, key=lambda choice: (order[choice[0]], str(choice[1] or "")))
    return ValueType(tuple((name, inside, nullable) for name, inside in ordered))


def _text(name: str, inside: ValueType | None, nullable: bool) -> str:
    text = name if inside is None else f"{name}<{inside}>"
    return text if nullable or name in ("NULL", "NOTHING") else f"{text} NOT NULL"


def _is(value: Any, name: str, inside: ValueType | None) -> bool:
    if name == "ANY":
        return True
    kind = type_of(value)
    if name == "PROPERTY VALUE":
        return _can_be_stored(value, kind)
    if kind not in _NAMES[name]:
        return False
    return inside is None or all(map(inside.holds, value))


def _can_be_stored(value: Any, kind: T) -> bool:
    if kind is not T.LIST:
        return kind in _STORED
    kinds = {type_of(element) for element in value}
    return kinds <= {T.INTEGER, T.FLOAT} or (len(kinds) == 1 and kinds <= _STORED)
