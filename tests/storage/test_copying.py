"""Backups of a store in use, and compaction: what was committed before is in them, and sound."""

from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

from benchmarks.client import Server, ask
from cypherd.errors import StoreError
from cypherd.generator import generate_social_network
from cypherd.settings import GIB, MIB
from cypherd.storage.lmdb.copying import back_up, compact_store
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import open_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store"
    generate_social_network(path, persons=300, map_size=GIB)
    return path


def sound(path: Path) -> tuple[int, int]:
    opened = open_store(path, map_size=GIB, readonly=True)
    report = opened.check()
    opened.close()
    assert report.findings == ()
    return report.nodes, report.relationships


@pytest.mark.parametrize("compact", [False, True])
def test_backup_is_the_same_graph(store: Path, tmp_path: Path, compact: bool) -> None:
    steps: list[tuple[str, int, int]] = []
    report = back_up(
        store, tmp_path / "copy", map_size=GIB, compact=compact,
        progress=lambda *step: steps.append(step),
    )  # fmt: skip
    assert sound(tmp_path / "copy") == sound(store)
    assert report.after == (tmp_path / "copy" / "data.mdb").stat().st_size
    assert steps
    assert sorted(path.name for path in (tmp_path / "copy").iterdir())[0] == "data.mdb"


def test_a_backup_replaces_nothing(store: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds a store already"):
        back_up(store, store, map_size=GIB)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    with pytest.raises(StoreError, match="is not empty"):
        back_up(store, tmp_path / "full", map_size=GIB)
    with pytest.raises(StoreError, match="no store folder"):
        back_up(tmp_path / "nowhere", tmp_path / "copy", map_size=GIB)


def test_backup_under_writes_has_what_was_acknowledged(store: Path, tmp_path: Path) -> None:
    with Server(store, settings={"map_size": "1GiB", "workers": 2}) as server:
        stop = threading.Event()
        acknowledged: list[int] = []

        def write() -> None:
            number = 0
            while not stop.is_set():
                answer = ask(server.port, "CREATE (:Written {number: $n})", {"n": number})
                assert answer.status == 200
                acknowledged.append(number)
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for round_ in range(3):
                while len(acknowledged) < 50 * (round_ + 1):
                    stop.wait(0.005)
                before = len(acknowledged)
                copy = tmp_path / f"copy-{round_}"
                # As the command does it: in a process of its own.
                process = multiprocessing.get_context("spawn").Process(
                    target=back_up, args=(store, copy), kwargs={"map_size": GIB}
                )
                process.start()
                process.join(60)
                assert process.exitcode == 0
                sound(copy)
                assert _numbers(copy).issuperset(acknowledged[:before])
        finally:
            stop.set()
            writer.join()


def _numbers(path: Path) -> set[int]:
    opened = open_store(path, map_size=GIB, readonly=True)
    with opened.read() as transaction:
        label = transaction.schema.label_id("Written")
        key = transaction.schema.property_id("number")
        assert key is not None
        found: set[int] = set()
        for ids in transaction.scan_nodes(label, 1000):
            found.update(transaction.node_properties(ids, [key])[0])
    opened.close()
    return found


def test_compaction_gives_room_back(store: Path) -> None:
    opened = open_store(store, map_size=GIB, create=True)
    with opened.write() as transaction:
        key = transaction.property_token("text")
        nodes = transaction.create_nodes([()] * 5000, [{key: "x" * 1000}] * 5000)
        transaction.commit()
    with opened.write() as transaction:
        transaction.delete_nodes(nodes)
        transaction.commit()
    opened.close()
    before = sound(store)
    report = compact_store(store, map_size=GIB)
    assert sound(store) == before
    assert report.after < report.before - 4 * MIB


def test_compaction_leaves_a_store_in_use_alone(store: Path) -> None:
    with StoreLock(store), pytest.raises(StoreError, match="is in use"):
        compact_store(store, map_size=GIB)
    sound(store)
