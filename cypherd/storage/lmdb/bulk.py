"""Loading a whole graph into an empty store, faster than by creating entities one by one.

    add_nodes, add_relationships    records are appended to their tables at once
    finish                          adjacency is sorted and put table by table; counts are taken
                                    from the arrays

All in one writing transaction of the caller, who makes the indexes afterwards and commits. The
ends of all relationships are held in memory: 24 bytes each, twice that while they are sorted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.errors import StoreError
from cypherd.storage.lmdb.counting import LmdbCounts, node_key
from cypherd.storage.lmdb.layout import Tables, pack_id, packb
from cypherd.storage.lmdb.writing import LmdbWriteTransaction
from cypherd.storage.properties import stored_properties

_PAIRS = np.dtype([("key", "=u8"), ("neighbour", ">u8"), ("relationship", ">u8")])
_CHUNK = 1 << 16


class BulkLoad:
    """Ids are given in the order of the calls, from the store's counters on."""

    def __init__(self, transaction: LmdbWriteTransaction) -> None:
        """Raises StoreError unless the store is empty."""
        counts = transaction.counts
        if counts.nodes() or counts.relationships():
            raise StoreError("only an empty store can be loaded")
        self._transaction = transaction
        self._txn, self._tables = transaction.bulk_access()
        self._first_node, self._first_relationship = transaction.next_ids()
        self._labels: list[tuple[int, ...]] = []
        self._types = array("q")
        self._starts = array("q")
        self._ends = array("q")

    def add_nodes(
        self, labels: Sequence[tuple[int, ...]], properties: Sequence[Mapping[int, Any]]
    ) -> range:
        """The new ids. Raises CypherTypeError for what cannot be a property."""
        first = self._first_node + len(self._labels)
        owners = [tuple(sorted(set(row))) for row in labels]
        records = [
            packb([row, stored_properties(values)])
            for row, values in zip(owners, properties, strict=True)
        ]
        _append(self._txn, self._tables.nodes, first, records)
        self._labels.extend(owners)
        return range(first, first + len(records))

    def add_relationships(
        self,
        types: Sequence[int],
        starts: Sequence[int],
        ends: Sequence[int],
        properties: Sequence[Mapping[int, Any]],
    ) -> None:
        """Ends must be ids that `add_nodes` gave."""
        first = self._first_relationship + len(self._types)
        records = [
            packb([type_, start, end, stored_properties(values)])
            for type_, start, end, values in zip(types, starts, ends, properties, strict=True)
        ]
        _append(self._txn, self._tables.relationships, first, records)
        self._types.extend(types)
        self._starts.extend(starts)
        self._ends.extend(ends)

    def finish(self) -> None:
        """Write labels, adjacency and counts, and move the transaction's counters on."""
        counts = self._transaction.counts
        members = self._members()
        for label, nodes in members.items():
            _put_label(self._txn, self._tables, label, nodes)
            counts.add(node_key(label), len(nodes))
        counts.add(node_key(None), len(self._labels))
        types, starts, ends = (
            np.frombuffer(column, dtype=np.int64) if len(column) else np.empty(0, np.int64)
            for column in (self._types, self._starts, self._ends)
        )
        _put_adjacency(self._txn, self._tables.out, starts, types, ends, self._first_relationship)
        _put_adjacency(self._txn, self._tables.in_, ends, types, starts, self._first_relationship)
        self._count_relationships(counts, members, types, starts, ends)
        self._transaction.move_ids(len(self._labels), len(types))

    def _members(self) -> dict[int, IntArray]:
        members: dict[int, array[int]] = {}
        for node, labels in enumerate(self._labels, self._first_node):
            for label in labels:
                members.setdefault(label, array("q")).append(node)
        return {label: np.array(nodes, dtype=np.int64) for label, nodes in members.items()}

    def _count_relationships(
        self,
        counts: LmdbCounts,
        members: Mapping[int, IntArray],
        types: IntArray,
        starts: IntArray,
        ends: IntArray,
    ) -> None:
        for type_, amount in _tally(types):
            counts.add_relationships(type_, (), (), amount)
        for label, nodes in members.items():
            there = np.zeros(len(self._labels), dtype=np.bool_)
            there[nodes - self._first_node] = True
            for type_, amount in _tally(types[there[starts - self._first_node]]):
                counts.add_started(label, type_, amount)
            for type_, amount in _tally(types[there[ends - self._first_node]]):
                counts.add_ended(label, type_, amount)


def _tally(types: IntArray) -> Iterator[tuple[int, int]]:
    found, amounts = np.unique(types, return_counts=True)
    yield from zip(found.tolist(), amounts.tolist(), strict=True)


def _append(txn: Any, table: Any, first: int, records: Iterable[bytes]) -> None:
    items = [(pack_id(number), record) for number, record in enumerate(records, first)]
    txn.cursor(db=table).putmulti(items, append=True)


def _put_label(txn: Any, tables: Tables, label: int, nodes: IntArray) -> None:
    key, cursor = pack_id(label), txn.cursor(db=tables.labels)
    for first in range(0, len(nodes), _CHUNK):
        data = nodes[first : first + _CHUNK].tobytes()
        cursor.putmulti([(key, data[i : i + 8]) for i in range(0, len(data), 8)])


def _put_adjacency(
    txn: Any,
    table: Any,
    owners: IntArray,
    types: IntArray,
    neighbours: IntArray,
    first_relationship: int,
) -> None:
    """Rows in the order of the table, so that LMDB writes page after page."""
    keys = owners << 16 | types
    order = np.lexsort((np.arange(len(keys)), neighbours, keys))
    rows: NDArray[Any] = np.empty(len(keys), dtype=_PAIRS)
    rows["key"] = keys[order]
    rows["neighbour"] = neighbours[order]
    rows["relationship"] = order + first_relationship
    cursor = txn.cursor(db=table)
    for first in range(0, len(rows), _CHUNK):
        data = rows[first : first + _CHUNK].tobytes()
        cursor.putmulti([(data[i : i + 8], data[i + 8 : i + 24]) for i in range(0, len(data), 24)])
