"""A new store of its own for every test. The contract tests know only the protocols, so that
another store can be put in here."""

from __future__ import annotations

import subprocess
import sys
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


class Elsewhere:
    """Another process with the store open: py-lmdb keeps one environment a process, forked
    children included, so it has to be a new one."""

    PRELUDE = """
import os, signal, sys
import numpy as np
from pathlib import Path
from cypherd.errors import StorageFull, StoreError
from cypherd.storage.lmdb.store import open_store
signal.alarm(60)
store = open_store(Path(sys.argv[1]), map_size=1 << 30, max_readers=8)
def wait():
    print("ready", flush=True)
    signal.pause()
"""

    def __init__(self, path: Path, code: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", self.PRELUDE + code, str(path)],
            stdout=subprocess.PIPE,
            text=True,
        )

    def until_ready(self) -> Elsewhere:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def result(self) -> str:
        """What it printed; it must have ended well."""
        output, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return output.strip()


@pytest.fixture
def elsewhere() -> Iterator[Callable[[Path, str], Elsewhere]]:
    started: list[Elsewhere] = []

    def start(path: Path, code: str) -> Elsewhere:
        started.append(Elsewhere(path, code))
        return started[-1]

    yield start
    for process in started:
        process.kill()
