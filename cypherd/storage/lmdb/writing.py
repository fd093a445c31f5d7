"""The writing transaction: changes of nodes and relationships, all or nothing.

After any error but those of questions the transaction should be aborted: part of what was asked
may have been done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.errors import (
    ConstraintVerificationFailed,
    EntityNotFound,
)
from cypherd.storage.lmdb.adjacency import adjacency_rows
from cypherd.storage.lmdb.layout import (
    adjacency_key,
    find_packed,
    pack_id,
    pack_owned,
    packb,
    packed_labels,
)
from cypherd.storage.lmdb.transaction_state import TransactionState, changing
from cypherd.storage.properties import stored_properties, stored_value

MANY = 16
"""From so many entities on they are written table by table, not one by one."""


class LmdbWriteTransaction(TransactionState):
    """The protocol's WriteTransaction."""

    @changing
    def create_nodes(
        self,
        labels: Sequence[tuple[int, ...]],
        properties: Sequence[Mapping[int, Any]],
        *,
        as_stored: bool = False,
    ) -> IntArray:
        stored = _stored(properties, as_stored)
        ids = self._new_nodes(len(stored))
        if len(stored) >= MANY:
            self._create_many_nodes(ids, labels, stored)
            return np.array(ids, dtype=np.int64)
        put, tables = self._txn.put, self._tables
        for node, given, values in zip(ids, labels, stored, strict=True):
            row = sorted(set(given))
            key = pack_id(node)
            put(key, packb([row, values]), db=tables.nodes, append=True)
            for label in row:
                put(pack_id(label), key, db=tables.labels)
            self._counts.add_nodes(row, 1)
            self._follow("node", node, ((), {}), (row, values))
        return np.arange(ids.start, ids.stop, dtype=np.int64)

    def _create_many_nodes(
        self, ids: range, labels: Sequence[tuple[int, ...]], stored: Sequence[dict[int, Any]]
    ) -> None:
        """Table by table in the order of their keys, what is counted added up before."""
        different = {row: sorted(set(row)) for row in set(labels)}
        self._txn.cursor(db=self._tables.nodes).putmulti(
            [
                (pack_id(node), packb([different[row], values]))
                for node, row, values in zip(ids, labels, stored, strict=True)
            ],
            append=True,
        )
        members: dict[int, list[int]] = {}
        for row, owners in different.items():
            if len(different) == 1:
                nodes: list[int] = list(ids)
            else:
                nodes = [node for node, own in zip(ids, labels, strict=True) if own == row]
            self._counts.add_nodes(owners, len(nodes))
            for label in owners:
                members.setdefault(label, []).extend(nodes)
        for label, nodes in sorted(members.items()):
            key = pack_id(label)
            rows = [(key, pack_id(node)) for node in sorted(nodes)]
            self._txn.cursor(db=self._tables.labels).putmulti(rows)
        self._follow_many("node", ids, [different[row] for row in labels], stored)

    @changing
    def create_relationships(
        self,
        types: Sequence[int],
        starts: IntArray,
        ends: IntArray,
        properties: Sequence[Mapping[int, Any]],
        *,
        as_stored: bool = False,
    ) -> IntArray:
        if len(types) >= MANY:
            stored = _stored(properties, as_stored)
            return self._create_many_relationships(types, starts, ends, stored)
        first = self._relationship_counter
        labels = self._labels_by_node({*starts.tolist(), *ends.tolist()})
        put, tables = self._txn.put, self._tables
        rows = zip(types, starts.tolist(), ends.tolist(), properties, strict=True)
        number = first
        for number, (type_, start, end, row) in enumerate(rows, first):
            values = stored_properties(row)
            put(
                pack_id(number),
                packb([type_, start, end, values]),
                db=tables.relationships,
                append=True,
            )
            put(adjacency_key(start, type_), pack_owned(end, number), db=tables.out)
            put(adjacency_key(end, type_), pack_owned(start, number), db=tables.in_)
            self._counts.add_relationships(type_, labels[start], labels[end], 1)
            self._follow("relationship", number, ((), {}), ((type_,), values))
            self._relationship_counter = number + 1
        return np.arange(first, self._relationship_counter, dtype=np.int64)

    def _create_many_relationships(
        self,
        types: Sequence[int],
        starts: IntArray,
        ends: IntArray,
        stored: Sequence[dict[int, Any]],
    ) -> IntArray:
        """As `_create_many_nodes`."""
        first = self._relationship_counter
        ids = range(first, first + len(types))
        self._count_many_relationships(types, starts, ends)
        rows = zip(ids, types, starts.tolist(), ends.tolist(), stored, strict=True)
        self._txn.cursor(db=self._tables.relationships).putmulti(
            [(pack_id(number), packb(record)) for number, *record in rows], append=True
        )
        self._put_adjacency(self._tables.out, types, starts, ends, first)
        self._put_adjacency(self._tables.in_, types, ends, starts, first)
        self._relationship_counter = first + len(types)
        self._follow_many("relationship", ids, [(type_,) for type_ in types], stored)
        return np.arange(first, self._relationship_counter, dtype=np.int64)

    def _count_many_relationships(
        self, types: Sequence[int], starts: IntArray, ends: IntArray
    ) -> None:
        """Raises EntityNotFound where an end node does not exist."""
        nodes, places = np.unique(np.concatenate((starts, ends)), return_inverse=True)
        # Nodes with the same labels are of one class; relationships are counted by the classes of
        # their ends.
        numbers: dict[tuple[int, ...], int] = {}
        classes = np.array(
            [numbers.setdefault(row, len(numbers)) for row in self._labels_of(nodes.tolist())],
            dtype=np.int64,
        )[places]
        count = len(numbers)
        kinds = (np.array(types) * count + classes[: len(starts)]) * count + classes[len(starts) :]
        labels = list(numbers)
        for kind, amount in zip(*np.unique(kinds, return_counts=True), strict=True):
            rest, end = divmod(int(kind), count)
            type_, start = divmod(rest, count)
            self._counts.add_relationships(type_, labels[start], labels[end], int(amount))

    def _put_adjacency(
        self, table: Any, types: Sequence[int], owners: IntArray, neighbours: IntArray, first: int
    ) -> None:
        """Of relationships with the ids from `first` on, in the order of the table."""
        keys = owners << 16 | np.array(types, dtype=np.int64)
        # A stable sort: relationships between the same nodes stay in the order of their ids.
        order = np.lexsort((neighbours, keys))
        self._txn.cursor(db=table).putmulti(
            adjacency_rows(keys[order], neighbours[order], order + first)
        )

    @changing
    def set_node_properties(self, nodes: IntArray, changes: Sequence[Mapping[int, Any]]) -> int:
        written = 0
        for node, change in zip(nodes.tolist(), changes, strict=True):
            record = self._nodes([node])[0]
            if record is None:
                continue
            labels, before = record
            after, count = _changed(before, change)
            if count:
                self._txn.put(pack_id(node), packb([labels, after]), db=self._tables.nodes)
                self._follow("node", node, (labels, before), (labels, after))
                written += count
        return written

    @changing
    def set_relationship_properties(
        self, relationships: IntArray, changes: Sequence[Mapping[int, Any]]
    ) -> int:
        written = 0
        for relationship, change in zip(relationships.tolist(), changes, strict=True):
            record = self._relationships([relationship])[0]
            if record is None:
                continue
            type_, start, end, before = record
            after, count = _changed(before, change)
            if count:
                data = packb([type_, start, end, after])
                self._txn.put(pack_id(relationship), data, db=self._tables.relationships)
                self._follow("relationship", relationship, ((type_,), before), ((type_,), after))
                written += count
        return written

    @changing
    def add_labels(self, nodes: IntArray, labels: Sequence[int]) -> int:
        return self._change_labels(nodes, lambda present: present | set(labels))

    @changing
    def remove_labels(self, nodes: IntArray, labels: Sequence[int]) -> int:
        return self._change_labels(nodes, lambda present: present - set(labels))

    @changing
    def delete_relationships(self, relationships: IntArray) -> int:
        txn, tables = self._txn, self._tables
        deleted = 0
        for relationship in relationships.tolist():
            record = self._relationships([relationship])[0]
            if record is None:
                continue
            type_, start, end, values = record
            txn.delete(pack_id(relationship), db=tables.relationships)
            txn.delete(adjacency_key(start, type_), pack_owned(end, relationship), db=tables.out)
            txn.delete(adjacency_key(end, type_), pack_owned(start, relationship), db=tables.in_)
            labels = self._labels_by_node({start, end})
            self._counts.add_relationships(type_, labels[start], labels[end], -1)
            self._follow("relationship", relationship, ((type_,), values), ((), {}))
            self._deleted[relationship] = (type_, start, end)
            deleted += 1
        return deleted

    @changing
    def delete_nodes(self, nodes: IntArray) -> int:
        for node in nodes.tolist():
            if node >= 0 and self._adjacency.has_relationships(node):
                raise ConstraintVerificationFailed(
                    f"Cannot delete node<{node}>, because it still has relationships. To delete "
                    "this node, you must first delete its relationships.",
                    detail="DeleteConnectedNode",
                )
        deleted = 0
        for node in nodes.tolist():
            record = self._nodes([node])[0]
            if record is None:
                continue
            labels, values = record
            self._txn.delete(pack_id(node), db=self._tables.nodes)
            for label in labels:
                self._txn.delete(pack_id(label), pack_id(node), db=self._tables.labels)
            self._counts.add_nodes(labels, -1)
            self._follow("node", node, (labels, values), ((), {}))
            deleted += 1
        return deleted

    def _change_labels(self, nodes: IntArray, change: Callable[[set[int]], set[int]]) -> int:
        changed = 0
        for node in nodes.tolist():
            record = self._nodes([node])[0]
            if record is None:
                continue
            before, values = set(record[0]), record[1]
            after = change(before)
            if after == before:
                continue
            self._txn.put(pack_id(node), packb([sorted(after), values]), db=self._tables.nodes)
            for label in after - before:
                self._txn.put(pack_id(label), pack_id(node), db=self._tables.labels)
            for label in before - after:
                self._txn.delete(pack_id(label), pack_id(node), db=self._tables.labels)
            self._count_labels(node, after - before, 1)
            self._count_labels(node, before - after, -1)
            self._follow("node", node, (before, values), (after, values))
            changed += len(after ^ before)
        return changed

    def _count_labels(self, node: int, labels: set[int], sign: int) -> None:
        """A node that gains or loses labels takes its relationships along in the counts."""
        if not labels:
            return
        self._counts.add_nodes(labels, sign)
        self._counts.add_nodes((), -sign)
        for type_, degree in self._adjacency.degrees_by_type(node, incoming=False).items():
            for label in labels:
                self._counts.add_started(label, type_, sign * degree)
        for type_, degree in self._adjacency.degrees_by_type(node, incoming=True).items():
            for label in labels:
                self._counts.add_ended(label, type_, sign * degree)

    def _labels_of(self, nodes: Sequence[int]) -> list[tuple[int, ...]]:
        """Of each of `nodes`, which are different. Raises EntityNotFound."""
        records, rows = find_packed(self._txn, self._tables.nodes, nodes) if nodes else ([], None)
        if rows is not None:
            there = {nodes[row] for row in rows}
            lost = next(node for node in nodes if node not in there)
            raise EntityNotFound(f"Node({lost}) does not exist", detail="DeletedEntityAccess")
        return list(map(packed_labels, records))

    def _labels_by_node(self, nodes: set[int]) -> dict[int, tuple[int, ...]]:
        ids = sorted(nodes)
        return dict(zip(ids, self._labels_of(ids), strict=True))


def _stored(properties: Sequence[Mapping[int, Any]], as_stored: bool) -> Sequence[dict[int, Any]]:
    if as_stored:
        return cast(Sequence[dict[int, Any]], properties)
    return [stored_properties(row) for row in properties]


def _changed(before: dict[int, Any], change: Mapping[int, Any]) -> tuple[dict[int, Any], int]:
    """The properties after a change, and how many Neo4j would count as set."""
    after = dict(before)
    count = 0
    for key, value in change.items():
        if value is not None:
            after[key] = stored_value(value)
            count += 1
        elif key in after:
            del after[key]
            count += 1
    return after, count
