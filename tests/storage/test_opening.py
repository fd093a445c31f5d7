"""Opening what is no store, or not one that can be opened: a clear error each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from cypherd.errors import StoreError
from cypherd.storage.lmdb import layout
from cypherd.storage.lmdb.store import LmdbStore, open_store
from cypherd.storage.lmdb.wholeness import require_whole

MAP_SIZE = 1 << 28


def opened(path: Path, *, create: bool = False) -> LmdbStore:
    return open_store(path, map_size=MAP_SIZE, max_readers=8, create=create)


def new_store(path: Path) -> None:
    opened(path, create=True).close()


def with_format(version: bytes | None) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        new_store(path)
        env = lmdb.open(str(path), map_size=MAP_SIZE, max_dbs=20)
        meta = env.open_db(b"meta", create=False)
        with env.begin(write=True) as txn:
            if version is None:
                txn.delete(layout.META_NAME, db=meta)
            else:
                txn.put(layout.META_FORMAT, version, db=meta)
        env.close()

    return make


def other_lmdb(path: Path) -> None:
    env = lmdb.open(str(path))
    with env.begin(write=True) as txn:
        txn.put(b"a", b"b")
    env.close()


def garbage(path: Path) -> None:
    path.mkdir()
    (path / "data.mdb").write_bytes(b"no store" * 4096)


def cut_short(path: Path) -> None:
    new_store(path)
    os.truncate(path / "data.mdb", 5000)


def cut_at_the_end(path: Path) -> None:
    store = opened(path, create=True)
    with store.write() as write:
        p = write.property_token("p")
        write.create_nodes([()] * 1000, [{p: "x" * 1000}] * 1000)
        write.commit()
    store.close()
    os.truncate(path / "data.mdb", (path / "data.mdb").stat().st_size - 8192)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "there is no store folder"),
        (lambda path: path.write_text("x"), "not a folder"),
        (lambda path: path.mkdir(), "not a cypherd store"),
        (other_lmdb, "not a cypherd store"),
        (garbage, "not a cypherd store, or it is damaged"),
        (cut_short, "damaged"),
        (cut_at_the_end, "is damaged: its file has"),
        (with_format(None), "not a cypherd store"),
        (with_format(layout.pack_big(99)), "format 99, newer than format 1"),
        (with_format(layout.pack_big(0)), "format 0, older than format 1"),
    ],
    ids=[
        "missing",
        "file",
        "empty",
        "other LMDB",
        "garbage",
        "cut",
        "tail cut",
        "no name",
        "newer",
        "older",
    ],
)
def test_what_cannot_be_opened(
    tmp_path: Path, make: Callable[[Path], object], message: str
) -> None:
    path = tmp_path / "graph"
    make(path)
    with pytest.raises(StoreError, match=message) as caught:
        opened(path)
    assert str(path) in caught.value.message


def test_a_file_is_made_longer_when_nothing_of_it_is_missing(tmp_path: Path) -> None:
    """Pages at the end that are not in use need not be there: what is read decides."""
    path = tmp_path / "graph"
    new_store(path)
    data = path / "data.mdb"
    length = data.stat().st_size
    require_whole(path, data, lambda: pytest.fail("the file is whole"))
    os.truncate(data, length - 4096)
    require_whole(path, data, lambda: None)
    assert data.stat().st_size == length


def test_a_folder_of_other_files_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(StoreError, match=r"holds other files \(letter.txt\)"):
        opened(tmp_path, create=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("create", [True, False])
def test_an_unwritable_folder(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "graph"
    path.mkdir()
    if not create:
        shutil.rmtree(path)
        new_store(path)
    path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="not writable"):
            opened(path, create=create)
    finally:
        path.chmod(0o700)


def test_a_store_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "graph"
    store = opened(path, create=True)
    with store.write() as write:
        write.create_nodes([()], [{}])
        write.commit()
    store.close()
    again = opened(path, create=True)
    with again.read() as read:
        assert read.counts.nodes() == 1
    again.close()
    assert {entry.name for entry in path.iterdir()} <= {"data.mdb", "lock.mdb"}


def test_a_store_opened_for_reading_refuses_to_write(tmp_path: Path) -> None:
    new_store(tmp_path / "graph")
    store = open_store(tmp_path / "graph", map_size=MAP_SIZE, max_readers=8, readonly=True)
    with pytest.raises(StoreError, match="reading only"):
        store.write()
    store.close()
