"""`check` finds nothing in a sound store, and each kind of damage that a test makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lmdb
import numpy as np
import pytest

from cypherd.settings import MIB
from cypherd.storage.lmdb.checking import CheckReport
from cypherd.storage.lmdb.layout import (
    META_NEXT_NODE,
    TABLES,
    Tables,
    adjacency_key,
    open_tables,
    pack_big,
    pack_count,
    pack_id,
    pack_index,
    pack_owned,
    packb,
    unpackb,
)
from cypherd.storage.lmdb.store import open_store

Damage = Callable[[Any, Tables], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """100 people who each know two others, with an index and a uniqueness constraint."""
    store = open_store(tmp_path, map_size=64 * MIB, create=True)
    with store.write() as transaction:
        person, city = transaction.label_token("Person"), transaction.label_token("City")
        knows, name = transaction.type_token("KNOWS"), transaction.property_token("name")
        number = transaction.property_token("number")
        owners = [(person, city) if i % 10 == 0 else (person,) for i in range(100)]
        values = [{name: f"name {i % 7}", number: i} for i in range(100)]
        people = transaction.create_nodes(owners, values)
        for step in (1, 3):
            ends = np.roll(people, step)
            transaction.create_relationships([knows] * 100, people, ends, [{number: 1}] * 100)
        transaction.create_index("by_name", "node", person, [name])
        transaction.create_index("by_weight", "relationship", knows, [number])
        transaction.create_constraint("one_number", "uniqueness", "node", person, [number])
        transaction.commit()
    store.close()
    return tmp_path


def check(path: Path) -> CheckReport:
    store = open_store(path, map_size=64 * MIB, readonly=True)
    try:
        return store.check()
    finally:
        store.close()


def damage(path: Path, make: Damage) -> None:
    """Write past the store's own code."""
    env = lmdb.open(str(path), map_size=64 * MIB, max_dbs=len(TABLES))
    tables = open_tables(env, create=False)
    with env.begin(write=True) as txn:
        make(txn, tables)
    env.close()


def test_a_sound_store(path: Path) -> None:
    report = check(path)
    assert report.findings == ()
    assert (report.nodes, report.relationships) == (100, 200)


def test_an_empty_store_is_sound(tmp_path: Path) -> None:
    open_store(tmp_path, map_size=64 * MIB, create=True).close()
    assert check(tmp_path).sound


def _record(txn: Any, table: Any, number: int, change: Callable[[Any], None]) -> None:
    record = unpackb(txn.get(pack_id(number), db=table))
    change(record)
    txn.put(pack_id(number), packb(record), db=table)


def _lose_node(txn: Any, tables: Tables) -> None:
    txn.delete(pack_id(5), db=tables.nodes)


def _lose_relationship(txn: Any, tables: Tables) -> None:
    txn.delete(pack_id(7), db=tables.relationships)


def _lose_out(txn: Any, tables: Tables) -> None:
    txn.delete(adjacency_key(3, 0), db=tables.out)


def _add_in(txn: Any, tables: Tables) -> None:
    txn.put(adjacency_key(3, 0), pack_owned(50, 12345), db=tables.in_)


def _move_end(txn: Any, tables: Tables) -> None:
    _record(txn, tables.relationships, 9, lambda record: record.__setitem__(2, 77))


def _lose_label(txn: Any, tables: Tables) -> None:
    txn.delete(pack_id(1), pack_id(20), db=tables.labels)


def _add_label(txn: Any, tables: Tables) -> None:
    _record(txn, tables.nodes, 21, lambda record: record[0].append(1))


def _change_property(txn: Any, tables: Tables) -> None:
    _record(txn, tables.nodes, 4, lambda record: record[1].__setitem__(0, "another"))


def _double_value(txn: Any, tables: Tables) -> None:
    _record(txn, tables.nodes, 4, lambda record: record[1].__setitem__(1, 5))


def _unknown_key(txn: Any, tables: Tables) -> None:
    _record(txn, tables.nodes, 4, lambda record: record[1].__setitem__(99, 1))


def _unknown_type(txn: Any, tables: Tables) -> None:
    _record(txn, tables.relationships, 4, lambda record: record.__setitem__(0, 8))


def _miscount(txn: Any, tables: Tables) -> None:
    cursor = txn.cursor(db=tables.counts)
    assert cursor.first()
    txn.put(cursor.key(), pack_count(12), db=tables.counts)


def _foreign_index(txn: Any, tables: Tables) -> None:
    txn.put(pack_index(77) + b"x", pack_big(1), db=tables.index)


def _garbage(txn: Any, tables: Tables) -> None:
    txn.put(pack_id(8), b"\xc1\xff", db=tables.nodes)


def _low_counter(txn: Any, tables: Tables) -> None:
    txn.put(META_NEXT_NODE, pack_big(50), db=tables.meta)


def _lose_token(txn: Any, tables: Tables) -> None:
    cursor = txn.cursor(db=tables.tokens)
    assert cursor.first()
    txn.delete(cursor.key(), db=tables.tokens)


def _lose_index(txn: Any, tables: Tables) -> None:
    cursor = txn.cursor(db=tables.schema)
    assert cursor.set_range(b"i")
    last = [key for key, _ in cursor if key[:1] == b"i"][-1]
    txn.delete(last, db=tables.schema)


DAMAGES: dict[str, tuple[Damage, str, str]] = {
    "node lost": (_lose_node, "relationships", "which is no node"),
    "relationship lost": (_lose_relationship, "out", "its record does not say"),
    "out lost": (_lose_out, "out", "is missing at node 3"),
    "in added": (_add_in, "in", "relationship 12345"),
    "end moved": (_move_end, "in", "relationship 9 is missing at node 77"),
    "label entry lost": (_lose_label, "labels", "node 20 is missing under its label 1"),
    "label added": (_add_label, "labels", "node 21 is missing under its label 1"),
    "property changed": (_change_property, "index", "'by_name' has an entry of node 4 too many"),
    "value doubled": (_double_value, "index", "4 and 5 have equal values"),
    "unknown key": (_unknown_key, "nodes", "key 99 has no name"),
    "unknown type": (_unknown_type, "relationships", "type 8, which has no name"),
    "miscounted": (_miscount, "counts", "is 12, not"),
    "index of nobody": (_foreign_index, "index", "index 77, which is none"),
    "record destroyed": (_garbage, "nodes", "node 8 cannot be decoded"),
    "counter too low": (_low_counter, "meta", "the id of a coming node"),
    "name lost": (_lose_token, "tokens", "has no name"),
    "index of a constraint lost": (_lose_index, "schema", "has lost its index"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found(path: Path, name: str) -> None:
    make, table, part = DAMAGES[name]
    damage(path, make)
    report = check(path)
    assert not report.sound
    found = [finding.message for finding in report.findings if finding.table == table]
    assert [message for message in found if part in message], report.findings


def test_a_broken_page_is_told(path: Path) -> None:
    """Not every flipped byte is in use; whatever comes of it is a report or a StoreError."""
    data = bytearray((path / "data.mdb").read_bytes())
    position = data.index(b"name 3")
    data[position : position + 6] = b"name 9"
    (path / "data.mdb").write_bytes(data)
    assert not check(path).sound


def test_findings_are_cut_but_counted(path: Path) -> None:
    def lose_all(txn: Any, tables: Tables) -> None:
        for number in range(100):
            txn.delete(pack_id(number), db=tables.nodes)

    damage(path, lose_all)
    store = open_store(path, map_size=64 * MIB, readonly=True)
    report = store.check(most=3)
    store.close()
    assert report.total > 300
    assert len([finding for finding in report.findings if finding.table == "relationships"]) == 3
