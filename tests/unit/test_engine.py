"""The engine: plans are kept, EXPLAIN does not run, PROFILE counts, errors are located."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.engine import Engine
from cypherd.errors import (
    CypherArithmeticError,
    CypherSyntaxError,
    ParameterMissing,
    RowLimitExceeded,
)
from cypherd.executor.context import Unguarded
from cypherd.executor.expressions.compiler import PATH_CHUNK
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, ReadTransaction


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphStore]:
    path: Path = tmp_path_factory.mktemp("engine")
    opened = open_store(path / "store", map_size=64 * MIB, create=True)
    with opened.write() as transaction:
        engine = Engine(Settings())
        text = "UNWIND range(1, 10) AS i CREATE (:N {i: i})"
        result = engine.run(engine.plan(text, transaction), {}, transaction, Unguarded())
        assert list(result.batches) == []
        transaction.commit()
    yield opened
    opened.close()


@pytest.fixture
def transaction(store: GraphStore) -> Iterator[ReadTransaction]:
    with store.read() as reading:
        yield reading


def _find(description: dict[str, Any] | None, text: str) -> bool:
    return text in str(description)


def test_a_plan_is_kept(transaction: ReadTransaction) -> None:
    engine = Engine(Settings(plan_cache=2))
    first = engine.plan("RETURN 1", transaction)
    assert engine.plan("RETURN 1", transaction) is first
    for number in range(2, 4):
        engine.plan(f"RETURN {number}", transaction)
    assert engine.plan("RETURN 1", transaction) is not first


def test_explain_does_not_run(transaction: ReadTransaction) -> None:
    engine = Engine(Settings())
    plan = engine.plan("EXPLAIN MATCH (n:N) RETURN n.i / 0", transaction)
    result = engine.run(plan, {}, transaction, Unguarded())
    assert list(result.batches) == []
    assert result.columns == ("n.i / 0",)
    assert _find(result.plan_description(), "NodeByLabelScan")


def test_profile_runs_and_counts(transaction: ReadTransaction) -> None:
    engine = Engine(Settings())
    plan = engine.plan("PROFILE MATCH (n:N) WHERE n.i > 3 RETURN n.i", transaction)
    result = engine.run(plan, {}, transaction, Unguarded(), batch_size=4)
    assert sum(batch.length for batch in result.batches) == 7
    assert result.profile is not None
    assert sorted(p.rows for p in result.profile.values())[-1] == 10
    assert any(p.store_hits == 10 for p in result.profile.values())
    assert result.plan_description() is not None


def test_no_description_without_either(transaction: ReadTransaction) -> None:
    engine = Engine(Settings())
    result = engine.run(engine.plan("RETURN 1", transaction), {}, transaction, Unguarded())
    assert result.plan_description() is None
    result.close()
    result.close()


def test_a_missing_parameter(transaction: ReadTransaction) -> None:
    engine = Engine(Settings())
    plan = engine.plan("RETURN $who", transaction)
    with pytest.raises(ParameterMissing, match="who"):
        engine.run(plan, {}, transaction, Unguarded())


def test_errors_of_the_text_are_located(transaction: ReadTransaction) -> None:
    with pytest.raises(CypherSyntaxError) as caught:
        Engine(Settings()).plan("MATCH (n)\nRETURN m", transaction)
    assert (caught.value.line, caught.value.column) == (2, 8)


def test_errors_while_it_runs_are_located(transaction: ReadTransaction) -> None:
    engine = Engine(Settings())
    plan = engine.plan("UNWIND [1, 0] AS x\nRETURN 1 / x", transaction)
    with pytest.raises(CypherArithmeticError) as caught:
        list(engine.run(plan, {}, transaction, Unguarded()).batches)
    assert caught.value.line == 2


def test_the_guard_is_asked_while_paths_are_made(store: GraphStore) -> None:
    """A batch of paths takes some 10 ms; a worker offers its core, and is cancelled, in between."""

    class _Counting(Unguarded):
        checks = 0

        def check(self) -> None:
            self.checks += 1

    engine, guard = Engine(Settings()), _Counting()
    make = """
        UNWIND range(1, 9) AS i CREATE (a:Far) WITH collect(a) AS all
        UNWIND all AS a UNWIND all AS b CREATE (a)-[:TO]->(b)
    """
    count = "MATCH p = (:Far)-[:TO*3]->() RETURN count(p) AS paths"
    each = "MATCH p = (:Far)-[:TO*3]->() RETURN p"
    with store.write() as writing:
        list(engine.run(engine.plan(make, writing), {}, writing, Unguarded()).batches)
        [batch] = engine.run(engine.plan(count, writing), {}, writing, guard).batches
        [paths] = batch.columns["paths"].to_list()
        rows = engine.run(engine.plan(each, writing), {}, writing, Unguarded()).batches
        lengths = [batch.length for batch in rows]
        writing.abort()
    assert paths > 5000
    # For the lists of relationships, for the ends of these, and for the paths made of both.
    assert guard.checks > 3 * paths / PATH_CHUNK
    # Freeing a batch of them is a step of its own.
    assert (sum(lengths), max(lengths)) == (paths, 4 * PATH_CHUNK)


def test_result_rows_are_counted(transaction: ReadTransaction) -> None:
    class _Few(Unguarded):
        left = 5

        def emitted(self, rows: int) -> None:
            self.left -= rows
            if self.left < 0:
                raise RowLimitExceeded("too many rows")

    engine = Engine(Settings())
    plan = engine.plan("MATCH (n:N) RETURN n.i", transaction)
    with pytest.raises(RowLimitExceeded):
        list(engine.run(plan, {}, transaction, _Few(), batch_size=2).batches)
