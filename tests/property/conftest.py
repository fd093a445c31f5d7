"""An empty store for tests that fill it in a transaction and abort that."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore


@pytest.fixture(scope="session")
def empty_store() -> Iterator[GraphStore]:
    with tempfile.TemporaryDirectory() as folder:
        opened = open_store(Path(folder) / "store", map_size=64 * MIB, create=True)
        yield opened
        opened.close()
