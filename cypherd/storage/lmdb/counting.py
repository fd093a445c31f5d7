"""Exact counts: table `counts`, and what a writing transaction has not written yet.

A key is a letter and up to three ids of 4 bytes, ANY for "any":

    n label                     nodes
    r label, type, label        relationships by start label, type, end label; one label is ANY
    i index                     entries of an index
    d index                     different keys of an index
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from cypherd.storage.lmdb.layout import Tables, pack_count, unpack_count

ANY = 0xFFFFFFFF

_pack_one = struct.Struct(">cI").pack
_pack_three = struct.Struct(">cIII").pack
_unpack_ids = struct.Struct(">I").iter_unpack

ALL_NODES = _pack_one(b"n", ANY)


def node_key(label: int | None) -> bytes:
    return ALL_NODES if label is None else _pack_one(b"n", label)


def relationship_key(start_label: int | None, type_: int | None, end_label: int | None) -> bytes:
    return _pack_three(
        b"r",
        ANY if start_label is None else start_label,
        ANY if type_ is None else type_,
        ANY if end_label is None else end_label,
    )


def entries_key(index_id: int) -> bytes:
    return _pack_one(b"i", index_id)


def distinct_key(index_id: int) -> bytes:
    return _pack_one(b"d", index_id)


def explain_key(key: bytes) -> str:
    """What a key of the table counts, for people; ids are those of the tokens."""
    ids = [None if part == ANY else part for (part,) in _unpack_ids(key[1:])]
    if key[:1] == b"n":
        return "all nodes" if ids[0] is None else f"nodes with label {ids[0]}"
    if key[:1] == b"r":
        parts = zip(("start label", "type", "end label"), ids, strict=True)
        named = [f"{name} {part}" for name, part in parts if part is not None]
        return "relationships" + (f" with {', '.join(named)}" if named else "")
    return f"{'entries' if key[:1] == b'i' else 'different keys'} of index {ids[0]}"


class LmdbCounts:
    """The protocol's Counts. `deltas` stays empty in a reading transaction."""

    __slots__ = ("_table", "_txn", "deltas")

    def __init__(self, txn: Any, tables: Tables, deltas: dict[bytes, int] | None = None) -> None:
        self._txn = txn
        self._table = tables.counts
        self.deltas: dict[bytes, int] = {} if deltas is None else deltas

    def nodes(self, label: int | None = None) -> int:
        return self._get(node_key(label))

    def relationships(
        self,
        type_: int | None = None,
        *,
        start_label: int | None = None,
        end_label: int | None = None,
    ) -> int:
        return self._get(relationship_key(start_label, type_, end_label))

    def index_entries(self, index_id: int) -> int:
        return self._get(entries_key(index_id))

    def index_distinct(self, index_id: int) -> int:
        return self._get(distinct_key(index_id))

    def add(self, key: bytes, amount: int) -> None:
        self.deltas[key] = self.deltas.get(key, 0) + amount

    def add_nodes(self, labels: Iterable[int], amount: int) -> None:
        self.add(ALL_NODES, amount)
        for label in labels:
            self.add_label(label, amount)

    def add_label(self, label: int, amount: int) -> None:
        """Nodes with `label`, which count among all nodes already."""
        self.add(node_key(label), amount)

    def add_relationships(
        self, type_: int, start_labels: Iterable[int], end_labels: Iterable[int], amount: int
    ) -> None:
        self.add(relationship_key(None, type_, None), amount)
        self.add(relationship_key(None, None, None), amount)
        for label in start_labels:
            self.add_started(label, type_, amount)
        for label in end_labels:
            self.add_ended(label, type_, amount)

    def add_started(self, label: int, type_: int, amount: int) -> None:
        """Relationships of a type that start at nodes with `label`."""
        self.add(relationship_key(label, type_, None), amount)
        self.add(relationship_key(label, None, None), amount)

    def add_ended(self, label: int, type_: int, amount: int) -> None:
        self.add(relationship_key(None, type_, label), amount)
        self.add(relationship_key(None, None, label), amount)

    def merge(self, deltas: dict[bytes, int]) -> None:
        for key, amount in deltas.items():
            self.add(key, amount)

    def write(self) -> None:
        """Put the deltas into the table."""
        for key, amount in self.deltas.items():
            if amount == 0:
                continue
            total = self._get(key)
            if total:
                self._txn.put(key, pack_count(total), db=self._table)
            else:
                self._txn.delete(key, db=self._table)
        self.deltas.clear()

    def _get(self, key: bytes) -> int:
        data = self._txn.get(key, db=self._table)
        stored = unpack_count(data)[0] if data is not None else 0
        return int(stored) + self.deltas.get(key, 0)
