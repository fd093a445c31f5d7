"""Loading a whole graph into an empty store, faster than by creating entities one by one.

    add_nodes, add_relationships    records are appended to their tables at once
    finish                          adjacency is sorted and put table by table; counts are taken
                                    from the arrays

All in one writing transaction of the caller, who makes the indexes afterwards and commits. The
ends of all relationships are held in memory, 18 bytes each, and sorted part by part; of a node 4
bytes, for its set of labels.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.errors import StoreError
from cypherd.storage.lmdb.adjacency import adjacency_rows
from cypherd.storage.lmdb.counting import LmdbCounts, node_key
from cypherd.storage.lmdb.layout import Tables, pack_id, packb
from cypherd.storage.lmdb.writing import LmdbWriteTransaction

_CHUNK = 1 << 16
_SORTED = 1 << 22
"""Relationships that are sorted at once, in memory: some 40 bytes each."""

TypeArray = NDArray[np.uint16]
Progress = Callable[[str, int, int], None]
"""(what is written, how many, of how many)."""


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
        self._label_sets: dict[tuple[int, ...], int] = {}
        self._node_sets = array("i")
        self._types = array("H")
        self._starts = array("q")
        self._ends = array("q")

    @property
    def next_node(self) -> int:
        """The id that the next node gets."""
        return self._first_node + len(self._node_sets)

    def add_nodes(
        self, labels: Sequence[tuple[int, ...]], properties: Sequence[Mapping[int, Any]]
    ) -> range:
        """The new ids. Properties are as `stored_properties` gives them."""
        first = self.next_node
        sets = {row: tuple(sorted(set(row))) for row in set(labels)}
        records = [
            packb([sets[row], values]) for row, values in zip(labels, properties, strict=True)
        ]
        _append(self._txn, self._tables.nodes, first, records)
        numbers = {
            row: self._label_sets.setdefault(key, len(self._label_sets))
            for row, key in sets.items()
        }
        self._node_sets.extend([numbers[row] for row in labels])
        return range(first, first + len(records))

    def add_relationships(
        self,
        types: Sequence[int],
        starts: Sequence[int],
        ends: Sequence[int],
        properties: Sequence[Mapping[int, Any]],
    ) -> None:
        """Ends are ids that `add_nodes` gave, properties as `stored_properties` gives them."""
        first = self._first_relationship + len(self._types)
        records = [
            packb([type_, start, end, values])
            for type_, start, end, values in zip(types, starts, ends, properties, strict=True)
        ]
        _append(self._txn, self._tables.relationships, first, records)
        self._types.extend(types)
        self._starts.extend(starts)
        self._ends.extend(ends)

    def finish(self, progress: Progress | None = None) -> None:
        """Write labels, adjacency and counts, and move the transaction's counters on."""
        counts = self._transaction.counts
        members = self._members()
        for label, nodes in members.items():
            _put_label(self._txn, self._tables, label, nodes)
            counts.add(node_key(label), len(nodes))
        counts.add(node_key(None), len(self._node_sets))
        types = np.frombuffer(self._types, dtype=np.uint16)
        starts = np.frombuffer(self._starts, dtype=np.int64)
        ends = np.frombuffer(self._ends, dtype=np.int64)
        self._count_relationships(counts, members, types, starts, ends)
        first, total = self._first_relationship, 2 * len(types)
        done = 0
        for table, owners, neighbours in (
            (self._tables.out, starts, ends),
            (self._tables.in_, ends, starts),
        ):
            for written in _put_adjacency(self._txn, table, owners, types, neighbours, first):
                done += written
                if progress is not None:
                    progress("adjacency", done, total)
        self._transaction.move_ids(len(self._node_sets), len(types))

    def _members(self) -> dict[int, IntArray]:
        """Nodes by label, ascending."""
        sets = np.frombuffer(self._node_sets, dtype=np.int32)
        labels = sorted({label for row in self._label_sets for label in row})
        return {
            label: np.flatnonzero(
                np.isin(sets, [number for row, number in self._label_sets.items() if label in row])
            )
            + self._first_node
            for label in labels
        }

    def _count_relationships(
        self,
        counts: LmdbCounts,
        members: Mapping[int, IntArray],
        types: TypeArray,
        starts: IntArray,
        ends: IntArray,
    ) -> None:
        for type_, amount in _tally(types):
            counts.add_relationships(type_, (), (), amount)
        for label, nodes in members.items():
            there = np.zeros(len(self._node_sets), dtype=np.bool_)
            there[nodes - self._first_node] = True
            for type_, amount in _tally(types[there[starts - self._first_node]]):
                counts.add_started(label, type_, amount)
            for type_, amount in _tally(types[there[ends - self._first_node]]):
                counts.add_ended(label, type_, amount)


def _tally(types: TypeArray) -> Iterator[tuple[int, int]]:
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
    types: TypeArray,
    neighbours: IntArray,
    first_relationship: int,
) -> Iterator[int]:
    """Rows in the order of the table, so that LMDB writes page after page; how many were
    written, again and again."""
    cursor = txn.cursor(db=table)
    for part in _parts(owners):
        keys = owners[part] << 16 | types[part]
        # A stable sort: relationships between the same nodes stay in the order of their ids.
        order = np.lexsort((neighbours[part], keys))
        ids, keys = part[order], keys[order]
        for first in range(0, len(ids), _CHUNK):
            chosen = ids[first : first + _CHUNK]
            cursor.putmulti(
                adjacency_rows(
                    keys[first : first + _CHUNK], neighbours[chosen], chosen + first_relationship
                )
            )
            yield len(chosen)


def _parts(owners: IntArray) -> Iterator[IntArray]:
    """Places of all relationships, those of ranges of owners together, in ascending order:
    about `_SORTED` of them at once, more only where one owner has more."""
    if not len(owners):
        return
    before = np.cumsum(np.bincount(owners))
    first = 0
    while first < len(before):
        done = before[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(before, done + _SORTED, side="right")))
        yield np.flatnonzero((owners >= first) & (owners < last))
        first = last
