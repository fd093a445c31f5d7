"""The reference tables of docs/functions.md and docs/operators.md: every function and operator is
in them, and each example gives what the page says."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import pytest

from cypherd.binder.expressions import Call
from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.functions.operators import FAMILY as OPERATORS
from cypherd.functions.registry import function_names
from cypherd.render.renderer import RenderOptions
from cypherd.render.values import encode_rows, to_json
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import LmdbStore, open_store
from tests.docs.language import reference_rows

ROWS = [*reference_rows("functions.md"), *reference_rows("operators.md")]
_WORD = re.compile(r"\w[\w.]*")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LmdbStore]:
    opened = open_store(tmp_path_factory.mktemp("functions") / "s", map_size=64 * MIB, create=True)
    yield opened
    opened.close()


def test_every_function_is_documented() -> None:
    assert set(function_names()) <= {name for name, _, _ in ROWS}


def test_every_operator_is_in_an_example(store: LmdbStore) -> None:
    """Of those that are calls (binder/expressions.py): by what the examples' plans call."""
    called: set[str] = set()
    with store.read() as transaction:
        for _, example, _ in ROWS:
            plan = Engine(Settings(), rules=()).plan(example, transaction)
            called.update(part.function for part in _calls(plan.root))
    # What `SET n[key] = value` is made of is in the examples of SET.
    called.add("entry")
    assert {function.name for function in OPERATORS.functions} - called == set()


def _calls(value: Any) -> Iterator[Call]:
    if isinstance(value, tuple):
        for item in value:
            yield from _calls(item)
    elif dataclasses.is_dataclass(value):
        if isinstance(value, Call):
            yield value
        for field in dataclasses.fields(value):
            yield from _calls(getattr(value, field.name))


@pytest.mark.parametrize(("name", "example", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_example(store: LmdbStore, name: str, example: str, expected: str) -> None:
    if _WORD.fullmatch(name):
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
