"""A reading transaction: a snapshot of the graph, answered batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Self

import numpy as np

from cypherd.batch.columns import BoolArray, IntArray
from cypherd.batch.kernels import loaded
from cypherd.errors import InternalError
from cypherd.storage.lmdb.adjacency import Adjacency
from cypherd.storage.lmdb.counting import LmdbCounts
from cypherd.storage.lmdb.indexes import IndexReader
from cypherd.storage.lmdb.layout import (
    FEW,
    META_LOADS,
    META_NEXT_NODE,
    META_NEXT_RELATIONSHIP,
    Tables,
    find_packed,
    pack_id,
    packed_labels,
    placed,
    read_records,
    unpack_all,
    unpack_big,
    unpackb,
)
from cypherd.storage.lmdb.packed import FEWEST, have_item, properties_of
from cypherd.storage.lmdb.record_cache import NO_CACHE, Properties, RecordCache
from cypherd.storage.lmdb.scanning import scan_label, scan_nodes, scan_relationships
from cypherd.storage.lmdb.schema import LmdbSchema
from cypherd.storage.protocols import (
    Direction,
    Expansion,
    Ids,
    IndexDescriptor,
    RelationshipRows,
    SeekRows,
)

NodeRecord = tuple[tuple[int, ...], dict[int, Any]]
RelationshipRecord = tuple[int, int, int, dict[int, Any]]


class _Closed:
    """Stands where a closed transaction had its parts."""

    def __getattr__(self, name: str) -> Any:
        raise InternalError("the transaction is closed")


CLOSED: Any = _Closed()


class LmdbReadTransaction:
    """The protocol's ReadTransaction over one LMDB transaction."""

    def __init__(
        self,
        txn: Any,
        tables: Tables,
        schema: LmdbSchema,
        on_close: Callable[[], None] | None = None,
        cache: RecordCache = NO_CACHE,
    ) -> None:
        self._txn = txn
        self._cache = cache
        self._tables = tables
        self._schema = schema
        self._on_close = on_close
        self._counts = LmdbCounts(txn, tables)
        self._adjacency = Adjacency(txn, tables)
        self._indexes = IndexReader(txn, tables)

    @property
    def schema(self) -> LmdbSchema:
        return self._schema

    @property
    def counts(self) -> LmdbCounts:
        return self._counts

    # --- scans ---

    def scan_nodes(
        self, label: int | None, size: int, first: int | None = None
    ) -> Iterator[IntArray]:
        if label is None:
            return scan_nodes(self._txn, self._tables, size, first, self._next_node())
        return scan_label(self._txn, self._tables, label, size, first, self._next_node())

    def scan_relationships(
        self, type_: int | None, size: int, first: int | None = None
    ) -> Iterator[RelationshipRows]:
        if type_ is not None and not self._counts.relationships(type_):
            return iter(())
        below = self._next_relationship()
        return scan_relationships(self._txn, self._tables, type_, size, first, below)

    # --- relationships of nodes ---

    def expand(
        self, nodes: IntArray, direction: Direction, types: Sequence[int] | None, size: int
    ) -> Iterator[Expansion]:
        return self._adjacency.expand(nodes, direction, types, size, self._new_relationships())

    def neighbours(
        self, node: int, direction: Direction, types: Sequence[int] | None, most: int
    ) -> tuple[list[int], list[int]] | None:
        return self._adjacency.neighbours(node, direction, types, most, self._new_relationships())

    def expand_into(
        self, starts: IntArray, ends: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> SeekRows:
        return self._adjacency.expand_into(starts, ends, direction, types)

    def degree(
        self, nodes: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> IntArray:
        return self._adjacency.degree(nodes, direction, types)

    # --- records ---

    def node_properties(self, nodes: Ids, keys: Sequence[int]) -> list[list[Any]]:
        return self._properties(self._tables.nodes, nodes, keys)

    def relationship_properties(self, ids: Ids, keys: Sequence[int]) -> list[list[Any]]:
        return self._properties(self._tables.relationships, ids, keys)

    def labelled_properties(
        self, nodes: IntArray, label: int, keys: Sequence[int]
    ) -> tuple[BoolArray, list[list[Any]]]:
        ids = nodes.tolist()
        if not ids:
            return np.zeros(0, dtype=np.bool_), [[] for _ in keys]
        packed, rows = find_packed(self._txn, self._tables.nodes, ids)
        found = self._have_label(packed, label)
        columns = self._columns_of(packed, 1, keys)
        if rows is None:
            return found, columns
        answer = np.zeros(len(ids), dtype=np.bool_)
        answer[list(rows)] = found
        return answer, [placed(column, rows, len(ids)) for column in columns]

    def node_records(self, nodes: IntArray) -> list[NodeRecord | None]:
        return [
            None if record is None else (tuple(record[0]), record[1])
            for record in self._nodes(nodes.tolist())
        ]

    def relationship_records(self, ids: IntArray) -> list[RelationshipRecord | None]:
        return [
            None if record is None else (record[0], record[1], record[2], record[3])
            for record in self._relationships(ids.tolist())
        ]

    def has_label(self, nodes: IntArray, label: int) -> BoolArray:
        cursor = self._txn.cursor(db=self._tables.labels)
        key, seek = pack_id(label), cursor.set_key_dup
        found = [node >= 0 and seek(key, pack_id(node)) for node in nodes.tolist()]
        return np.array(found, dtype=np.bool_)

    def endpoints(self, relationships: IntArray) -> RelationshipRows:
        rows = [
            record[:3] if record is not None else self._deleted_endpoints(relationship)
            for relationship, record in zip(
                relationships.tolist(), self._relationships(relationships.tolist()), strict=True
            )
        ]
        ends = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return RelationshipRows(
            np.asarray(relationships, dtype=np.int64), *(ends[:, i].copy() for i in range(3))
        )

    def nodes_exist(self, nodes: IntArray) -> BoolArray:
        return self._exist(nodes, self._tables.nodes)

    def relationships_exist(self, relationships: IntArray) -> BoolArray:
        return self._exist(relationships, self._tables.relationships)

    def load_state(self, id: str) -> Mapping[str, int] | None:
        stored = self._txn.get(META_LOADS, db=self._tables.meta)
        found: Mapping[str, int] | None = None if stored is None else unpackb(stored).get(id)
        return found

    # --- indexes ---

    def index_seek(self, index: IndexDescriptor, values: Sequence[tuple[Any, ...]]) -> SeekRows:
        return self._indexes.seek(index, values)

    def index_holders(self, index: IndexDescriptor, value: tuple[Any, ...]) -> list[int]:
        return self._indexes.holders_of(index, value)

    def index_firsts(self, index: IndexDescriptor, values: Sequence[int | str]) -> dict[Any, int]:
        return self._indexes.firsts(index, values)

    def index_firsts_of_integers(self, index: IndexDescriptor, values: IntArray) -> IntArray:
        counts = self._counts
        if counts.index_entries(index.id) == counts.index_distinct(index.id):
            return self._indexes.firsts_of_integers(index, values)
        found = self._indexes.firsts(index, values.tolist())
        return np.array([found.get(value, -1) for value in values.tolist()], dtype=np.int64)

    def index_range(
        self,
        index: IndexDescriptor,
        low: Any,
        low_inclusive: bool,
        high: Any,
        high_inclusive: bool,
        size: int,
    ) -> Iterator[IntArray]:
        return self._indexes.range(index, (low, low_inclusive), (high, high_inclusive), size)

    def index_prefix(self, index: IndexDescriptor, prefix: str, size: int) -> Iterator[IntArray]:
        return self._indexes.prefix(index, prefix, size)

    # --- the transaction ---

    def close(self) -> None:
        if self._on_close is None:
            return
        self._txn.abort()
        # py-lmdb gives the reader slot of an aborted transaction back only when the object goes,
        # and this one may live on in a traceback or a cycle.
        del self._txn, self._counts, self._adjacency, self._indexes
        self._on_close()
        self._on_close = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # --- for these and for writing transactions ---

    def _release(self) -> None:
        # LMDB's transaction keeps its slot in the reader table while anything refers to it.
        self._txn = self._counts = self._adjacency = self._indexes = CLOSED

    def _nodes(self, ids: list[int]) -> list[Any]:
        """[label ids, properties] of each, None where there is no such node."""
        return read_records(self._txn, self._tables.nodes, ids)

    def _relationships(self, ids: list[int]) -> list[Any]:
        """[type, start, end, properties] of each, None where there is no such relationship."""
        return read_records(self._txn, self._tables.relationships, ids)

    def _properties(self, table: Any, given: Ids, keys: Sequence[int]) -> list[list[Any]]:
        ids = given if isinstance(given, list) else given.tolist()
        count = len(ids)
        if count <= FEW:
            return _columns([self._properties_of_one(table, number) for number in ids], keys)
        packed, rows = find_packed(self._txn, table, ids)
        columns = self._columns_of(packed, 1 if table is self._tables.nodes else 3, keys)
        return columns if rows is None else [placed(c, rows, count) for c in columns]

    def _columns_of(self, packed: list[bytes], before: int, keys: Sequence[int]) -> list[list[Any]]:
        """Of records whose properties stand behind `before` other items."""
        if len(packed) >= FEWEST:
            # So many are seldom asked for again, and would push out those that are.
            if (kernels := loaded()) is not None:
                return properties_of(packed, keys, before, kernels)
            return _columns([record[-1] for record in unpack_all(packed)], keys)
        return _columns(self._cache.properties_of(packed), keys)

    def _have_label(self, packed: list[bytes], label: int) -> BoolArray:
        if len(packed) >= FEWEST and (kernels := loaded()) is not None:
            return have_item(packed, label, kernels)
        return np.array([label in packed_labels(record) for record in packed], dtype=np.bool_)

    def _properties_of_one(self, table: Any, number: int) -> Properties:
        data = self._txn.get(pack_id(number), db=table) if number >= 0 else None
        return {} if data is None else self._cache.properties(data)

    def _exist(self, ids: IntArray, table: Any) -> BoolArray:
        seek = self._txn.cursor(db=table).set_key
        found = [number >= 0 and seek(pack_id(number)) for number in ids.tolist()]
        return np.array(found, dtype=np.bool_)

    def _counter(self, name: bytes) -> int:
        return int(unpack_big(self._txn.get(name, db=self._tables.meta))[0])

    def _next_node(self) -> int:
        return self._counter(META_NEXT_NODE)

    def _next_relationship(self) -> int:
        return self._counter(META_NEXT_RELATIONSHIP)

    def _new_relationships(self) -> int | None:
        """From which id on relationships may still appear in this transaction."""
        return None

    def _deleted_endpoints(self, relationship: int) -> Sequence[int]:
        return (-1, -1, -1)


def _columns(maps: Sequence[Properties], keys: Sequence[int]) -> list[list[Any]]:
    try:
        return [list(map(itemgetter(key), maps)) for key in keys]
    except KeyError:
        return [[properties.get(key) for properties in maps] for key in keys]
