"""A batch of a bulk load: records in, changes of one writing transaction out.

    node           {"labels": ["Person"], "properties": {"id": 1, "name": "Ann"}}
    relationship   {"type": "KNOWS", "start": ["Person", 1], "end": ["Person", 2],
                    "properties": {"since": 2020}}

A node is known by its first label and the value of that label's key property; so are the ends of
relationships. Nodes of a batch come before its relationships. One question a label finds which of
the keys are there; what is not is created. A record that is wrong is left out and told of; if the
store refuses what several do together, the batch is halved until it is clear which one it was.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgpack
import numpy as np
import orjson

from cypherd.errors import CypherdError, QueryStopped, RequestError, StorageFull
from cypherd.executor.context import Guard
from cypherd.storage.properties import stored_value
from cypherd.storage.protocols import IndexDescriptor, WriteTransaction
from cypherd.values.extensions import received

ANY_LABEL = "*"
_PIECE = 8192
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


class _Node(NamedTuple):
    number: int
    labels: tuple[str, ...]
    properties: dict[str, Any]
    key: Any


class _Relationship(NamedTuple):
    number: int
    type: str
    start: tuple[str, Any]
    end: tuple[str, Any]
    properties: dict[str, Any]


class _Refused(Exception):
    """What is wrong with one record."""


class _Inexact(Exception):
    """A float so large that it may have been an integer beyond 64 bits: read it again."""


@dataclass(slots=True)
class Outcome:
    """What a batch came to."""

    counts: Counter[str] = field(default_factory=Counter)
    errors: list[BadRecord] = field(default_factory=list)


# --- reading ----------------------------------------------------------------------------


class _Record(NamedTuple):
    """`line`: its text, None where values are exact as they are."""

    number: int
    value: Any
    line: bytes | None


def read_records(batch: LoadBatch) -> tuple[list[_Record], list[BadRecord]]:
    """Each record that can be read, and those that cannot. Blank lines count as records, and are
    none."""
    if batch.format == "msgpack":
        return _unpacked(batch)
    lines = batch.data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    numbered = [(n, line) for n, line in enumerate(lines, batch.first) if line.strip()]
    try:
        values = orjson.loads(b"[" + b",".join(line for _, line in numbered) + b"]")
    except orjson.JSONDecodeError:
        return _one_by_one(numbered)
    if len(values) != len(numbered):
        return _one_by_one(numbered)
    pairs = zip(numbered, values, strict=True)
    return [_Record(number, value, line) for (number, line), value in pairs], []


def _unpacked(batch: LoadBatch) -> tuple[list[_Record], list[BadRecord]]:
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, ext_hook=received)
    unpacker.feed(batch.data)
    try:
        return [_Record(n, value, None) for n, value in enumerate(unpacker, batch.first)], []
    except _UNREADABLE:
        pass
    # The splitter knows where each ends without looking at what it is: so does this.
    found, bad = [], []
    ends = msgpack.Unpacker()
    ends.feed(batch.data)
    start = 0
    for number in range(batch.first, batch.first + batch.count):
        ends.skip()
        data, start = batch.data[start : ends.tell()], ends.tell()
        try:
            value = msgpack.unpackb(data, raw=False, strict_map_key=False, ext_hook=received)
        except _UNREADABLE as error:
            bad.append(BadRecord(number, f"not MessagePack that can be read: {error}"))
        else:
            found.append(_Record(number, value, None))
    return found, bad


# Texts that are no UTF-8, keys that are lists, types of extension that there are not.
_UNREADABLE = (ValueError, TypeError, CypherdError)


def _one_by_one(
    numbered: Sequence[tuple[int, bytes]],
) -> tuple[list[_Record], list[BadRecord]]:
    found, bad = [], []
    for number, line in numbered:
        try:
            found.append(_Record(number, orjson.loads(line), line))
        except orjson.JSONDecodeError as error:
            bad.append(BadRecord(number, f"not JSON: {error}"))
    return found, bad


def _sorted_out(
    records: Sequence[_Record], options: LoadOptions, errors: list[BadRecord]
) -> tuple[list[_Node], list[_Relationship]]:
    nodes: list[_Node] = []
    relationships: list[_Relationship] = []
    for record in records:
        try:
            try:
                made = _made(record.number, record.value, options, exact=record.line is None)
            except _Inexact:
                assert record.line is not None, "only texts are inexact"
                made = _made(record.number, json.loads(record.line), options, exact=True)
        except (_Refused, CypherdError) as error:
            message = error.message if isinstance(error, CypherdError) else str(error)
            errors.append(BadRecord(record.number, message))
            continue
        if isinstance(made, _Node):
            nodes.append(made)
        else:
            relationships.append(made)
    return nodes, relationships


def _made(number: int, value: Any, options: LoadOptions, *, exact: bool) -> _Node | _Relationship:
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
) -> _Node:
    if not record.keys() <= _NODE_FIELDS:
        raise _unknown(record, _NODE_FIELDS)
    labels = record["labels"]
    if type(labels) is not list or not all(map(_is_name, labels)):
        raise _Refused("labels is a list of names")
    key = properties.get(options.key_of(labels[0])) if labels else None
    if key is not None:
        _check_key(key)
    return _Node(number, tuple(labels), properties, key)


def _relationship(
    number: int, record: Mapping[str, Any], properties: dict[str, Any]
) -> _Relationship:
    if not record.keys() <= _RELATIONSHIP_FIELDS:
        raise _unknown(record, _RELATIONSHIP_FIELDS)
    if not _is_name(record["type"]):
        raise _Refused("type is a name")
    return _Relationship(
        number,
        record["type"],
        _end(record, "start"),
        _end(record, "end"),
        properties,
    )


def _end(record: Mapping[str, Any], name: str) -> tuple[str, Any]:
    end = record.get(name)
    if type(end) is not list or len(end) != 2 or not _is_name(end[0]):
        raise _Refused(f'{name} is a label and a key, such as ["Person", 1]')
    _check_key(end[1])
    return end[0], end[1]


def _check_key(key: Any) -> None:
    # 1 and 1.0 would be one key, true and 1 in Python too.
    if type(key) is not int and type(key) is not str:
        raise _Refused("a key is an integer or a string")
    stored_value(key)


def _is_name(value: Any) -> bool:
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


# --- writing ----------------------------------------------------------------------------


def load(transaction: WriteTransaction, batch: LoadBatch, guard: Guard) -> dict[str, Any]:
    """Apply a batch and note in the store how far the load has got: its totals, with the errors
    of this batch. Raises what stops the whole batch: QueryStopped, StorageFull."""
    outcome = Outcome()
    records, outcome.errors = read_records(batch)
    nodes, relationships = _sorted_out(records, batch.options, outcome.errors)
    guard.check()
    _add_indexes(transaction, nodes, relationships, batch.options, outcome.counts)
    guard.check()
    for start in range(0, len(nodes), _PIECE):
        _apply(transaction, nodes[start : start + _PIECE], (), batch.options, outcome)
        guard.check()
    for start in range(0, len(relationships), _PIECE):
        piece = relationships[start : start + _PIECE]
        _apply(transaction, (), piece, batch.options, outcome)
        guard.check()
    totals = Counter(transaction.load_state(batch.id) or {})
    totals.update(outcome.counts)
    totals["errors"] += len(outcome.errors)
    totals["records"] = batch.first - 1 + batch.count
    totals["finished"] = int(batch.last)
    transaction.record_load(batch.id, dict(totals))
    return {**totals, "bad": sorted(outcome.errors)}


def _apply(
    transaction: WriteTransaction,
    nodes: Sequence[_Node],
    relationships: Sequence[_Relationship],
    options: LoadOptions,
    outcome: Outcome,
) -> None:
    """In a transaction of its own; halved where it fails."""
    child = transaction.child()
    counts: Counter[str] = Counter()
    errors: list[BadRecord] = []
    try:
        _Piece(child, options, counts, errors).write(nodes, relationships)
        child.end_statement()
        child.commit()
    except (QueryStopped, StorageFull):
        child.abort()
        raise
    except CypherdError as error:
        child.abort()
        records: Sequence[_Node | _Relationship] = nodes or relationships
        if len(records) == 1:
            outcome.errors.append(BadRecord(records[0].number, error.message))
            return
        middle = len(records) // 2
        _apply(transaction, nodes[:middle], relationships[:middle], options, outcome)
        _apply(transaction, nodes[middle:], relationships[middle:], options, outcome)
        return
    except BaseException:
        child.abort()
        raise
    outcome.counts.update(counts)
    outcome.errors.extend(errors)


def _add_indexes(
    transaction: WriteTransaction,
    nodes: Sequence[_Node],
    relationships: Sequence[_Relationship],
    options: LoadOptions,
    counts: Counter[str],
) -> None:
    """Keys are looked up in indexes: those that are not there are made."""
    labels = dict.fromkeys(node.labels[0] for node in nodes if node.key is not None)
    for record in relationships:
        labels[record.start[0]] = labels[record.end[0]] = None
    for label in labels:
        if _index(transaction, label, options) is None:
            owner = transaction.label_token(label)
            key = transaction.property_token(options.key_of(label))
            transaction.create_index(None, "node", owner, [key])
            counts["indexes_added"] += 1


def _index(
    transaction: WriteTransaction, label: str, options: LoadOptions
) -> IndexDescriptor | None:
    schema = transaction.schema
    owner, key = schema.label_id(label), schema.property_id(options.key_of(label))
    for index in schema.indexes:
        if (index.kind, index.owner, index.properties) == ("node", owner, (key,)):
            return index
    return None


class _Piece:
    """Records of a batch, written together."""

    def __init__(
        self,
        transaction: WriteTransaction,
        options: LoadOptions,
        counts: Counter[str],
        errors: list[BadRecord],
    ) -> None:
        self._transaction = transaction
        self._options = options
        self._counts = counts
        self._errors = errors
        self._tokens: dict[str, int] = {}

    def write(self, nodes: Sequence[_Node], relationships: Sequence[_Relationship]) -> None:
        if nodes:
            self._write_nodes(nodes)
        if relationships:
            self._write_relationships(relationships)

    def _find(self, wanted: Mapping[str, dict[Any, None]]) -> dict[tuple[str, Any], int]:
        """The nodes that have the keys, by label and key; of several the oldest."""
        found: dict[tuple[str, Any], int] = {}
        for label, keys in wanted.items():
            index = _index(self._transaction, label, self._options)
            assert index is not None, "it was made before"
            values = list(keys)
            seek = self._transaction.index_seek(index, [(value,) for value in values])
            for row, node in zip(seek.row.tolist(), seek.id.tolist(), strict=True):
                found.setdefault((label, values[row]), node)
        return found

    def _stored(self, properties: Mapping[str, Any]) -> dict[int, Any]:
        tokens = self._tokens
        try:
            return {tokens[name]: value for name, value in properties.items()}
        except KeyError:
            for name in properties:
                tokens[name] = self._transaction.property_token(name)
            return self._stored(properties)

    def _write_nodes(self, nodes: Sequence[_Node]) -> None:
        wanted: dict[str, dict[Any, None]] = {}
        for node in nodes:
            if node.key is not None:
                wanted.setdefault(node.labels[0], {})[node.key] = None
        there = self._find(wanted)
        new: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        made: dict[tuple[str, Any], int] = {}
        for node in nodes:
            name = (node.labels[0], node.key) if node.key is not None else None
            if name is not None and (name in there or name in made):
                if self._options.existing == "update":
                    if name in there:
                        self._update(there[name], node)
                    else:
                        labels, properties = new[made[name]]
                        merged = tuple(dict.fromkeys((*labels, *node.labels)))
                        new[made[name]] = (merged, {**properties, **node.properties})
                    self._counts["nodes_updated"] += 1
                elif self._options.existing == "skip":
                    self._counts["nodes_skipped"] += 1
                else:
                    message = f"there is a node {node.labels[0]} with the key {node.key!r} already"
                    self._errors.append(BadRecord(node.number, message))
                continue
            if name is not None:
                made[name] = len(new)
            new.append((node.labels, node.properties))
        self._create(new)

    def _create(self, nodes: Sequence[tuple[tuple[str, ...], Mapping[str, Any]]]) -> list[int]:
        if not nodes:
            return []
        token = self._transaction.label_token
        tokens = {row: tuple(map(token, row)) for row in {labels for labels, _ in nodes}}
        ids = self._transaction.create_nodes(
            [tokens[labels] for labels, _ in nodes],
            [self._stored(properties) for _, properties in nodes],
        )
        self._counts["nodes_created"] += len(nodes)
        made: list[int] = ids.tolist()
        return made

    def _update(self, id: int, node: _Node) -> None:
        ids = np.array([id], dtype=np.int64)
        if node.properties:
            self._transaction.set_node_properties(ids, [self._stored(node.properties)])
        if len(node.labels) > 1:
            tokens = [self._transaction.label_token(label) for label in node.labels]
            self._transaction.add_labels(ids, tokens)

    def _write_relationships(self, relationships: Sequence[_Relationship]) -> None:
        wanted: dict[str, dict[Any, None]] = {}
        for record in relationships:
            for label, key in (record.start, record.end):
                wanted.setdefault(label, {})[key] = None
        ends = self._find(wanted)
        missing = [
            (label, key)
            for label, keys in wanted.items()
            for key in keys
            if (label, key) not in ends
        ]
        if self._options.missing == "create":
            key_of = self._options.key_of
            made = self._create([((label,), {key_of(label): key}) for label, key in missing])
            ends.update(zip(missing, made, strict=True))
        kept = []
        for record in relationships:
            lost = next((end for end in (record.start, record.end) if end not in ends), None)
            if lost is None:
                kept.append(record)
            else:
                message = f"there is no node {lost[0]} with the key {lost[1]!r}"
                self._errors.append(BadRecord(record.number, message))
        if not kept:
            return
        token = self._transaction.type_token
        types = {name: token(name) for name in dict.fromkeys(record.type for record in kept)}
        self._transaction.create_relationships(
            [types[record.type] for record in kept],
            np.array([ends[record.start] for record in kept], dtype=np.int64),
            np.array([ends[record.end] for record in kept], dtype=np.int64),
            [self._stored(record.properties) for record in kept],
        )
        self._counts["relationships_created"] += len(kept)


def require_options(options: LoadOptions) -> LoadOptions:
    """Raises RequestError for names that cannot be."""
    for label, key in options.keys.items():
        if not _is_name(label) or not _is_name(key):
            raise RequestError(f"key: {label}.{key} names no label and property")
    return options
