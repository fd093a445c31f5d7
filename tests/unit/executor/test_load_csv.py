"""LOAD CSV: which files may be read, batches, limits."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.engine import Engine
from cypherd.errors import CypherTypeError, ExternalResourceFailed, MemoryLimitExceeded
from cypherd.executor.context import Unguarded
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "files"
    (made / "sub").mkdir(parents=True)
    (made / "a.csv").write_text("x,y\n1,2\n3,\n")
    (made / "sub" / "with space.csv").write_bytes(b"\xef\xbb\xbfx;y\r\n1;2\r\n")
    (made / "a.csv.gz").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    (tmp_path / "outside.csv").write_text("secret")
    (made / "link.csv").symlink_to(tmp_path / "outside.csv")
    (made / "inner.csv").symlink_to(made / "a.csv")
    os.mkfifo(made / "pipe.csv")
    (made / "latin.csv").write_bytes(b"a\xff")
    (made / "broken.csv.gz").write_bytes(gzip.compress(b"x\n" * 1000)[:-20])
    (made / "empty.csv").touch()
    return made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    yield opened
    opened.close()


def rows(
    store: GraphStore, query: str, folder: Path | str, guard: Any = None, **more: Any
) -> list[list[Any]]:
    engine = Engine(Settings(import_folder=str(folder)))
    with store.read() as transaction:
        plan = engine.plan(query, transaction)
        result = engine.run(plan, more, transaction, guard or Unguarded(), batch_size=2)
        found: list[list[Any]] = []
        for batch in result.batches:
            columns = [batch.columns[name].to_list() for name in result.columns]
            found += map(list, zip(*columns, strict=True))
        return found


def test_lists_and_maps(store: GraphStore, folder: Path) -> None:
    query = "LOAD CSV FROM 'file:///a.csv' AS r RETURN r, linenumber() AS n, file() AS f"
    assert rows(store, query, folder) == [
        [["x", "y"], 1, "/a.csv"], [["1", "2"], 2, "/a.csv"], [["3", None], 3, "/a.csv"],
    ]  # fmt: skip
    query = "LOAD CSV WITH HEADERS FROM 'a.csv' AS r RETURN r, linenumber() AS n"
    assert rows(store, query, folder) == [[{"x": "1", "y": "2"}, 2], [{"x": "3", "y": None}, 3]]


def test_names_of_files(store: GraphStore, folder: Path) -> None:
    names = ["a.csv", "/a.csv", "file:a.csv", "file:///a.csv.gz", "sub/../a.csv", "inner.csv"]
    query = "UNWIND $names AS name LOAD CSV WITH HEADERS FROM name AS r RETURN name, min(r.x) AS x"
    assert rows(store, query, folder, names=names) == [[name, "1"] for name in names]
    query = (
        "LOAD CSV WITH HEADERS FROM 'file:///sub/with%20space.csv' AS r FIELDTERMINATOR ';' "
        "RETURN r.x, r.y"
    )
    assert rows(store, query, folder) == [["1", "2"]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../outside.csv", "not below the folder of the setting import_folder"),
        ("file:///../outside.csv", "not below the folder"),
        ("file:///%2e%2e/outside.csv", "not below the folder"),
        ("sub/../../outside.csv", "not below the folder"),
        ("link.csv", "not below the folder"),
        ("/etc/passwd", "No such file"),
        ("pipe.csv", "is no file"),
        ("sub", "is no file"),
        ("", "is no file"),
        ("nothing.csv", "No such file"),
        ("a\0b", "no file name"),
        ("x" * 5000, "cannot be read"),
        ("http://127.0.0.1/a.csv", "nothing from the network"),
        ("HTTPS://127.0.0.1/a.csv", "nothing from the network"),
        ("ftp://127.0.0.1/a.csv", "nothing from the network"),
        ("file://host/a.csv", "names another machine"),
        ("latin.csv", "is not UTF-8"),
        ("broken.csv.gz", "cannot be read"),
    ],
)
def test_what_cannot_be_read(store: GraphStore, folder: Path, name: str, message: str) -> None:
    with pytest.raises(ExternalResourceFailed, match=message) as raised:
        rows(store, "LOAD CSV FROM $name AS r RETURN r", folder, name=name)
    assert raised.value.offset == 14


def test_without_the_setting_nothing_is_read(store: GraphStore) -> None:
    with pytest.raises(ExternalResourceFailed, match="import_folder"):
        rows(store, "LOAD CSV FROM 'a.csv' AS r RETURN r", "")


@pytest.mark.parametrize("name", [None, 1, ["a.csv"]])
def test_what_is_no_name(store: GraphStore, folder: Path, name: Any) -> None:
    with pytest.raises(CypherTypeError, match="takes the name of a file"):
        rows(store, "LOAD CSV FROM $name AS r RETURN r", folder, name=name)


def test_an_empty_file_has_no_rows(store: GraphStore, folder: Path) -> None:
    for headers in ("", "WITH HEADERS "):
        query = f"LOAD CSV {headers}FROM 'empty.csv' AS r RETURN r"
        assert rows(store, query, folder) == []


def test_a_line_without_an_end_meets_the_memory_limit(store: GraphStore, folder: Path) -> None:
    class Limited(Unguarded):
        left = 4 * MIB

        def hold(self, nbytes: int) -> None:
            self.left -= nbytes
            if self.left < 0:
                raise MemoryLimitExceeded("query_memory")

    (folder / "long.csv").write_bytes(b"x" * (16 * MIB))
    with pytest.raises(MemoryLimitExceeded):
        rows(store, "LOAD CSV FROM 'long.csv' AS r RETURN size(r)", folder, Limited())
    (folder / "open.csv").write_bytes(b'"' + b"x\n" * (8 * MIB))
    with pytest.raises(MemoryLimitExceeded):
        rows(store, "LOAD CSV FROM 'open.csv' AS r RETURN size(r)", folder, Limited())
