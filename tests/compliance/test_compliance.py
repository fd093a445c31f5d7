"""The cases of the openCypher compliance collection: set-up, query, columns and rows.

Rows are compared as a bag, floats to 12 digits. What is known to fail is listed with the reason; a
listed case that passes fails the run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from cypherd.engine import Engine
from cypherd.errors import CypherdError
from cypherd.executor.context import Unguarded
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore
from tests.conftest import SHARED

FOLDER = SHARED / "data" / "opencypher-compliance"
TOTAL = 133
EXPECTED_FAILURES: dict[str, str] = {}
_ENGINE = Engine(Settings())


def _cases() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            name = f"{path.stem}/{case['name']}"
            reason = EXPECTED_FAILURES.get(name)
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            yield pytest.param(case, id=name, marks=marks)


CASES = list(_cases())


@pytest.fixture
def store(shared: Path, tmp_path: Path) -> Iterator[GraphStore]:
    opened = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    yield opened
    opened.close()


def test_the_collection_is_whole(shared: Path) -> None:
    assert len(CASES) == TOTAL
    assert set(EXPECTED_FAILURES) <= {case.id for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any], store: GraphStore) -> None:
    for statement in case.get("setup", ()):
        _run(store, statement)
    if case.get("expect_error"):
        with pytest.raises(CypherdError):
            _run(store, case["query"])
        return
    columns, rows = _run(store, case["query"])
    if "expected_columns" in case:
        assert list(columns) == case["expected_columns"]
    if "expected_rows" in case:
        assert _bag(rows) == _bag(case["expected_rows"])


def _run(store: GraphStore, text: str) -> tuple[Sequence[str], list[list[Any]]]:
    with store.write() as transaction:
        plan = _ENGINE.plan(text, transaction)
        result = _ENGINE.run(plan, {}, transaction, Unguarded())
        rows: list[list[Any]] = []
        for batch in result.batches:
            columns = [batch.columns[name].to_list() for name in result.columns]
            rows.extend(map(list, zip(*columns, strict=True)))
        transaction.commit()
    return result.columns, rows


def _bag(rows: Sequence[Sequence[Any]]) -> list[str]:
    return sorted(repr([_plain(value) for value in row]) for row in rows)


def _plain(value: Any) -> Any:
    """As the files write values: temporal ones by their text, floats rounded."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return float(f"{value:.12g}") if math.isfinite(value) else str(value)
    return str(value)
