"""What the binder says can be shown, and what the executor gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cypherd.binder.showing import SHOWN
from cypherd.engine import Engine
from cypherd.executor.context import ExecutionContext, Unguarded
from cypherd.executor.operators.show import ROWS
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import WriteTransaction

SCHEMA = (
    "CREATE INDEX `a``b` FOR (n:`a label`) ON (n.`x y`, n.z)",
    "CREATE INDEX c FOR ()-[r:`T``T`]-() ON (r.w)",
    "CREATE CONSTRAINT d FOR (n:D) REQUIRE n.x IS UNIQUE",
    "CREATE CONSTRAINT e FOR (n:`D```) REQUIRE n.`x``` IS NOT NULL",
    "CREATE CONSTRAINT f FOR ()-[r:F]-() REQUIRE (r.x, r.y) IS RELATIONSHIP KEY",
)


@pytest.fixture
def write(tmp_path: Path) -> Iterator[WriteTransaction]:
    store = open_store(tmp_path, map_size=64 * MIB, create=True)
    with store.write() as transaction:
        for statement in SCHEMA:
            run(transaction, statement)
        yield transaction
    store.close()


def run(transaction: WriteTransaction, text: str) -> list[list[Any]]:
    engine = Engine(Settings())
    result = engine.run(engine.plan(text, transaction), {}, transaction, Unguarded())
    rows: list[list[Any]] = []
    for batch in result.batches:
        columns = [batch.columns[name].to_list() for name in result.columns]
        rows.extend(map(list, zip(*columns, strict=True)))
    return rows


@pytest.mark.parametrize("what", SHOWN)
def test_rows_have_the_columns_of_the_table(write: WriteTransaction, what: str) -> None:
    rows = ROWS[what](ExecutionContext(write, {}, Unguarded()))
    assert rows
    for row in rows:
        assert set(row) == {*SHOWN[what].columns, *SHOWN[what].more}


def test_both_tables_know_the_same() -> None:
    assert set(ROWS) == set(SHOWN)


def test_kinds_select_by_a_column_that_is_there() -> None:
    for shown in SHOWN.values():
        assert not shown.kinds or shown.selects_by in {*shown.columns, *shown.more}


def test_create_statements_make_the_same_again(write: WriteTransaction) -> None:
    shown = {}
    for what, command in (("INDEXES", "INDEX"), ("CONSTRAINTS", "CONSTRAINT")):
        owned = " WHERE owningConstraint IS NULL" if what == "INDEXES" else ""
        shown[command] = run(write, f"SHOW {what} YIELD *{owned} RETURN name, createStatement")
    assert len(shown["INDEX"]) == 2
    assert len(shown["CONSTRAINT"]) == 3
    before = run(write, "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties")
    for command, rows in shown.items():
        for name, statement in rows:
            run(write, f"DROP {command} `{name.replace('`', '``')}`")
            run(write, statement)
    assert run(write, "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties") == before
    again = run(write, "SHOW INDEXES YIELD * WHERE owningConstraint IS NULL RETURN name")
    assert sorted(again) == [["a`b"], ["c"]]
