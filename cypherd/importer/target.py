"""Where an import goes: a new store is made beside its place and renamed at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cypherd.errors import StoreError
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import DATA_FILE


@contextmanager
def target_of(path: Path) -> Iterator[Path]:
    """The folder to load into, locked. Raises StoreError for what is no store or in use."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        if not (path / DATA_FILE).exists():
            raise StoreError(f"{path} is there already and is not a cypherd store")
        with StoreLock(path):
            yield path
        return
    path = path.absolute()
    _remove_abandoned(path)
    making = path.parent / f"{_making_prefix(path)}{os.getpid()}"
    try:
        making.mkdir(parents=True)
        with StoreLock(making):
            yield making
            making.rename(path)
    except OSError as error:
        raise StoreError(f"cannot make the store {path}: {error}") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    _sync_folder(path.parent)


def _making_prefix(path: Path) -> str:
    return f".{path.name}.importing-"


def _remove_abandoned(path: Path) -> None:
    """Folders of imports that were killed: nobody holds their lock."""
    for left in path.parent.glob(f"{_making_prefix(path)}*"):
        try:
            with StoreLock(left):
                shutil.rmtree(left, ignore_errors=True)
        except StoreError:
            continue


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
