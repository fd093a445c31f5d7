"""Traps of LMDB that prototypes met (ARCHITECTURE, storage)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import IntArray
from cypherd.errors import ArgumentError, StorageFull, StoreError
from cypherd.storage.lmdb import layout, transaction_state
from cypherd.storage.lmdb.store import LmdbStore, open_store
from cypherd.storage.protocols import GraphStore

Ids = Callable[..., IntArray]
Start = Callable[[Path, str], Any]
MAP_SIZE = 1 << 30


def test_a_scan_does_not_see_what_is_made_while_it_runs(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        a, r, p = write.label_token("A"), write.type_token("R"), write.property_token("p")
        write.create_nodes([(a,)] * 5, [{p: 1}] * 5)
        write.create_relationships([r] * 4, ids(0, 0, 0, 0), ids(1, 2, 3, 4), [{}] * 4)
        seen = 0
        for piece in write.scan_nodes(a, 2):
            write.create_nodes([(a,)] * 3, [{p: 1}] * 3)
            seen += len(piece)
        assert seen == 5
        for pieces in (
            write.scan_nodes(None, 2),
            (piece.id for piece in write.scan_relationships(r, 2)),
            (piece.relationship for piece in write.expand(ids(0), "out", [r], 1)),
            (piece.relationship for piece in write.expand(ids(0), "both", None, 2)),
        ):
            before = write.counts.nodes()
            for _ in pieces:
                new = write.create_nodes([(a,)] * 3, [{p: 1}] * 3)
                write.create_relationships([r] * 3, ids(0, 0, 0), new, [{}] * 3)
                assert write.counts.nodes() < before + 3000


def test_pieces_stay_right_when_what_they_read_is_changed(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        r, p = write.type_token("R"), write.property_token("p")
        nodes = write.create_nodes([()] * 2000, [{p: "x" * 50}] * 2000)
        write.create_relationships([r] * 1999, np.zeros(1999, np.int64), nodes[1:], [{}] * 1999)
        kept = []
        for piece in write.expand(ids(0), "out", [r], 100):
            kept.append(piece)
            write.delete_relationships(piece.relationship)
            write.set_node_properties(piece.neighbour, [{p: "y" * 300}] * len(piece.neighbour))
        assert np.concatenate([piece.neighbour for piece in kept]).tolist() == list(range(1, 2000))
        scanned = []
        for rest in write.scan_nodes(None, 100):
            scanned.append(rest)
            write.delete_nodes(rest)
        assert np.concatenate(scanned).tolist() == list(range(2000))
        assert write.counts.nodes() == 0


def test_the_few_of_one_type_beside_the_many_of_another(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        many, few = write.type_token("MANY"), write.type_token("FEW")
        write.create_nodes([()] * 2, [{}] * 2)
        hub, other = np.zeros(20_000, np.int64), np.ones(20_000, np.int64)
        write.create_relationships([many] * 20_000, hub, other, [{}] * 20_000)
        write.create_relationships([few] * 3, hub[:3], other[:3], [{}] * 3)
        write.commit()
    with store.read() as read:
        assert read.degree(ids(0), "out", [few]).tolist() == [3]
        assert read.degree(ids(0), "out", None).tolist() == [20_003]
        (found,) = read.expand(ids(0), "out", [few], 1000)
        assert found.relationship.tolist() == [20_000, 20_001, 20_002]
        pieces = list(read.expand(ids(1, 0, 1), "both", None, 1000))
        assert max(len(piece.row) for piece in pieces) <= 1000
        assert sum(len(piece.row) for piece in pieces) == 3 * 20_003


def test_counts_when_a_hub_gains_and_loses_a_label(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        r, s = write.type_token("R"), write.type_token("S")
        hub_label, leaf = write.label_token("Hub"), write.label_token("Leaf")
        nodes = write.create_nodes([()] + [(leaf,)] * 500, [{}] * 501)
        hub = np.zeros(500, np.int64)
        write.create_relationships([r] * 500, hub, nodes[1:], [{}] * 500)
        write.create_relationships([s] * 500, nodes[1:], hub, [{}] * 500)
        write.add_labels(ids(0), [hub_label])
        counts = write.counts
        assert counts.relationships(r, start_label=hub_label) == 500
        assert counts.relationships(r, end_label=hub_label) == 0
        assert counts.relationships(s, end_label=hub_label) == 500
        assert counts.relationships(start_label=hub_label) == 500
        write.remove_labels(ids(0), [hub_label])
        write.commit()
    with store.read() as read:
        assert read.counts.relationships(r, start_label=hub_label) == 0
        assert read.counts.relationships(end_label=hub_label) == 0
        assert read.counts.relationships(r, end_label=leaf) == 500


def test_a_killed_reader_is_found(store: LmdbStore, elsewhere: Start) -> None:
    reader = elsewhere(store.path, "kept = store.read(); wait()").until_ready()
    assert store.reader_check() == 0
    reader.kill()
    assert store.reader_check() == 1


FILL_READER_TABLE = """
kept = []
try:
    while True:
        kept.append(store.read())
except StoreError:
    wait()
"""


def test_a_full_reader_table(tmp_path: Path, elsewhere: Start) -> None:
    path = tmp_path / "graph"
    open_store(path, map_size=MAP_SIZE, max_readers=8, create=True).close()
    readers = elsewhere(path, FILL_READER_TABLE).until_ready()
    with pytest.raises(StoreError, match="max_readers"):
        open_store(path, map_size=MAP_SIZE, max_readers=8)
    readers.kill()
    # Its slots are still taken, by a dead process: opening frees them.
    store = open_store(path, map_size=MAP_SIZE, max_readers=8)
    with store.read() as read:
        assert read.counts.nodes() == 0
    store.close()


def test_reading_frees_the_slots_of_the_dead(store: LmdbStore, elsewhere: Start) -> None:
    readers = elsewhere(store.path, FILL_READER_TABLE).until_ready()
    # The first one has the slot that the process already had.
    with store.read():
        with pytest.raises(StoreError, match="max_readers"):
            store.read()
        readers.kill()
        with store.read() as read:
            assert read.counts.nodes() == 0


def test_a_reader_is_not_kept_out_by_a_long_write(store: LmdbStore, elsewhere: Start) -> None:
    with store.write() as write:
        write.create_nodes([()], [{}])
        reader = elsewhere(store.path, "print(store.read().counts.nodes())")
        assert reader.result() == "0"


def test_a_full_map_loses_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "graph", map_size=1 << 20, max_readers=4, create=True)
    with store.write() as write:
        p = write.property_token("p")
        write.create_nodes([()], [{p: "kept"}])
        write.commit()
    with store.write() as write:
        with pytest.raises(StorageFull, match="map_size"):
            write.create_nodes([()] * 1000, [{p: "x" * 10_000}] * 1000)
        with pytest.raises(StorageFull):
            write.commit()
    with store.write() as write:
        assert write.counts.nodes() == 1
        assert write.create_nodes([()], [{p: "more"}]).tolist() == [1]
        write.commit()
    store.close()


def test_a_full_map_in_a_child_spares_its_parent(tmp_path: Path) -> None:
    store = open_store(tmp_path / "graph", map_size=1 << 20, max_readers=4, create=True)
    with store.write() as write:
        p = write.property_token("p")
        write.create_nodes([()], [{p: "kept"}])
        child = write.child()
        with pytest.raises(StorageFull):
            child.create_nodes([()] * 1000, [{p: "x" * 10_000}] * 1000)
        child.abort()
        write.create_nodes([()], [{p: "too"}])
        write.commit()
    with store.read() as read:
        assert read.counts.nodes() == 2
    store.close()


WRITE_BEYOND_THE_LIMIT = """
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with store.write() as write:
    p = write.property_token("p")
    write.create_nodes([()], [{p: "kept"}])
    write.commit()
size = (store.path / "data.mdb").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, size + 8192))
write = store.write()
try:
    write.create_nodes([()] * 100, [{p: "x" * 10_000}] * 100)
    write.commit()
except StorageFull:
    write.abort()
    print("full", store.read().counts.nodes())
"""


def test_a_full_disk_loses_nothing(tmp_path: Path, elsewhere: Start) -> None:
    """In a process whose files may not grow: to a write the same as a disk without room."""
    path = tmp_path / "graph"
    open_store(path, map_size=MAP_SIZE, max_readers=8, create=True).close()
    assert elsewhere(path, WRITE_BEYOND_THE_LIMIT).result() == "full 1"
    store = open_store(path, map_size=MAP_SIZE, max_readers=8)
    with store.write() as write:
        assert write.counts.nodes() == 1
        write.create_nodes([()], [{}])
        write.commit()
    store.close()


def test_a_killed_writer_leaves_nothing_half_done(store: LmdbStore, elsewhere: Start) -> None:
    code = "write = store.write(); write.create_nodes([()] * 1000, [{}] * 1000); wait()"
    elsewhere(store.path, code).until_ready().kill()
    with store.write() as write:
        assert write.counts.nodes() == 0
        assert write.create_nodes([()], [{}]).tolist() == [0]
        write.commit()


def test_too_many_types_and_nodes(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (layout.MAX_TYPES, layout.MAX_NODES) == (65_536, 1 << 48)
    monkeypatch.setattr(transaction_state, "MAX_TYPES", 2)
    monkeypatch.setattr(transaction_state, "MAX_NODES", 3)
    with store.write() as write:
        assert [write.type_token(name) for name in ("A", "B", "A")] == [0, 1, 0]
        with pytest.raises(ArgumentError, match="relationship types"):
            write.type_token("C")
        write.create_nodes([()] * 3, [{}] * 3)
        with pytest.raises(ArgumentError, match="nodes"):
            write.create_nodes([()], [{}])
