"""A new store of its own for every test. The contract tests know only the protocols, so that
another store can be put in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore

MAP_SIZE = 1 << 30
Ids = Callable[..., IntArray]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = open_store(tmp_path / "graph", map_size=MAP_SIZE, max_readers=16, create=True)
    yield opened
    opened.close()


@pytest.fixture
def ids() -> Ids:
    """ids(1, 2) is an int64 array."""
    return lambda *numbers: np.array(numbers, dtype=np.int64)
