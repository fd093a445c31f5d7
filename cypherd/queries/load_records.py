"""The records of a bulk load: what a batch holds, and what is wrong with those that are left out.

    node           {"labels": ["Person"], "properties": {"id": 1, "name": "Ann"}}
    relationship   {"type": "KNOWS", "start": ["Person", 1], "end": ["Person", 2],
                    "properties": {"since": 2020}}

A node is known by its first label and the value of that label's key property; so are the ends of
relationships.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgpack
import orjson

from cypherd.errors import CypherdError, RequestError
from cypherd.storage.properties import stored_value
from cypherd.values.extensions import received

ANY_LABEL = "*"
_LARGE = 2.0**63
_NODE_FIELDS = frozenset({"labels", "properties"})
_RELATIONSHIP_FIELDS = frozenset({"type", "start", "end", "properties"})

Format = Literal["ndjson", "msgpack"]
Missing = Literal["create", "error"]
Existing = Literal["update", "skip", "error"]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """`keys`: the key property by label, ANY_LABEL for all others. `missing` ends are created or
    are an error of their relationship; `existing` nodes are updated, skipped, or an error."""

    keys: Mapping[str, str]
    missing: Missing = "create"
    existing: Existing = "update"

    def key_of(self, label: str) -> str:
        return self.keys.get(label) or self.keys.get(ANY_LABEL, "id")


@dataclass(frozen=True, slots=True)
class LoadBatch:
    """`data` holds `count` records (lines, of NDJSON), the first of which has the number `first`,
    from 1. `last`: the load ends with it."""

    id: str
    format: Format
    first: int
    count: int
    data: bytes
    options: LoadOptions
    last: bool


class BadRecord(NamedTuple):
    record: int
    message: str


class NodeRecord(NamedTuple):
    number: int
    labels: tuple[str, ...]
    properties: dict[str, Any]
    key: Any


class RelationshipRecord(NamedTuple):
    number: int
    type: str
    start: tuple[str, Any]
    end: tuple[str, Any]
    properties: dict[str, Any]


class _Refused(Exception):
    """What is wrong with one record."""


class _Inexact(Exception):
    """A float so large that it may have been an integer beyond 64 bits: read it again."""


def require_options(options: LoadOptions) -> LoadOptions:
    """Raises RequestError for names that cannot be."""
    for label, key in options.keys.items():
        if not is_name(label) or not is_name(key):
            raise RequestError(f"key: {label}.{key} names no label and property")
    return options


# --- reading ----------------------------------------------------------------------------


class _Record(NamedTuple):
    """`line`: its text, None where values are exact as they are."""

    number: int
    value: Any
    line: bytes | None


def read_exactly(
    batch: LoadBatch,
) -> tuple[list[NodeRecord], list[RelationshipRecord], list[BadRecord]]:
    """What the batch holds, and the records that are wrong. Blank lines count as records, and are
    none."""
    errors: list[BadRecord] = []
    nodes: list[NodeRecord] = []
    relationships: list[RelationshipRecord] = []
    for number, value, line in (
        _unpacked(batch, errors) if batch.format == "msgpack" else _lines(batch, errors)
    ):
        made = read_record(number, value, line, batch.options, errors)
        if isinstance(made, NodeRecord):
            nodes.append(made)
        elif made is not None:
            relationships.append(made)
    return nodes, relationships, errors


def _lines(batch: LoadBatch, errors: list[BadRecord]) -> list[_Record]:
    found = []
    for number, line in enumerate(batch.data.split(b"\n"), batch.first):
        try:
            found.append(_Record(number, orjson.loads(line), line))
        except orjson.JSONDecodeError as error:
            if line.strip():
                errors.append(BadRecord(number, f"not JSON: {error}"))
    return found


def _unpacked(batch: LoadBatch, errors: list[BadRecord]) -> list[_Record]:
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, ext_hook=received)
    unpacker.feed(batch.data)
    try:
        return [_Record(n, value, None) for n, value in enumerate(unpacker, batch.first)]
    except _UNREADABLE:
        pass
    # The splitter knows where each ends without looking at what it is: so does this.
    found = []
    ends = msgpack.Unpacker()
    ends.feed(batch.data)
    start = 0
    for number in range(batch.first, batch.first + batch.count):
        ends.skip()
        data, start = batch.data[start : ends.tell()], ends.tell()
        try:
            value = msgpack.unpackb(data, raw=False, strict_map_key=False, ext_hook=received)
        except _UNREADABLE as error:
            errors.append(BadRecord(number, f"not MessagePack that can be read: {error}"))
        else:
            found.append(_Record(number, value, None))
    return found


# Texts that are no UTF-8, keys that are lists, types of extension that there are not.
_UNREADABLE = (ValueError, TypeError, CypherdError)


def read_record(
    number: int, value: Any, line: bytes | None, options: LoadOptions, errors: list[BadRecord]
) -> NodeRecord | RelationshipRecord | None:
    """The record that `value` is; None, and told in `errors`, if it is none. `line`: its text, None
    where values are exact as they are."""
    try:
        try:
            return _made(number, value, options, exact=line is None)
        except _Inexact:
            assert line is not None, "only texts are inexact"
            return _made(number, json.loads(line), options, exact=True)
    except (_Refused, CypherdError) as error:
        message = error.message if isinstance(error, CypherdError) else str(error)
        errors.append(BadRecord(number, message))
        return None


def _made(
    number: int, value: Any, options: LoadOptions, *, exact: bool
) -> NodeRecord | RelationshipRecord:
    if type(value) is not dict:
        raise _Refused("a record is a map")
    properties = _properties(value, exact)
    if "type" in value:
        return _relationship(number, value, properties)
    if "labels" in value:
        return _node(number, value, properties, options)
    raise _Refused("a record has labels (a node) or a type (a relationship)")


def _node(
    number: int, record: Mapping[str, Any], properties: dict[str, Any], options: LoadOptions
) -> NodeRecord:
    if not record.keys() <= _NODE_FIELDS:
        raise _unknown(record, _NODE_FIELDS)
    labels = record["labels"]
    if type(labels) is not list or not all(map(is_name, labels)):
        raise _Refused("labels is a list of names")
    key = properties.get(options.key_of(labels[0])) if labels else None
    if key is not None:
        _check_key(key)
    return NodeRecord(number, tuple(labels), properties, key)


def _relationship(
    number: int, record: Mapping[str, Any], properties: dict[str, Any]
) -> RelationshipRecord:
    if not record.keys() <= _RELATIONSHIP_FIELDS:
        raise _unknown(record, _RELATIONSHIP_FIELDS)
    if not is_name(record["type"]):
        raise _Refused("type is a name")
    return RelationshipRecord(
        number,
        record["type"],
        _end(record, "start"),
        _end(record, "end"),
        properties,
    )


def _end(record: Mapping[str, Any], name: str) -> tuple[str, Any]:
    end = record.get(name)
    if type(end) is not list or len(end) != 2 or not is_name(end[0]):
        raise _Refused(f'{name} is a label and a key, such as ["Person", 1]')
    _check_key(end[1])
    return end[0], end[1]


def _check_key(key: Any) -> None:
    # 1 and 1.0 would be one key, true and 1 in Python too.
    if type(key) is not int and type(key) is not str:
        raise _Refused("a key is an integer or a string")
    stored_value(key)


def is_name(value: Any) -> bool:
    return type(value) is str and value != "" and "\0" not in value


def _properties(record: Mapping[str, Any], exact: bool) -> dict[str, Any]:
    properties = record.get("properties")
    if properties is None:
        return {}
    if type(properties) is not dict:
        raise _Refused("properties is a map")
    found: dict[str, Any] = {}
    for name, value in properties.items():
        if not name or type(name) is not str or "\0" in name:
            raise _Refused("the name of a property is a text that is not empty")
        if value is None:
            continue
        if not exact and type(value) is float and abs(value) >= _LARGE:
            raise _Inexact
        found[name] = value if type(value) is str else stored_value(value)
    return found


def _unknown(record: Mapping[str, Any], fields: frozenset[str]) -> _Refused:
    unknown = sorted(str(name) for name in record if name not in fields)
    return _Refused(f"unknown field {unknown[0]!r}; there are {', '.join(sorted(fields))}")
