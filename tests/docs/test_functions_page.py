"""docs/functions.md: every function is in it, and each example gives what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.functions.registry import function_names
from cypherd.render.renderer import RenderOptions
from cypherd.render.values import encode_rows, to_json
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import LmdbStore, open_store

PAGE = Path(__file__).resolve().parents[2] / "docs" / "functions.md"
_ROW = re.compile(r"^\| `(.+?)` \| .*? \| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)
ROWS = [
    (name, example.replace("\\|", "|"), result.replace("\\|", "|"))
    for name, example, result in _ROW.findall(PAGE.read_text(encoding="utf-8"))
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LmdbStore]:
    opened = open_store(tmp_path_factory.mktemp("functions") / "s", map_size=64 * MIB, create=True)
    yield opened
    opened.close()


def test_every_function_is_documented() -> None:
    assert set(function_names()) <= {name for name, _, _ in ROWS}


@pytest.mark.parametrize(("name", "example", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_example(store: LmdbStore, name: str, example: str, expected: str) -> None:
    if name.isalnum():
        assert name in example if name.isupper() else f"{name}(" in example
    engine = Engine(Settings())
    transaction = store.write()
    try:
        plan = engine.plan(example, transaction)
        result = engine.run(plan, {}, transaction, Unguarded())
        rows = [
            row
            for batch in result.batches
            for row in encode_rows(batch, result.columns, RenderOptions())
        ]
    finally:
        transaction.abort()
    assert [to_json(row[0]).decode() for row in rows] == [expected]
