"""The LDBC Interactive queries and the LSQB counts against their known answers.

Lists made by collect have no order of their own, and neither have rows of equal weight in
complex 14; both are compared without it. Queries that need more language than there is are
listed, and a listed one that passes fails the run.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.importer import import_folder
from cypherd.storage.lmdb.store import open_store
from tests.ldbc.conftest import MAP_SIZE, Ask, asking

INTERACTIVE = [f"interactive-complex-{i}" for i in range(1, 15)]
INTERACTIVE += [f"interactive-short-{i}" for i in range(1, 8)]
UNORDERED_LISTS = {"interactive-complex-1", "interactive-complex-12"}
UNORDERED_ROWS = {"interactive-complex-14"}
NEEDS_MORE: dict[str, str] = {}
LSQB_NEEDS_MORE: dict[int, str] = {}


def _plain(value: Any, unordered: bool) -> Any:
    if isinstance(value, list | tuple):
        items = [_plain(item, unordered) for item in value]
        return sorted(items, key=repr) if unordered else items
    return value


def _comparable(query: str, rows: list[Any]) -> list[Any]:
    plain = [[_plain(cell, query in UNORDERED_LISTS) for cell in row] for row in rows]
    return sorted(plain, key=repr) if query in UNORDERED_ROWS else plain


def marked(names: list[Any], listed: dict[Any, str]) -> list[Any]:
    return [
        pytest.param(
            name,
            marks=[pytest.mark.xfail(reason=listed[name], strict=True)] if name in listed else [],
        )
        for name in names
    ]


@pytest.mark.parametrize("query", marked(INTERACTIVE, NEEDS_MORE))
def test_interactive(query: str, ldbc: Path, ldbc_ask: Ask) -> None:
    text = (ldbc / "queries" / f"{query}.cypher").read_text(encoding="utf-8")
    known = json.loads((ldbc / "expected.json").read_text(encoding="utf-8"))[query]
    assert known
    for case in known:
        rows = ldbc_ask(text, case["params"])
        assert _comparable(query, rows) == _comparable(query, case["rows"]), case["params"]


@pytest.fixture(scope="module")
def lsqb_ask(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    path = tmp_path_factory.mktemp("lsqb") / "store"
    import_folder(shared / "data" / "lsqb-example" / "csv", path, map_size=MAP_SIZE)
    store = open_store(path, map_size=MAP_SIZE)
    yield asking(store)
    store.close()


@pytest.mark.parametrize("number", marked(list(range(1, 10)), LSQB_NEEDS_MORE))
def test_lsqb(number: int, shared: Path, lsqb_ask: Ask) -> None:
    folder = shared / "data" / "lsqb-example"
    with (folder / "expected-output.csv").open(encoding="utf-8", newline="") as stream:
        counts = {
            int(row[3]): int(row[5])
            for row in csv.reader(stream, delimiter="\t")
            if row and row[2] == "example"
        }
    text = (folder / "queries" / f"q{number}.cypher").read_text(encoding="utf-8")
    assert lsqb_ask(text) == [[counts[number]]]
