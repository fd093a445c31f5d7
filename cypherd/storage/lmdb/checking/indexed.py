"""Table `index` against the records, and what constraints promise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cypherd.storage.keys import equals_something
from cypherd.storage.lmdb.checking.catalog import Catalog
from cypherd.storage.lmdb.checking.decoding import decoded
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.checking.nodes import Progress
from cypherd.storage.lmdb.indexes import index_key
from cypherd.storage.lmdb.layout import (
    Tables,
    pack_index,
    unpack_big,
    unpack_id,
    unpack_index,
)
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor

Entity = tuple[int, dict[int, Any]]


@dataclass(frozen=True, slots=True)
class CheckedIndex:
    entries: int
    distinct: int


def check_indexes(
    txn: Any, tables: Tables, catalog: Catalog, findings: Findings, progress: Progress
) -> dict[int, CheckedIndex]:
    """By index id: what the table `counts` must say."""
    checked = {}
    for done, index in enumerate(catalog.indexes, 1):
        checked[index.id] = _check(txn, tables, index, findings)
        progress("indexes", done, len(catalog.indexes))
    _check_strangers(txn, tables, checked, findings)
    for constraint in catalog.constraints:
        if constraint.requires_values:
            _check_existence(txn, tables, constraint, findings)
    return checked


def _check(txn: Any, tables: Tables, index: IndexDescriptor, findings: Findings) -> CheckedIndex:
    expected: set[tuple[bytes, int]] = set()
    holder: dict[bytes, int] = {}
    for entity, properties in _entities(txn, tables, index.kind, index.owner):
        if not all(key in properties for key in index.properties):
            continue
        values = tuple(properties[key] for key in index.properties)
        key = index_key(index.id, values)
        expected.add((key.data, entity))
        if index.unique and all(map(equals_something, values)):
            other = holder.setdefault(key.whole, entity)
            if other != entity:
                findings.add(
                    "index", f"{index.name!r} is unique, and {other} and {entity} have equal values"
                )
    stored = set(_entries(txn, tables, index.id))
    for _, entity in sorted(expected - stored):
        findings.add("index", f"{index.kind} {entity} is missing in {index.name!r}")
    for _, entity in sorted(stored - expected):
        findings.add("index", f"{index.name!r} has an entry of {index.kind} {entity} too many")
    return CheckedIndex(len(expected), len({key for key, _ in expected}))


def _entities(txn: Any, tables: Tables, kind: str, owner: int) -> Iterator[Entity]:
    table = tables.nodes if kind == "node" else tables.relationships
    for key, data in txn.cursor(db=table):
        # What cannot be decoded was found where records were read.
        record = decoded("index", "", data, 2 if kind == "node" else 4, Findings(0))
        if record is None:
            continue
        owners = record[0] if kind == "node" else (record[0],)
        if owner in owners:
            yield int(unpack_id(key)[0]), record[-1]


def _entries(txn: Any, tables: Tables, index_id: int) -> Iterator[tuple[bytes, int]]:
    prefix = pack_index(index_id)
    cursor = txn.cursor(db=tables.index)
    if not cursor.set_range(prefix):
        return
    for key, value in cursor:
        if key[:4] != prefix:
            return
        yield key, int(unpack_big(value)[0])


def _check_strangers(
    txn: Any, tables: Tables, checked: dict[int, CheckedIndex], findings: Findings
) -> None:
    """Entries of an index that the schema does not know."""
    cursor = txn.cursor(db=tables.index)
    there = cursor.first()
    while there:
        number = int(unpack_index(cursor.key()[:4])[0])
        if number not in checked:
            findings.add("index", f"there are entries of an index {number}, which is none")
        if number == 0xFFFFFFFF:
            return
        there = cursor.set_range(pack_index(number + 1))


def _check_existence(
    txn: Any, tables: Tables, constraint: ConstraintDescriptor, findings: Findings
) -> None:
    for entity, properties in _entities(txn, tables, constraint.entity, constraint.owner):
        if not all(key in properties for key in constraint.properties):
            findings.add(
                f"{constraint.entity}s",
                f"{constraint.entity} {entity} lacks what {constraint.name!r} demands",
            )
