"""The LDBC graph, imported once, and a way to ask it in process and over HTTP."""

from __future__ import annotations

import re
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
from cypherd.storage.protocols import GraphStore, WriteTransaction

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


@pytest.fixture(scope="session")
def ldbc_indexed(ldbc: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    """A store with the indexes and constraints that the benchmark's own script asks for."""
    path = tmp_path_factory.mktemp("ldbc-indexed") / "store"
    import_folder(ldbc, path, map_size=MAP_SIZE)
    store = open_store(path, map_size=MAP_SIZE)
    with store.write() as transaction:
        index_by_script(transaction, (ldbc / "indices.cypher").read_text(encoding="utf-8"))
        transaction.commit()
    yield store
    store.close()


def index_by_script(transaction: WriteTransaction, script: str) -> None:
    """Every index and constraint of the script that the import did not make already."""
    held = {
        (index.owner, index.properties)
        for index in transaction.schema.indexes
        if index.kind == "node"
    }
    for statement in filter(None, map(str.strip, script.split(";"))):
        label, key = (
            re.search(r":(\w+)", statement),
            re.search(r"\w+\.(\w+)|:\w+\((\w+)\)", statement),
        )
        assert label, statement
        assert key, statement
        token = transaction.label_token(label[1])
        keys = (transaction.property_token(key[1] or key[2]),)
        if (token, keys) in held:
            continue
        if "CONSTRAINT" in statement:
            name = f"{label[1]}_{key[1]}"
            transaction.create_constraint(name, "uniqueness", "node", token, keys)
        else:
            transaction.create_index(None, "node", token, keys)
