"""Copies of a store: a backup while it is in use, and a compaction while it is not.

LMDB copies one snapshot: what was committed before the copy began is in it, what comes later is
not, and writers go on meanwhile. A copy is written under another name, synced and renamed, so a
copy that was interrupted is never taken for a store.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import lmdb

from cypherd.errors import StoreError
from cypherd.settings import TIB
from cypherd.storage.lmdb.failures import opening
from cypherd.storage.lmdb.layout import TABLES, open_tables
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import DATA_FILE, open_store

Progress = Callable[[str, int, int], None]
"""Called with "bytes" or the table that is copied, how much of it is, and of how much."""

_LOOK = 0.25
_PIECE = 50_000


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Bytes of the file that was copied, and of the copy."""

    before: int
    after: int


def back_up(
    store: Path,
    destination: Path,
    *,
    map_size: int = 1 * TIB,
    compact: bool = False,
    progress: Progress | None = None,
) -> CopyReport:
    """Copy a store that may be in use into the folder `destination`, which must not hold one.
    With `compact`, what deletions left free is not copied; that takes longer.

    Raises StoreError, StorageFull."""
    destination = Path(destination)
    if (destination / DATA_FILE).exists():
        raise StoreError(f"{destination} holds a store already")
    if destination.exists() and any(destination.iterdir()):
        raise StoreError(f"{destination} is not empty")
    with opening(destination):
        destination.mkdir(parents=True, exist_ok=True)
    before = (Path(store) / DATA_FILE).stat().st_size if Path(store).is_dir() else 0
    unfinished = destination / ".unfinished"
    try:
        _copy(Path(store), unfinished, map_size, compact, progress)
        (unfinished / DATA_FILE).rename(destination / DATA_FILE)
        _sync_folder(destination)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return CopyReport(before, (destination / DATA_FILE).stat().st_size)


def compact_store(
    store: Path, *, map_size: int = 1 * TIB, progress: Progress | None = None
) -> CopyReport:
    """Write the store anew without its free pages, in place. Nobody may use it meanwhile, and
    the disk must have room for both. Raises StoreError, StorageFull."""
    store = Path(store)
    unfinished = store / ".compacting"
    with StoreLock(store):
        before = (store / DATA_FILE).stat().st_size if (store / DATA_FILE).exists() else 0
        try:
            _copy(store, unfinished, map_size, True, progress)
            (unfinished / DATA_FILE).replace(store / DATA_FILE)
            _sync_folder(store)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        return CopyReport(before, (store / DATA_FILE).stat().st_size)


def _copy(
    store: Path, folder: Path, map_size: int, compact: bool, progress: Progress | None
) -> None:
    # Says what is wrong with a folder that is no store, or one of another format.
    open_store(store, map_size=map_size, readonly=True).close()
    shutil.rmtree(folder, ignore_errors=True)
    with opening(folder):
        folder.mkdir()
        env = lmdb.open(
            str(store), map_size=map_size, readonly=True, create=False, max_dbs=len(TABLES)
        )
        try:
            if compact:
                _rewrite(env, folder, map_size, progress)
            else:
                with _watched(folder / DATA_FILE, (store / DATA_FILE).stat().st_size, progress):
                    env.copy(str(folder))
        finally:
            env.close()
        with (folder / DATA_FILE).open("rb+") as file:
            os.fsync(file.fileno())


def _rewrite(
    source: lmdb.Environment, folder: Path, map_size: int, progress: Progress | None
) -> None:
    """Every table in the order of its keys, so that each page is full.

    LMDB's own compacting copy is not used: up to 0.9.36 it crashes on a table of fixed-size
    duplicates (as `out` is) once one key has more of them than fit a page."""
    made = lmdb.open(
        str(folder), map_size=map_size, max_dbs=len(TABLES), sync=False, metasync=False
    )
    try:
        old, new = open_tables(source, create=False), open_tables(made, create=True)
        with source.begin() as reading:
            for name, (table, copy) in zip(TABLES, zip(old, new, strict=True), strict=True):
                total = reading.stat(table)["entries"]
                _rewrite_table(name, reading.cursor(db=table), total, made, copy, progress)
        made.sync(True)
    finally:
        made.close()


def _rewrite_table(
    name: str,
    entries: Any,
    total: int,
    made: lmdb.Environment,
    copy: Any,
    progress: Progress | None,
) -> None:
    """A commit every so many entries bounds the pages that a transaction holds."""
    done = 0
    walk = iter(entries)
    while piece := list(islice(walk, _PIECE)):
        with made.begin(write=True) as writing:
            writing.cursor(db=copy).putmulti(piece, append=True)
        done += len(piece)
        if progress is not None:
            progress(name, done, total)


@contextmanager
def _watched(file: Path, total: int, progress: Progress | None) -> Iterator[None]:
    """Tell how long the file has become, while LMDB writes it in one call."""
    if progress is None:
        yield
        return
    done = threading.Event()

    def follow() -> None:
        while not done.wait(_LOOK):
            size = file.stat().st_size if file.exists() else 0
            progress("bytes", min(size, total), total)

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    try:
        yield
    finally:
        done.set()
        follower.join()
        progress("bytes", total, total)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
