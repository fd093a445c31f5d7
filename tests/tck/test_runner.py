"""The runner itself: a scenario with one wrong expectation must fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from cypherd.engine import Engine
from cypherd.errors import CypherdError
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from tests.tck.runner import ScenarioFailed, ScenarioRun
from tests.tck.scenarios import Scenario, Step, Table

ANY_ORDER = "the result should be, in any order:"
IN_ORDER = "the result should be, in order:"
ANY_LISTS = "the result should be (ignoring element order for lists):"
EFFECTS = "the side effects should be:"
UNDEFINED = "a SyntaxError should be raised at compile time: UndefinedVariable"
UNWIND = "UNWIND [1, 2] AS x RETURN x, [x, 0] AS l"
RENAME = "MATCH (n:A) SET n.p = 2, n:B RETURN n.p AS p"

Case = tuple[str, str, Table]

RIGHT: list[Case] = [
    (UNWIND, ANY_ORDER, (("x", "l"), ("2", "[2, 0]"), ("1", "[1, 0]"))),
    (UNWIND, IN_ORDER, (("l", "x"), ("[1, 0]", "1"), ("[2, 0]", "2"))),
    (UNWIND, ANY_LISTS, (("x", "l"), ("2", "[0, 2]"), ("1", "[0, 1]"))),
    (RENAME, EFFECTS, (("+properties", "1"), ("-properties", "1"), ("+labels", "1"))),
    ("CREATE (a)-[:T {q: 1}]->()", EFFECTS, (("+nodes", "2"), ("+relationships", "1"),
                                             ("+properties", "1"))),
    ("MATCH (n:A) DELETE n", EFFECTS, (("-nodes", "1"), ("-properties", "1"), ("-labels", "1"))),
    ("MATCH (n:Absent) RETURN n", "the result should be empty", ()),
    ("RETURN x", UNDEFINED, ()),
    ("MATCH (n) RETURN n", "no side effects", ()),
]  # fmt: skip

WRONG: list[Case] = [
    (UNWIND, ANY_ORDER, (("x", "l"), ("2", "[2, 0]"))),
    (UNWIND, ANY_ORDER, (("x", "l"), ("2", "[2, 0]"), ("2", "[2, 0]"))),
    (UNWIND, ANY_ORDER, (("x", "l"), ("2", "[0, 2]"), ("1", "[1, 0]"))),
    (UNWIND, ANY_ORDER, (("y", "l"), ("2", "[2, 0]"), ("1", "[1, 0]"))),
    (UNWIND, IN_ORDER, (("x", "l"), ("2", "[2, 0]"), ("1", "[1, 0]"))),
    (RENAME, EFFECTS, (("+properties", "1"), ("-properties", "1"))),
    (RENAME, "no side effects", ()),
    (UNWIND, "the result should be empty", ()),
    ("RETURN 1", UNDEFINED, ()),
    ("RETURN foo(1)", UNDEFINED, ()),
    ("RETURN x", "a SyntaxError should be raised at runtime: UndefinedVariable", ()),
    ("RETURN x", ANY_ORDER, (("x",), ("1",))),
    ("RETURN 1", "the result should be magic", ()),
]


def _scenario(query: str, expectation: str, table: Table) -> Scenario:
    steps = (
        Step("any graph", None, ()),
        Step("having executed:", "CREATE (:A {p: 1})", ()),
        Step("executing query:", query, ()),
        Step(expectation, None, table),
    )
    return Scenario("made-up", "made-up", steps)


def _run(case: Case, folder: Path) -> None:
    store = open_store(folder / "store", map_size=64 * MIB, create=True)
    try:
        ScenarioRun(store, Engine(Settings()), folder).run(_scenario(*case))
    finally:
        store.close()


@pytest.mark.parametrize("case", RIGHT)
def test_right(case: Case, tmp_path: Path) -> None:
    _run(case, tmp_path)


@pytest.mark.parametrize("case", WRONG)
def test_wrong(case: Case, tmp_path: Path) -> None:
    with pytest.raises((ScenarioFailed, CypherdError)):
        _run(case, tmp_path)
