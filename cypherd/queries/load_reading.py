"""The records of a batch, most of them after one look.

    lines -> one JSON array -> plain? --yes--> record
                                 |no
                                 '--> load_records: the exact way, which says what is wrong

Nearly all records of a load have the same few labels, types and names of properties, and numbers
and texts as values. What names have been looked at once is remembered for the rest of the batch.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import orjson

from cypherd.queries.load_records import (
    BadRecord,
    LoadBatch,
    LoadOptions,
    NodeRecord,
    RelationshipRecord,
    is_name,
    read_exactly,
    read_record,
)

_MIN, _MAX = -(1 << 63), (1 << 63) - 1
_LARGE = 2.0**63

# Between the lines, where they are read as one array: a number that nobody can guess, so no record
# that is cut by the end of a line can pass for two that are whole.
_BETWEEN = secrets.randbits(62)
_COMMA = b",%d," % _BETWEEN

# A named tuple's own `__new__` is a function of Python.
_new = tuple.__new__


def read_batch(
    batch: LoadBatch,
) -> tuple[list[NodeRecord], list[RelationshipRecord], list[BadRecord]]:
    """What `read_exactly` gives."""
    values = _values(batch) if batch.format == "ndjson" else None
    return read_exactly(batch) if values is None else _read(batch, values)


def _values(batch: LoadBatch) -> list[Any] | None:
    """The value of every line; None if one is blank or no JSON."""
    data = batch.data.removesuffix(b"\n")
    breaks = data.count(b"\n")
    try:
        values: list[Any] = orjson.loads(b"[" + data.replace(b"\n", _COMMA) + b"]")
    except orjson.JSONDecodeError:
        return None
    if len(values) != 2 * breaks + 1 or values[1::2].count(_BETWEEN) != breaks:
        return None
    return values[::2]


def _read(
    batch: LoadBatch, values: Sequence[Any]
) -> tuple[list[NodeRecord], list[RelationshipRecord], list[BadRecord]]:
    nodes: list[NodeRecord] = []
    relationships: list[RelationshipRecord] = []
    errors: list[BadRecord] = []
    lines: list[bytes] | None = None
    look = _Look(batch.options)
    for number, value in enumerate(values, batch.first):
        try:
            made = look.record(number, value)
        except TypeError:
            # A list or a map where a name should be.
            made = None
        if made is None:
            lines = lines or batch.data.split(b"\n")
            made = read_record(number, value, lines[number - batch.first], batch.options, errors)
        if isinstance(made, NodeRecord):
            nodes.append(made)
        elif made is not None:
            relationships.append(made)
    return nodes, relationships, errors


class _Look:
    """Knows the names of a batch."""

    __slots__ = ("_key_of", "_labels", "_names", "_shapes")

    def __init__(self, options: LoadOptions) -> None:
        self._key_of = options.key_of
        # Labels of nodes, and the key property that goes with them.
        self._labels: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {}
        # Labels of ends, and types.
        self._names: set[str] = set()
        # Names of properties, those of a record together.
        self._shapes: set[tuple[str, ...]] = set()

    def record(self, number: int, value: Any) -> NodeRecord | RelationshipRecord | None:
        """None if it is not plain. Raises TypeError, which means the same."""
        if type(value) is not dict:
            return None
        properties = value.get("properties")
        if type(properties) is not dict or not self._are_plain(properties):
            return None
        if len(value) == 2 and "labels" in value:
            labels = value["labels"]
            known = self._labels.get(tuple(labels)) or self._new_labels(labels)
            if known is None:
                return None
            key = properties.get(known[1])
            if key is not None and type(key) is not int and type(key) is not str:
                return None
            return _new(NodeRecord, (number, known[0], properties, key))
        if len(value) == 4 and "type" in value and "start" in value and "end" in value:
            start, end, type_ = value["start"], value["end"], value["type"]
            if self._is_end(start) and self._is_end(end) and self._is_name(type_):
                made = (number, type_, tuple(start), tuple(end), properties)
                return _new(RelationshipRecord, made)
        return None

    def _are_plain(self, properties: dict[str, Any]) -> bool:
        """Whether they are what is stored of them."""
        for value in properties.values():
            kind = type(value)
            if kind is int:
                if not _MIN <= value <= _MAX:
                    return False
            elif kind is float:
                # A larger one may have been an integer.
                if not -_LARGE < value < _LARGE:
                    return False
            elif kind is not str and kind is not bool:
                return False
        names = tuple(properties)
        if names in self._shapes:
            return True
        if not all(map(is_name, names)):
            return False
        self._shapes.add(names)
        return True

    def _new_labels(self, labels: Any) -> tuple[tuple[str, ...], str] | None:
        if type(labels) is not list or not labels or not all(map(is_name, labels)):
            return None
        known = (tuple(labels), self._key_of(labels[0]))
        self._labels[known[0]] = known
        return known

    def _is_end(self, end: Any) -> bool:
        if type(end) is not list or len(end) != 2 or not self._is_name(end[0]):
            return False
        key = end[1]
        kind = type(key)
        return kind is str or (kind is int and _MIN <= key <= _MAX)

    def _is_name(self, name: Any) -> bool:
        if name in self._names:
            return True
        if not is_name(name):
            return False
        self._names.add(name)
        return True
