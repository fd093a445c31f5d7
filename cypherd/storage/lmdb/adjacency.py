"""Tables `out` and `in`: from nodes to (row, relationship, neighbour).

What is asked becomes segments, each one key of one table with the number of its relationships
(`cursor.count()` knows it without reading them). Segments are gathered until a piece is full:

    nodes, direction, types -> segments (row, key, count) -> pieces of about `size` rows

A piece reads each table with one `getmulti`. A segment larger than a piece is read in steps
that resume behind the last entry read, so no cursor lives while a piece is out: in a writing
transaction a cursor would not survive a write. Counts are taken after the last piece went out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.layout import (
    Tables,
    adjacency_key,
    pack_id,
    pack_owned,
    unpack_id,
)
from cypherd.storage.protocols import Direction, Expansion, SeekRows

_BIG = np.dtype(">i8")
_SIDES: dict[Direction, tuple[bool, ...]] = {
    "out": (False,),
    "in": (True,),
    "both": (False, True),
}


class Segment(NamedTuple):
    """All relationships of one node in one table and of one type."""

    row: int
    node: int
    incoming: bool
    key: bytes


class Piece:
    """Segments that are read together, table by table."""

    __slots__ = ("entries", "keys", "rows", "total")

    def __init__(self) -> None:
        # Indexed by `incoming`: the rows of the segments, their keys, their numbers of entries.
        self.rows: tuple[list[int], list[int]] = ([], [])
        self.keys: tuple[list[bytes], list[bytes]] = ([], [])
        self.entries: tuple[list[int], list[int]] = ([], [])
        self.total = 0

    def add(self, row: int, incoming: bool, key: bytes, entries: int) -> None:
        self.rows[incoming].append(row)
        self.keys[incoming].append(key)
        self.entries[incoming].append(entries)
        self.total += entries


class Adjacency:
    """Questions about the relationships of nodes, inside one transaction."""

    __slots__ = ("_tables", "_txn")

    def __init__(self, txn: Any, tables: Tables) -> None:
        self._txn = txn
        # Indexed by `incoming`.
        self._tables = (tables.out, tables.in_)

    def expand(
        self,
        nodes: IntArray,
        direction: Direction,
        types: Sequence[int] | None,
        size: int,
        below: int | None,
    ) -> Iterator[Expansion]:
        """`below` leaves out relationships with that id or a higher one: those that a writing
        transaction makes while it reads, or a hub that it adds to would never end."""
        if len(nodes) == 1:
            entries = self._entries(int(nodes[0]), direction, types, size)
            if entries is not None:
                expansion = _older(_expansion_of_one(entries, int(nodes[0])), below)
                if len(expansion.row):
                    yield expansion
                return
        piece = Piece()
        # Cursors do not outlive a piece: what reads it may write before it asks for the next.
        cursors = self._cursors()
        for row, node in enumerate(nodes.tolist()):
            for incoming in _SIDES[direction]:
                cursor = cursors[incoming]
                for key in self._keys(node, incoming, types):
                    if not cursor.set_key(key):
                        continue
                    count = cursor.count()
                    if count <= size:
                        piece.add(row, incoming, key, count)
                    if piece.total >= size or (count > size and piece.total):
                        yield from self._read(piece, nodes, direction, below)
                        piece, cursors = Piece(), self._cursors()
                        cursor = cursors[incoming]
                    if count > size:
                        hub = Segment(row, node, incoming, key)
                        yield from self._read_hub(hub, direction, size, below)
                        cursors = self._cursors()
                        cursor = cursors[incoming]
        if piece.total:
            yield from self._read(piece, nodes, direction, below)

    def neighbours(
        self,
        node: int,
        direction: Direction,
        types: Sequence[int] | None,
        most: int,
        below: int | None,
    ) -> tuple[list[int], list[int]] | None:
        """What `expand` gives for one node, as lists; None if it is more than `most`."""
        entries = self._entries(node, direction, types, most)
        if entries is None:
            return None
        relationships: list[int] = []
        neighbours: list[int] = []
        for incoming, data in entries:
            numbers = struct.unpack(f">{len(data) // 8}q", data)
            ends: Sequence[int] = numbers[1::3]
            owners: Sequence[int] = numbers[2::3]
            # A self-loop stands in both tables and comes once. The first table has it, too, so
            # most nodes are told by it.
            if incoming and node in neighbours:
                kept = [i for i, end in enumerate(ends) if end != node]
                ends, owners = _at(ends, kept), _at(owners, kept)
            neighbours += ends
            relationships += owners
        if below is not None and any(number >= below for number in relationships):
            kept = [i for i, number in enumerate(relationships) if number < below]
            return _at(relationships, kept), _at(neighbours, kept)
        return relationships, neighbours

    def _entries(
        self, node: int, direction: Direction, types: Sequence[int] | None, most: int
    ) -> list[tuple[bool, bytes]] | None:
        """Of each table that has any, `incoming` and the relationships of one node as (key,
        neighbour, relationship), the key in native order; None if there are more than `most`."""
        entries = []
        for incoming in _SIDES[direction]:
            cursor = self._txn.cursor(db=self._tables[incoming])
            keys = []
            for key in self._keys(node, incoming, types):
                if cursor.set_key(key):
                    keys.append(key)
                    most -= cursor.count()
            if most < 0:
                return None
            if keys:
                data = cursor.getmulti(keys, dupdata=True, dupfixed_bytes=16, keyfixed=True)
                entries.append((incoming, data))
        return entries

    def _cursors(self) -> tuple[Any, Any]:
        begin, (out, in_) = self._txn.cursor, self._tables
        return begin(db=out), begin(db=in_)

    def degree(
        self, nodes: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> IntArray:
        degrees = []
        for node in nodes.tolist():
            total = 0
            for incoming in _SIDES[direction]:
                for key in self._keys(node, incoming, types):
                    total += self._count(incoming, key)
            if direction == "both" and total:
                total -= sum(1 for _ in self._loops(node, types))
            degrees.append(total)
        return np.array(degrees, dtype=np.int64)

    def degrees_by_type(self, node: int, incoming: bool) -> dict[int, int]:
        keys = self._keys(node, incoming, None)
        return {unpack_id(key)[0] & 0xFFFF: self._count(incoming, key) for key in keys}

    def has_relationships(self, node: int) -> bool:
        return any(self._keys(node, incoming, None) for incoming in (False, True))

    def expand_into(
        self, starts: IntArray, ends: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> SeekRows:
        rows: list[int] = []
        found: list[int] = []
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            # Once for a self-loop, though it stands in both tables.
            sides = (False,) if start == end else _SIDES[direction]
            for incoming in sides:
                for key in self._keys(start, incoming, types):
                    for relationship in self._between(incoming, key, end):
                        rows.append(row)
                        found.append(relationship)
        return SeekRows(np.array(rows, dtype=np.int64), np.array(found, dtype=np.int64))

    def _keys(self, node: int, incoming: bool, types: Sequence[int] | None) -> list[bytes]:
        if types is not None:
            unique = types if len(types) == 1 else dict.fromkeys(types)
            return [adjacency_key(node, type_) for type_ in unique]
        cursor = self._txn.cursor(db=self._tables[incoming])
        keys: list[bytes] = []
        there = cursor.set_range(pack_id(node << 16))
        while there:
            key = cursor.key()
            if unpack_id(key)[0] >> 16 != node:
                break
            keys.append(key)
            there = cursor.next_nodup()
        return keys

    def _count(self, incoming: bool, key: bytes) -> int:
        cursor = self._txn.cursor(db=self._tables[incoming])
        return int(cursor.count()) if cursor.set_key(key) else 0

    def _between(self, incoming: bool, key: bytes, end: int) -> Iterator[int]:
        """Relationships under `key` whose neighbour is `end`: they stand together."""
        cursor = self._txn.cursor(db=self._tables[incoming])
        if not cursor.set_range_dup(key, pack_owned(end, 0)):
            return
        wanted = pack_owned(end, 0)[:8]
        for value in cursor.iternext_dup():
            if value[:8] != wanted:
                return
            yield int.from_bytes(value[8:], "big")

    def _loops(self, node: int, types: Sequence[int] | None) -> Iterator[int]:
        for key in self._keys(node, False, types):
            yield from self._between(False, key, node)

    def _read(
        self, piece: Piece, nodes: IntArray, direction: Direction, below: int | None
    ) -> Iterator[Expansion]:
        sides = [incoming for incoming in _SIDES[direction] if piece.keys[incoming]]
        parts = [self._read_table(piece, nodes, incoming, direction) for incoming in sides]
        expansion = parts[0]
        if len(parts) == 2:
            joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
            if len(nodes) > 1:
                order = np.argsort(joined[0], kind="stable")
                joined = [array[order] for array in joined]
            expansion = Expansion(*joined)
        expansion = _older(expansion, below)
        if len(expansion.row):
            yield expansion

    def _read_table(
        self, piece: Piece, nodes: IntArray, incoming: bool, direction: Direction
    ) -> Expansion:
        cursor = self._txn.cursor(db=self._tables[incoming])
        keys, segments = piece.keys[incoming], np.array(piece.rows[incoming], dtype=np.int64)
        data = cursor.getmulti(keys, dupdata=True, dupfixed_bytes=16, keyfixed=True)
        # Rows of (key, neighbour, relationship); the key comes in native order.
        pairs = np.frombuffer(data, dtype=_BIG).reshape(-1, 3)
        rows = np.repeat(segments, piece.entries[incoming])
        neighbours = pairs[:, 1].astype(np.int64)
        relationships = pairs[:, 2].astype(np.int64)
        if incoming and direction == "both":
            kept = neighbours != nodes[rows]
            if not kept.all():
                return Expansion(rows[kept], relationships[kept], neighbours[kept])
        return Expansion(rows, relationships, neighbours)

    def _read_hub(
        self, hub: Segment, direction: Direction, size: int, below: int | None
    ) -> Iterator[Expansion]:
        position: bytes | None = pack_owned(0, 0)
        while position is not None:
            data, position = self._read_step(hub, position, size)
            pairs = np.frombuffer(data, dtype=_BIG).reshape(-1, 2).astype(np.int64)
            neighbours, relationships = pairs[:, 0].copy(), pairs[:, 1].copy()
            if hub.incoming and direction == "both":
                kept = neighbours != hub.node
                neighbours, relationships = neighbours[kept], relationships[kept]
            rows = np.full(len(neighbours), hub.row, dtype=np.int64)
            expansion = _older(Expansion(rows, relationships, neighbours), below)
            if len(expansion.row):
                yield expansion

    def _read_step(self, hub: Segment, position: bytes, size: int) -> tuple[bytes, bytes | None]:
        """Up to `size` entries from `position` on, and the position behind them or None."""
        cursor = self._txn.cursor(db=self._tables[hub.incoming])
        if not cursor.set_range_dup(hub.key, position):
            return b"", None
        entries = list(islice(cursor.iternext_dup(), size))
        if len(entries) < size:
            return b"".join(entries), None
        following = int.from_bytes(entries[-1], "big") + 1
        return b"".join(entries), following.to_bytes(16, "big")


def _expansion_of_one(entries: Sequence[tuple[bool, bytes]], node: int) -> Expansion:
    pairs = np.frombuffer(b"".join(data for _, data in entries), dtype=_BIG).reshape(-1, 3)
    neighbours, relationships = pairs[:, 1].astype(np.int64), pairs[:, 2].astype(np.int64)
    if len(entries) == 2:
        # A self-loop stands in both tables and comes once.
        outgoing = len(entries[0][1]) // pairs.itemsize // 3
        kept = neighbours != node
        kept[:outgoing] = True
        if not kept.all():
            neighbours, relationships = neighbours[kept], relationships[kept]
    return Expansion(np.zeros(len(neighbours), dtype=np.int64), relationships, neighbours)


def _at(values: Sequence[int], places: list[int]) -> list[int]:
    return [values[place] for place in places]


def _older(expansion: Expansion, below: int | None) -> Expansion:
    if below is None:
        return expansion
    kept = expansion.relationship < below
    return expansion if kept.all() else Expansion(*(array[kept] for array in expansion))


_ADJACENCY = np.dtype([("key", "=u8"), ("neighbour", ">u8"), ("relationship", ">u8")])


def adjacency_rows(
    keys: IntArray, neighbours: IntArray, relationships: IntArray
) -> list[tuple[bytes, bytes]]:
    """Rows for one of the tables `out` and `in`, of keys as `adjacency_key` packs them."""
    rows: NDArray[Any] = np.empty(len(keys), dtype=_ADJACENCY)
    rows["key"], rows["neighbour"], rows["relationship"] = keys, neighbours, relationships
    data = rows.tobytes()
    return [(data[i : i + 8], data[i + 8 : i + 24]) for i in range(0, len(data), 24)]
