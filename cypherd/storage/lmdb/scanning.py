"""Scans in pieces that resume by key.

No cursor lives while a piece is out, and a scan ends at the highest id there was when it began:
in a writing transaction a cursor would not survive a write, and a scan of a table that grows
under it would never end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.layout import Tables, pack_id, unpackb
from cypherd.storage.protocols import RelationshipRows

_NATIVE = np.dtype("=i8")


_GROWTH = 4


def piece_sizes(size: int, first: int | None) -> Iterator[int]:
    """`size` again and again; or `first` and then ever more, up to `size`."""
    following = size if first is None else min(first, size)
    while True:
        yield following
        following = min(following * _GROWTH, size)


def scan_nodes(
    txn: Any, tables: Tables, size: int, first: int | None, below: int
) -> Iterator[IntArray]:
    position = 0
    for following in piece_sizes(size, first):
        if position >= below:
            return
        cursor = txn.cursor(db=tables.nodes)
        if not cursor.set_range(pack_id(position)):
            return
        keys = b"".join(islice(cursor.iternext(keys=True, values=False), following))
        ids, position = _limited(keys, below)
        if len(ids):
            yield ids


def scan_label(
    txn: Any, tables: Tables, label: int, size: int, first: int | None, below: int
) -> Iterator[IntArray]:
    key = pack_id(label)
    position = 0
    for following in piece_sizes(size, first):
        if position >= below:
            return
        cursor = txn.cursor(db=tables.labels)
        if not cursor.set_range_dup(key, pack_id(position)):
            return
        ids, position = _limited(b"".join(islice(cursor.iternext_dup(), following)), below)
        if len(ids):
            yield ids


def scan_relationships(
    txn: Any, tables: Tables, type_: int | None, size: int, first: int | None, below: int
) -> Iterator[RelationshipRows]:
    """A rare type may give empty pieces: a piece reads a bounded number of records."""
    position = 0
    for following in piece_sizes(size, first):
        if position >= below:
            return
        cursor = txn.cursor(db=tables.relationships)
        if not cursor.set_range(pack_id(position)):
            return
        pairs = list(islice(cursor.iternext(), following))
        ids, position = _limited(b"".join([key for key, _ in pairs]), below)
        records = [unpackb(data)[:3] for _, data in pairs[: len(ids)]]
        ends = np.array(records, dtype=np.int64).reshape(-1, 3)
        if type_ is not None:
            kept = ends[:, 0] == type_
            ids, ends = ids[kept], ends[kept]
        columns = (np.ascontiguousarray(ends[:, column]) for column in range(3))
        yield RelationshipRows(ids, *columns)


def _limited(keys: bytes, below: int) -> tuple[IntArray, int]:
    """The ids below `below`, and where to go on; `below` itself when nothing is left."""
    ids = np.frombuffer(keys, dtype=_NATIVE).astype(np.int64)
    if not len(ids):
        return ids, below
    return ids[: np.searchsorted(ids, below)], int(ids[-1]) + 1
