"""Tables and keys of the store (docs/storage.md has them as a table).

    nodes            node id                 -> msgpack [label ids, {property id: value}]
    relationships    relationship id         -> msgpack [type, start, end, {property id: value}]
    out, in          node id << 16 | type    -> (neighbour, relationship), 16 bytes big-endian
    labels           label id                -> node id
    index            index id, value(s)      -> node or relationship id, 8 bytes big-endian
    tokens           kind, token id          -> name
    schema           kind, rule id           -> msgpack descriptor
    counts           kind, ids               -> int64
    meta             name                    -> counters, versions

Integer keys and the ids in `labels` are 8 bytes in native order (LMDB's MDB_INTEGERKEY).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import lmdb
import msgpack

from cypherd.values.extensions import EXTENDED, pack, unpack

FORMAT_VERSION = 1
FORMAT_NAME = b"cypherd graph store"

MAX_NODES = 1 << 48
MAX_TYPES = 1 << 16

KEY_LIMIT = 511
"""LMDB's longest key; 507 bytes of it are for the encoded values of an index entry."""

_INTEGER = {"integerkey": True}
_ADJACENCY = {"integerkey": True, "dupsort": True, "dupfixed": True}
TABLES: dict[str, dict[str, bool]] = {
    "nodes": _INTEGER,
    "relationships": _INTEGER,
    "out": _ADJACENCY,
    "in": _ADJACENCY,
    "labels": {**_ADJACENCY, "integerdup": True},
    "index": {"dupsort": True, "dupfixed": True},
    "tokens": {},
    "schema": {},
    "counts": {},
    "meta": {},
}

META_NAME = b"name"
META_FORMAT = b"format"
META_NEXT_NODE = b"next node"
META_NEXT_RELATIONSHIP = b"next relationship"
META_NEXT_RULE = b"next rule"
META_SCHEMA_VERSION = b"schema version"
META_STATEMENTS = b"statements"
META_LOADS = b"loads"


class Tables(NamedTuple):
    """Handles of the tables; valid in the process that opened them."""

    nodes: Any
    relationships: Any
    out: Any
    in_: Any
    labels: Any
    index: Any
    tokens: Any
    schema: Any
    counts: Any
    meta: Any


def open_tables(env: lmdb.Environment, *, create: bool) -> Tables:
    """Raises lmdb.NotFoundError where a table is missing and `create` is false."""
    if env.flags()["readonly"]:
        # A handle opened inside a reading transaction is closed with it, hence no `txn` here.
        return Tables(*(_open(env, name, create=False) for name in TABLES))
    with env.begin(write=True) as txn:
        return Tables(*(_open(env, name, create=create, txn=txn) for name in TABLES))


def _open(env: lmdb.Environment, name: str, *, create: bool, txn: Any = None) -> Any:
    return env.open_db(name.encode(), txn=txn, create=create, **TABLES[name])


pack_id = struct.Struct("=Q").pack
unpack_id = struct.Struct("=Q").unpack
pack_owned = struct.Struct(">QQ").pack
unpack_owned = struct.Struct(">QQ").unpack
pack_big = struct.Struct(">Q").pack
unpack_big = struct.Struct(">Q").unpack
pack_index = struct.Struct(">I").pack
unpack_index = struct.Struct(">I").unpack
pack_count = struct.Struct("=q").pack
unpack_count = struct.Struct("=q").unpack


def _packed(value: Any) -> msgpack.ExtType:
    """What msgpack has no type of, as extension types."""
    if isinstance(value, EXTENDED):
        return msgpack.ExtType(*pack(value))
    raise TypeError(f"a {type(value).__name__} cannot be stored")


packb = msgpack.Packer(default=_packed, unicode_errors="surrogatepass", autoreset=True).pack


def unpackb(data: bytes) -> Any:
    return msgpack.unpackb(
        data, strict_map_key=False, unicode_errors="surrogatepass", ext_hook=unpack
    )


_ONE_LABEL = [(label,) for label in range(0x80)]


def packed_labels(record: bytes) -> tuple[int, ...]:
    """The label ids of a node's packed record, without unpacking the rest of it: a short array of
    small integers is a byte with its length and a byte an integer (MessagePack's fixarray and
    positive fixint)."""
    if record[1] == 0x91 and record[2] < 0x80:
        return _ONE_LABEL[record[2]]
    count = record[1] - 0x90
    if 0 <= count < 16:
        labels = record[2 : 2 + count]
        if not labels or max(labels) < 0x80:
            return tuple(labels)
    return tuple(unpackb(record)[0])


FEW = 3
"""Up to this many records are read one by one: gathering them would cost more."""

_MAX_BUFFER = 1 << 26
"""Records of more bytes than this are not copied together."""


def adjacency_key(node: int, type_: int) -> bytes:
    return pack_id(node << 16 | type_)


def read_records(txn: Any, table: Any, ids: Sequence[int]) -> list[Any]:
    """Records of `nodes` or `relationships`; None where there is none of that id. The
    properties are the last part of either."""
    if len(ids) <= FEW:
        return [_read_record(txn, table, number) for number in ids]
    found, rows = find_packed(txn, table, ids)
    records = unpack_all(found)
    if rows is None:
        return records
    return placed(records, rows, len(ids))


def find_packed(
    txn: Any, table: Any, ids: Sequence[int]
) -> tuple[list[bytes], Sequence[int] | None]:
    """The records as they are stored, of those ids that have one, and the places of these in
    `ids`; None for the places if all have one."""
    cursor = txn.cursor(db=table)
    count = len(ids)
    # One behind the other, as scans give them: read along instead of going down each time.
    if _is_run(ids) and cursor.set_key(pack_id(ids[0])):
        found = list(islice(cursor.iternext(keys=False, values=True), count))
        if len(found) == count and cursor.key() == pack_id(ids[-1]):
            return found, None
    pairs = cursor.getmulti([pack_id(number) for number in ids if number >= 0])
    if len(pairs) == count:
        return [data for _, data in pairs], None
    by_key = dict(pairs)
    rows = [row for row, number in enumerate(ids) if number >= 0 and pack_id(number) in by_key]
    return [by_key[pack_id(ids[row])] for row in rows], rows


def placed(found: Sequence[Any], rows: Sequence[int], length: int) -> list[Any]:
    """What was found for `rows` in a list of `length`, None elsewhere."""
    values: list[Any] = [None] * length
    for row, value in zip(rows, found, strict=True):
        values[row] = value
    return values


def _is_run(ids: Sequence[int]) -> bool:
    first, last = ids[0], ids[-1]
    return first >= 0 and last - first == len(ids) - 1 and ids == list(range(first, last + 1))


def _read_record(txn: Any, table: Any, number: int) -> Any:
    data = txn.get(pack_id(number), db=table) if number >= 0 else None
    return None if data is None else unpackb(data)


_ARRAY = struct.Struct(">BI").pack
"""The head of MessagePack's array 32: its byte, and how many items follow."""


def unpack_all(packed: list[bytes]) -> list[Any]:
    """Many records at once: as the items of one array they cost less."""
    if sum(map(len, packed)) > _MAX_BUFFER:
        return [unpackb(data) for data in packed]
    found: list[Any] = unpackb(_ARRAY(0xDD, len(packed)) + b"".join(packed))
    return found
