"""Entries of the table `index`: kept up with every change of a label or property.

An entity is in an index while it has the label (or type) and all the properties of it. A
uniqueness constraint is checked at every single change, as Neo4j does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from cypherd.batch.columns import EntityKind
from cypherd.errors import ConstraintValidationFailed
from cypherd.storage.keys import encode, equals_something
from cypherd.storage.lmdb.counting import LmdbCounts, distinct_key, entries_key
from cypherd.storage.lmdb.indexes import IndexKey, IndexReader, index_key
from cypherd.storage.lmdb.layout import KEY_LIMIT, Tables, pack_big, pack_index
from cypherd.storage.lmdb.schema import LmdbSchema
from cypherd.storage.protocols import IndexDescriptor

Properties = dict[int, Any]


class IndexWriter:
    """Changes of indexes inside one writing transaction. `schema` gives the present names."""

    __slots__ = ("_counts", "_reader", "_schema", "_table", "_txn")

    def __init__(
        self,
        txn: Any,
        tables: Tables,
        counts: LmdbCounts,
        reader: IndexReader,
        schema: Callable[[], LmdbSchema],
    ) -> None:
        self._txn = txn
        self._table = tables.index
        self._counts = counts
        self._reader = reader
        self._schema = schema

    def change(
        self,
        kind: EntityKind,
        entity: int,
        before: tuple[Iterable[int], Properties],
        after: tuple[Iterable[int], Properties],
    ) -> None:
        """Take over a change of one entity, given its (owners, properties) before and after.

        Owners are label ids, or the one type id. Raises ConstraintValidationFailed.
        """
        by_owner = self._schema().indexes_of(kind)
        if not by_owner:
            return
        old, new = set(before[0]), set(after[0])
        for owner in old | new:
            for index in by_owner.get(owner, ()):
                self._move(
                    index,
                    entity,
                    _values(index, before[1]) if owner in old else None,
                    _values(index, after[1]) if owner in new else None,
                )

    def add(
        self,
        kind: EntityKind,
        entities: Sequence[int],
        owners: Sequence[Sequence[int]],
        properties: Sequence[Properties],
    ) -> None:
        """Take in new entities, index by index; of a unique one, one entity by one. Raises
        ConstraintValidationFailed."""
        for owner, indexes in self._schema().indexes_of(kind).items():
            for index in indexes:
                if not index.unique:
                    found = _entries(index, owner, entities, owners, properties)
                    if found:
                        self._put_many(index.id, found)
                    continue
                for entity, own, given in zip(entities, owners, properties, strict=True):
                    values = _values(index, given) if owner in own else None
                    if values is not None:
                        key = index_key(index.id, values)
                        self._check(index, entity, key, values)
                        self._put(index.id, key.data, entity)

    def _put_many(self, index_id: int, rows: list[tuple[bytes, int]]) -> None:
        rows.sort()
        cursor = self._txn.cursor(db=self._table)
        keys = list(dict.fromkeys(key for key, _ in rows))
        there = len(cursor.getmulti(keys))
        cursor.putmulti([(key, pack_big(entity)) for key, entity in rows])
        self._counts.add(distinct_key(index_id), len(keys) - there)
        self._counts.add(entries_key(index_id), len(rows))

    def build(self, index: IndexDescriptor, entities: Iterable[tuple[int, Properties]]) -> None:
        """Fill a new index. Raises ConstraintValidationFailed where it is unique and the data
        are not."""
        name = pack_index(index.id)
        if index.unique:
            entities = list(entities)
            self._check_built(index, entities)
        # Key and id in one: a third of the memory of pairs, and they sort the same, because no
        # key is the beginning of another.
        rows = [
            (name + index_key(index.id, values).whole)[:KEY_LIMIT] + pack_big(entity)
            for entity, properties in entities
            if (values := _values(index, properties)) is not None
        ]
        rows.sort()
        self._txn.cursor(db=self._table).putmulti((row[:-8], row[-8:]) for row in rows)
        different = sum(one[:-8] != other[:-8] for one, other in pairwise(rows))
        self._counts.add(entries_key(index.id), len(rows))
        self._counts.add(distinct_key(index.id), different + bool(rows))

    def clear(self, index: IndexDescriptor) -> None:
        """Remove all entries of an index: a range of the table."""
        name = pack_index(index.id)
        cursor = self._txn.cursor(db=self._table)
        there = cursor.set_range(name)
        while there and cursor.key()[:4] == name:
            # The cursor stands on what follows then, or nowhere: an empty key.
            cursor.delete(dupdata=True)
            there = bool(cursor.key())
        self._counts.add(entries_key(index.id), -self._counts.index_entries(index.id))
        self._counts.add(distinct_key(index.id), -self._counts.index_distinct(index.id))

    def _move(
        self,
        index: IndexDescriptor,
        entity: int,
        before: tuple[Any, ...] | None,
        after: tuple[Any, ...] | None,
    ) -> None:
        old = None if before is None else index_key(index.id, before)
        new = None if after is None else index_key(index.id, after)
        if old == new:
            return
        if new is not None and after is not None and index.unique:
            self._check(index, entity, new, after)
        if old is not None and new is not None and old.data == new.data:
            return
        if old is not None:
            self._remove(index.id, old.data, entity)
        if new is not None:
            self._put(index.id, new.data, entity)

    def _put(self, index_id: int, key: bytes, entity: int) -> None:
        cursor = self._txn.cursor(db=self._table)
        if not cursor.set_key(key):
            self._counts.add(distinct_key(index_id), 1)
        cursor.put(key, pack_big(entity))
        self._counts.add(entries_key(index_id), 1)

    def _remove(self, index_id: int, key: bytes, entity: int) -> None:
        cursor = self._txn.cursor(db=self._table)
        if not cursor.set_key_dup(key, pack_big(entity)):
            return
        cursor.delete()
        if not cursor.set_key(key):
            self._counts.add(distinct_key(index_id), -1)
        self._counts.add(entries_key(index_id), -1)

    def _check(
        self, index: IndexDescriptor, entity: int, key: IndexKey, values: tuple[Any, ...]
    ) -> None:
        if not all(map(equals_something, values)):
            return
        for other in self._reader.holders(index, key):
            if other != entity:
                described = self._described(index, values)
                raise ConstraintValidationFailed(
                    f"{_kind(index)}({other}) already exists with {described}"
                )

    def _check_built(
        self, index: IndexDescriptor, entities: Iterable[tuple[int, Properties]]
    ) -> None:
        entries = sorted(
            (
                (index_key(index.id, values).whole, entity, values)
                for entity, properties in entities
                if (values := _values(index, properties)) is not None
            ),
            key=lambda entry: entry[:2],
        )
        for (whole, first, values), (other, second, _) in pairwise(entries):
            if whole == other and all(map(equals_something, values)):
                kind, described = _kind(index), self._described(index, values)
                raise ConstraintValidationFailed(
                    f"Both {kind}({first}) and {kind}({second}) have the {described}"
                )

    def _described(self, index: IndexDescriptor, values: Sequence[Any]) -> str:
        """E.g. label `Person` and property `id` = 1"""
        schema = self._schema()
        if index.kind == "node":
            owner = f"label `{schema.label_name(index.owner)}`"
        else:
            owner = f"type `{schema.type_name(index.owner)}`"
        names = map(schema.property_name, index.properties)
        pairs = [f"`{name}` = {_literal(v)}" for name, v in zip(names, values, strict=True)]
        return f"{owner} and {'property' if len(pairs) == 1 else 'properties'} {', '.join(pairs)}"


def _entries(
    index: IndexDescriptor,
    owner: int,
    entities: Sequence[int],
    owners: Sequence[Sequence[int]],
    properties: Sequence[Properties],
) -> list[tuple[bytes, int]]:
    """What entities add to an index: keys, and themselves."""
    rows = zip(entities, owners, properties, strict=True)
    if len(index.properties) == 1:
        name, one = pack_index(index.id), index.properties[0]
        return [
            ((name + encode(given[one]))[:KEY_LIMIT], entity)
            for entity, own, given in rows
            if owner in own and one in given
        ]
    return [
        (index_key(index.id, values).data, entity)
        for entity, own, given in rows
        if owner in own and (values := _values(index, given)) is not None
    ]


def _values(index: IndexDescriptor, properties: Properties) -> tuple[Any, ...] | None:
    """The indexed values; None where one is absent: such an entity is not in the index."""
    if not all(key in properties for key in index.properties):
        return None
    return tuple(properties[key] for key in index.properties)


def _kind(index: IndexDescriptor) -> str:
    return "Node" if index.kind == "node" else "Relationship"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return f"'{value}'" if isinstance(value, str) else str(value)
