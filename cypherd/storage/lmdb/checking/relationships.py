"""Table `relationships` against the nodes and the tables `out` and `in`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.checking.catalog import Catalog
from cypherd.storage.lmdb.checking.decoding import decoded
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.checking.nodes import (
    STEP,
    CheckedNodes,
    Progress,
    check_keys,
)
from cypherd.storage.lmdb.checking.rows import Rows
from cypherd.storage.lmdb.layout import Tables, unpack_id, unpack_owned


@dataclass(frozen=True, slots=True)
class CheckedRelationships:
    """By id, ascending."""

    ids: IntArray
    type: IntArray
    start: IntArray
    end: IntArray


def check_relationships(
    txn: Any,
    tables: Tables,
    catalog: Catalog,
    nodes: CheckedNodes,
    findings: Findings,
    progress: Progress,
) -> CheckedRelationships:
    found = _read(txn, tables, catalog, findings, progress)
    for name, ends in (("start", found.start), ("end", found.end)):
        for i in np.flatnonzero(~nodes.there(ends)).tolist():
            findings.add(
                "relationships",
                f"relationship {found.ids[i]} has the {name} {ends[i]}, which is no node",
            )
    _compare(txn, tables.out, "out", found.start, found.end, found, findings)
    progress("adjacency", 1, 2)
    _compare(txn, tables.in_, "in", found.end, found.start, found, findings)
    progress("adjacency", 2, 2)
    return found


def _read(
    txn: Any, tables: Tables, catalog: Catalog, findings: Findings, progress: Progress
) -> CheckedRelationships:
    total = txn.stat(tables.relationships)["entries"]
    rows = Rows(4)
    for key, data in txn.cursor(db=tables.relationships):
        number = int(unpack_id(key)[0])
        record = decoded("relationships", f"relationship {number}", data, 4, findings)
        if record is None:
            continue
        type_, start, end, properties = record
        rows.add((number, type_, start, end))
        if type_ >= catalog.types:
            findings.add(
                "relationships", f"relationship {number} has the type {type_}, which has no name"
            )
        check_keys("relationships", f"relationship {number}", properties, catalog, findings)
        if len(rows) % STEP == 0:
            progress("relationships", len(rows), total)
    progress("relationships", total, total)
    ids, *others = rows.columns()
    if len(ids) and ids[-1] >= catalog.next_relationship:
        findings.add("meta", f"relationship {ids[-1]} has the id of a coming one")
    return CheckedRelationships(ids, *others)


def _compare(
    txn: Any,
    table: Any,
    name: str,
    owners: IntArray,
    neighbours: IntArray,
    found: CheckedRelationships,
    findings: Findings,
) -> None:
    """Entries (owner, type, neighbour, relationship) of `out` or `in` against the records."""
    stored = _entries(txn, table)
    order = np.lexsort((found.ids, neighbours, found.type, owners))
    expected = np.stack([c[order] for c in (owners, found.type, neighbours, found.ids)], axis=1)
    if np.array_equal(expected, stored):
        return
    for row in _only_in(expected, stored):
        findings.add(name, f"relationship {row[3]} is missing at node {row[0]} (type {row[1]})")
    for row in _only_in(stored, expected):
        findings.add(
            name,
            f"node {row[0]} has an entry to node {row[2]} for relationship {row[3]} (type "
            f"{row[1]}), which its record does not say",
        )


def _entries(txn: Any, table: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """By owner, type, neighbour and relationship: the order of the table."""
    rows = Rows(4)
    for key, value in txn.cursor(db=table):
        owned = int(unpack_id(key)[0])
        neighbour, relationship = unpack_owned(value)
        rows.add((owned >> 16, owned & 0xFFFF, neighbour, relationship))
    return rows.table()


def _only_in(
    one: np.ndarray[Any, np.dtype[np.int64]], other: np.ndarray[Any, np.dtype[np.int64]]
) -> list[list[int]]:
    """Rows of `one` that `other` lacks, in order."""
    row = np.dtype([("", np.int64)] * 4)
    first = np.ascontiguousarray(one).view(row).ravel()
    second = np.ascontiguousarray(other).view(row).ravel()
    return [list(entry) for entry in np.setdiff1d(first, second).tolist()]
