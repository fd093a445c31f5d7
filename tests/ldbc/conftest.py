"""The LDBC graph, imported once, and a way to ask it in process and over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server
from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.importer import import_folder
from cypherd.settings import GIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore

MAP_SIZE = 4 * GIB
Ask = Callable[..., list[list[Any]]]


def asking(store: GraphStore) -> Ask:
    """A function (text, parameters) -> rows, in this process."""
    engine = Engine(Settings())

    def ask(text: str, parameters: Mapping[str, Any] | None = None) -> list[list[Any]]:
        with store.read() as transaction:
            plan = engine.plan(text, transaction)
            result = engine.run(plan, parameters or {}, transaction, Unguarded())
            rows: list[list[Any]] = []
            for batch in result.batches:
                columns = [batch.columns[name].to_list() for name in result.columns]
                rows.extend(map(list, zip(*columns, strict=True)))
            return rows

    return ask


@pytest.fixture(scope="session")
def ldbc(shared: Path) -> Path:
    return shared / "data" / "ldbc-snb-sf0.003"


@pytest.fixture(scope="session")
def ldbc_store(ldbc: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ldbc") / "store"
    import_folder(ldbc, path, map_size=MAP_SIZE)
    return path


@pytest.fixture(scope="session")
def ldbc_ask(ldbc_store: Path) -> Iterator[Ask]:
    store = open_store(ldbc_store, map_size=MAP_SIZE)
    yield asking(store)
    store.close()


@pytest.fixture(scope="session")
def ldbc_port(ldbc: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server on a store of its own: the one above is locked by this process."""
    path = tmp_path_factory.mktemp("ldbc-server") / "store"
    import_folder(ldbc, path, map_size=MAP_SIZE)
    with Server(path) as server:
        yield server.port
