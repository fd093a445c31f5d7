"""EXPLAIN and PROFILE as a result whose rows are the plan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.engine import Engine, Result
from cypherd.errors import CypherArithmeticError
from cypherd.executor.context import Unguarded
from cypherd.planner.explain import PLAN_COLUMNS
from cypherd.render.plans import plan_as_rows
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import WriteTransaction


@pytest.fixture
def transaction(tmp_path: Path) -> Iterator[WriteTransaction]:
    store = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    writing = store.write()
    yield writing
    writing.abort()
    store.close()


def run(text: str, transaction: WriteTransaction) -> Result:
    engine = Engine(Settings())
    return engine.run(engine.plan(text, transaction), {}, transaction, Unguarded())


def rows(result: Result) -> list[dict[str, Any]]:
    found = []
    for batch in result.batches:
        columns = [batch.columns[name].to_list() for name in result.columns]
        found += [dict(zip(result.columns, row, strict=True)) for row in zip(*columns, strict=True)]
    return found


def test_a_plain_query_stays_as_it_is(transaction: WriteTransaction) -> None:
    result = run("RETURN 1 AS x", transaction)
    assert plan_as_rows(result) is result


def test_explain(transaction: WriteTransaction) -> None:
    result = plan_as_rows(run("EXPLAIN CREATE (n:A) RETURN n", transaction))
    assert result.columns == PLAN_COLUMNS
    assert [row["operator"] for row in rows(result)] == ["ProduceResults", "Create", "Argument"]
    assert not result.stats.to_dict()


def test_profile_runs_to_its_end_first(transaction: WriteTransaction) -> None:
    text = "PROFILE UNWIND range(1, 5000) AS x CREATE (n:A) RETURN n"
    result = plan_as_rows(run(text, transaction))
    by_name = {row["operator"]: row for row in rows(result)}
    assert by_name["Create"]["rows"] == by_name["ProduceResults"]["rows"] == 5000
    assert by_name["Create"]["storeHits"] >= 5000
    assert result.stats.nodes_created == 5000


def test_an_error_comes_through(transaction: WriteTransaction) -> None:
    with pytest.raises(CypherArithmeticError):
        rows(plan_as_rows(run("PROFILE RETURN 1 / 0", transaction)))
