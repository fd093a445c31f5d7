"""Table `index`: all property indexes, sorted by index id and encoded value(s).

    key: index id (4 bytes big-endian), encoded values, cut at 511 bytes   value: entity id

A key that was cut is full length, and no whole key equals it (storage/keys.py); what stands
under it is only a candidate and is checked against the real property values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.keys import (
    INTEGER_KEY,
    decode_integers,
    encode,
    encode_composite,
    encode_integers,
    encode_string_prefix,
    equals_something,
    successor,
    type_range,
)
from cypherd.storage.lmdb.layout import KEY_LIMIT, Tables, pack_index, read_records, unpack_big
from cypherd.storage.protocols import IndexDescriptor, SeekRows
from cypherd.values.lists import is_list
from cypherd.values.ordering import greater, greater_equal, less, less_equal, sort_key

_MANY = 16
_INTEGER_ENTRY = np.dtype([("index", ">u4"), ("key", INTEGER_KEY)])


class IndexKey(NamedTuple):
    """`whole` is the uncut encoding: two entities have equal values where these are equal."""

    data: bytes
    whole: bytes

    @property
    def exact(self) -> bool:
        return len(self.whole) + 4 <= KEY_LIMIT


def index_key(index_id: int, values: Sequence[Any]) -> IndexKey:
    whole = encode_composite(values)
    return IndexKey((pack_index(index_id) + whole)[:KEY_LIMIT], whole)


class IndexReader:
    """Questions to indexes, inside one transaction."""

    __slots__ = ("_table", "_tables", "_txn")

    def __init__(self, txn: Any, tables: Tables) -> None:
        self._txn = txn
        self._tables = tables
        self._table = tables.index

    def seek(self, index: IndexDescriptor, values: Sequence[tuple[Any, ...]]) -> SeekRows:
        rows: list[int] = []
        ids: list[int] = []
        if len(values) >= _MANY:
            return self._seek_many(index, values)
        for row, wanted in enumerate(values):
            found = self.holders_of(index, wanted)
            ids.extend(found)
            rows.extend([row] * len(found))
        return SeekRows(np.array(rows, dtype=np.int64), np.array(ids, dtype=np.int64))

    def holders_of(self, index: IndexDescriptor, value: tuple[Any, ...]) -> list[int]:
        """What `seek` finds for one value."""
        if not all(map(equals_something, value)):
            return []
        return self.holders(index, index_key(index.id, value))

    def _seek_many(self, index: IndexDescriptor, values: Sequence[tuple[Any, ...]]) -> SeekRows:
        """The same with one question for all keys that are whole."""
        asked = _asked_keys(index, values)
        keys = sorted({key for key in asked if 0 < len(key) <= KEY_LIMIT})
        pairs = self._txn.cursor(db=self._table).getmulti(keys, dupdata=True)
        single = dict(pairs)
        if len(pairs) == len(single) and max(map(len, asked)) <= KEY_LIMIT:
            # Keys that are whole, none of them of two entities.
            there = [row for row, key in enumerate(asked) if key in single]
            of = np.frombuffer(b"".join([single[asked[row]] for row in there]), dtype=">i8")
            return SeekRows(np.array(there, dtype=np.int64), of.astype(np.int64))
        found: dict[bytes, list[int]] = {}
        for key, value in pairs:
            found.setdefault(key, []).append(int.from_bytes(value, "big"))
        rows: list[int] = []
        ids: list[int] = []
        for row, key in enumerate(asked):
            held = found.get(key)
            if held is None:
                if len(key) <= KEY_LIMIT:
                    continue
                held = self.holders(index, IndexKey(key[:KEY_LIMIT], key[4:]))
            ids += held
            rows += [row] * len(held)
        return SeekRows(np.array(rows, dtype=np.int64), np.array(ids, dtype=np.int64))

    def firsts(self, index: IndexDescriptor, values: Sequence[int | str]) -> dict[Any, int]:
        name = pack_index(index.id)
        asked = {name + encode(value): value for value in values}
        cut = [key for key in asked if len(key) > KEY_LIMIT]
        found: dict[Any, int] = {}
        for key in cut:
            value = asked.pop(key)
            held = self.holders(index, IndexKey(key[:KEY_LIMIT], key[4:]))
            if held:
                found[value] = held[0]
        # Of entries with one key, LMDB gives the first.
        pairs = self._txn.cursor(db=self._table).getmulti(sorted(asked))
        found.update([(asked[key], unpack_big(data)[0]) for key, data in pairs])
        return found

    def firsts_of_integers(self, index: IndexDescriptor, values: IntArray) -> IntArray:
        """For an index no key of which has two entries: all that is found comes as one array."""
        keys = np.empty(len(values), dtype=_INTEGER_ENTRY)
        keys["index"], keys["key"] = index.id, encode_integers(values)
        size = keys.itemsize
        data = keys.tobytes()
        asked = [data[start : start + size] for start in range(0, len(data), size)]
        cursor = self._txn.cursor(db=self._table)
        entries = cursor.getmulti(asked, dupdata=True, dupfixed_bytes=8, keyfixed=True)
        found = np.frombuffer(entries, dtype=[("entry", _INTEGER_ENTRY), ("id", ">i8")])
        ids = found["id"].astype(np.int64)
        if len(ids) == len(values):
            return ids
        firsts = np.full(len(values), -1, dtype=np.int64)
        firsts[np.searchsorted(values, decode_integers(found["entry"]["key"]))] = ids
        return firsts

    def holders(self, index: IndexDescriptor, key: IndexKey) -> list[int]:
        """The entities with exactly the values of `key`, ascending."""
        found = self._under(key.data)
        if key.exact or not found:
            return found
        present = self._read_values(index, found)
        return [
            entity
            for entity, values in zip(found, present, strict=True)
            if encode_composite(values) == key.whole
        ]

    def range(
        self,
        index: IndexDescriptor,
        low: tuple[Any, bool],
        high: tuple[Any, bool],
        size: int,
    ) -> Iterator[IntArray]:
        """`low` and `high` are (value or None, inclusive)."""
        limits = _limits(low, high)
        if limits is None:
            return iter(())
        start, stop = limits
        check = _Check(_within(low, high), is_list(low[0]) or is_list(high[0]))
        return self._scan(index, start, stop, check, size)

    def prefix(self, index: IndexDescriptor, prefix: str, size: int) -> Iterator[IntArray]:
        start = encode_string_prefix(prefix)

        def accepts(value: Any) -> bool:
            return isinstance(value, str) and value.startswith(prefix)

        return self._scan(index, start, successor(start), _Check(accepts, False), size)

    def _read_values(self, index: IndexDescriptor, ids: list[int]) -> list[tuple[Any, ...]]:
        """The present values of the indexed properties of entities."""
        tables = self._tables
        table = tables.nodes if index.kind == "node" else tables.relationships
        records = read_records(self._txn, table, ids)
        return [tuple(record[-1][key] for key in index.properties) for record in records]

    def _under(self, key: bytes) -> list[int]:
        cursor = self._txn.cursor(db=self._table)
        if not cursor.set_key(key):
            return []
        if cursor.count() < _MANY:
            return [int.from_bytes(value, "big") for value in cursor.iternext_dup()]
        data = cursor.getmulti([key], dupdata=True, dupfixed_bytes=8, keyfixed=True)
        row = np.dtype([("key", f"V{len(key)}"), ("id", ">i8")])
        ids: list[int] = np.frombuffer(data, dtype=row)["id"].tolist()
        return ids

    def _scan(
        self,
        index: IndexDescriptor,
        start: bytes,
        stop: bytes | None,
        check: _Check,
        size: int,
    ) -> Iterator[IntArray]:
        """Entities with start <= encoding < stop, in pieces that resume behind the last entry."""
        name = pack_index(index.id)
        end = name + stop if stop is not None else pack_index(index.id + 1)
        entries, position = self._step((name + start)[:KEY_LIMIT], b"", end, size)
        while entries:
            ids = self._accepted(index, entries, check)
            for first in range(0, len(ids), size):
                yield np.array(ids[first : first + size], dtype=np.int64)
            if position is None:
                return
            entries, position = self._step(*position, end, size)

    def _step(
        self, key: bytes, value: bytes, end: bytes, size: int
    ) -> tuple[list[Entry], Entry | None]:
        """About `size` entries behind (key, value), and the last one if more may follow. All
        entries of a cut key come together: they are in the order of their ids and have to be
        put into that of their values."""
        cursor = self._txn.cursor(db=self._table)
        if not _go_behind(cursor, key, value):
            return [], None
        entries = list(islice(cursor.iternext(), size))
        more = len(entries) == size
        if more and len(entries[-1][0]) == KEY_LIMIT:
            entries += self._rest_of_key(*entries[-1])
        kept = [entry for entry in entries if entry[0] < end]
        return kept, entries[-1] if more and len(kept) == len(entries) else None

    def _rest_of_key(self, key: bytes, value: bytes) -> list[Entry]:
        cursor = self._txn.cursor(db=self._table)
        cursor.set_key_dup(key, value)
        return [(key, other) for other in islice(cursor.iternext_dup(), 1, None)]

    def _accepted(self, index: IndexDescriptor, entries: list[Entry], check: _Check) -> list[int]:
        ids = [int.from_bytes(value, "big") for _, value in entries]
        doubtful = [check.always or len(key) == KEY_LIMIT for key, _ in entries]
        if not any(doubtful):
            return ids
        asked = [entity for entity, doubt in zip(ids, doubtful, strict=True) if doubt]
        values = iter(self._read_values(index, asked))
        ranked: list[tuple[bytes, tuple[Any, ...], int]] = []
        for (key, _), entity, doubt in zip(entries, ids, doubtful, strict=True):
            value = next(values)[0] if doubt else None
            if not doubt or check.accepts(value):
                ranked.append((key, sort_key(value), entity))
        return [entity for _, _, entity in sorted(ranked)]


Entry = tuple[bytes, bytes]
"""(key, value) of the table."""


class _Check(NamedTuple):
    """Which values of entities under cut keys are meant; `always`: under all keys, for lists,
    whose order in the index says more than `<` does: [1] and ['a'] are not comparable."""

    accepts: Callable[[Any], bool]
    always: bool


def _go_behind(cursor: Any, key: bytes, value: bytes) -> bool:
    """Put the cursor on the first entry above (key, value), or from `key` on if `value` is empty;
    False when there is none."""
    if not value:
        return bool(cursor.set_range(key))
    if cursor.set_range_dup(key, value):
        return bool(cursor.next()) if cursor.value() == value else True
    # No such key, or nothing at or above `value` under it.
    if not cursor.set_range(key):
        return False
    return bool(cursor.next_nodup()) if cursor.key() == key else True


def _limits(low: tuple[Any, bool], high: tuple[Any, bool]) -> tuple[bytes, bytes | None] | None:
    """Encodings that bound a range; None when nothing can be in it."""
    (least, least_too), (most, most_too) = low, high
    if least is None and most is None:
        return b"", None
    bounds = {type_range(value) for value in (least, most) if value is not None}
    if None in bounds or len(bounds) > 1:
        return None
    if not all(equals_something(value) for value in (least, most) if value is not None):
        return None
    start, stop = next(iter(bounds)) or (b"", b"")
    if least is not None:
        start = encode_composite([least])
        start = start if least_too else successor(start) or start
    if most is not None:
        stop = encode_composite([most])
        stop = successor(stop) or stop if most_too else stop
    return start, stop


def _within(low: tuple[Any, bool], high: tuple[Any, bool]) -> Callable[[Any], bool]:
    (least, least_too), (most, most_too) = low, high
    above = greater_equal if least_too else greater
    below = less_equal if most_too else less

    def accepts(value: Any) -> bool:
        return (least is None or above(value, least) is True) and (
            most is None or below(value, most) is True
        )

    return accepts


def _asked_keys(index: IndexDescriptor, values: Sequence[tuple[Any, ...]]) -> list[bytes]:
    """The whole key of each, perhaps too long for a key; empty where nothing can be equal."""
    name = pack_index(index.id)
    if len(index.properties) == 1:
        return [name + encode(value) if equals_something(value) else b"" for (value,) in values]
    return [
        name + encode_composite(wanted) if all(map(equals_something, wanted)) else b""
        for wanted in values
    ]
