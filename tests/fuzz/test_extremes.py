"""Texts that are far too long, deep or wide: a plan, or an error that names the limit, in a time
that grows with the text and not with its square or worse."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from tests.fuzz.trial import Trial

Make = Callable[[int], str]
SECONDS = 20.0
"""Of processor time; far above what any of them takes, far below what a square would."""


def _chain(operator: str, operand: str = "1") -> Make:
    return lambda n: f"RETURN {operator.join([operand] * n)}"


def _nested(opening: str, inner: str, closing: str) -> Make:
    return lambda n: f"RETURN {opening * n}{inner}{closing * n}"


def _numbered(head: str, part: str, tail: str = "", by: str = ",") -> Make:
    return lambda n: head + by.join(part.replace("#", str(i)) for i in range(n)) + tail


DEEP: dict[str, Make] = {
    "parentheses": _nested("(", "1", ")"),
    "lists": _nested("[", "1", "]"),
    "maps": _nested("{a: ", "1", "}"),
    "NOT": _nested("NOT ", "true", ""),
    "CASE": _nested("CASE WHEN true THEN ", "1", " END"),
    "calls": _nested("abs(", "1", ")"),
    "comprehensions": _nested("[x IN ", "[1]", "]"),
    "subqueries": _nested("EXISTS { MATCH () WHERE ", "true", "}"),
    "+": _chain("+"),
    "^": _chain("^"),
    "IN": _chain(" IN ", "[1]"),
    "IN of parameters": _chain(" IN ", "$list"),
    "properties": lambda n: "RETURN {a: 1}" + ".a" * n,
    "subscripts": lambda n: "RETURN [1]" + "[0]" * n,
    "slices": lambda n: "RETURN [1]" + "[0..]" * n,
    "negated labels": lambda n: f"MATCH (n:{'!' * n}A) RETURN n",
    "CALL": lambda n: "CALL { " * n + "RETURN 1 AS x" + " } RETURN x" * n,
    "CALL that writes": lambda n: "MATCH (m) " + "CALL (m) { " * n + "SET m.x = 1" + " }" * n,
    "FOREACH": lambda n: "FOREACH (x IN [1] | " * n + "CREATE ()" + ")" * n,
}
"""What max_nesting limits."""

LONG: dict[str, Make] = {
    "AND": _chain(" AND ", "true"),
    "OR": _chain(" OR ", "false"),
    "XOR": _chain(" XOR ", "false"),
    "<": _chain("<"),
    "list": _numbered("RETURN size([", "#", "])"),
    "map": _numbered("RETURN {", "k#: #", "}"),
    "columns": _numbered("RETURN ", "# AS c#"),
    "parameters": _numbered("RETURN [", "$p#", "]"),
    "alternatives": lambda n: "RETURN CASE " + "WHEN false THEN 1 " * n + "END",
    "comments": lambda n: "/**/" * n + "RETURN 1",
    "digits": lambda n: "RETURN " + "9" * n,
    "digits behind the point": lambda n: "RETURN 0." + "9" * n,
    "string": lambda n: f"RETURN '{'x' * n}'",
    "escapes": lambda n: "RETURN '" + "\\n" * n + "'",
    "open string": lambda n: "RETURN '" + "\\n" * n,
    "quotes": lambda n: "RETURN " + "'" * (2 * n + 1),
    "name": lambda n: "RETURN 1 AS " + "a" * n,
    "open comments": lambda n: "RETURN 1 " + "/*" * n,
    "dashes": lambda n: "RETURN " + "-" * n + "1",
    "labels": _numbered("MATCH (n:", "A#", ") RETURN n", "|"),
    "joined labels": lambda n: f"MATCH (n:{'&'.join(['A'] * n)}) RETURN n",
    "nodes to create": _numbered("CREATE ", "(:A)"),
    "CREATE": lambda n: "CREATE (:A) " * n,
    "CALL": lambda n: "CALL { CREATE (:A) } " * n,
    "UNION in CALL": lambda n: (
        f"CALL {{ {' UNION ALL '.join(['RETURN 1 AS x'] * n)} }} RETURN sum(x) AS s"
    ),
}


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    store = open_store(
        tmp_path_factory.mktemp("extremes") / "store", map_size=64 * MIB, create=True
    )
    made = Trial(store)
    made.fill()
    yield made
    store.close()


def _checked(trial: Trial, text: str) -> str:
    """The kind of outcome; its message must be fit for a client, its time for a server."""
    began = time.process_time()
    outcome = trial.run(text)
    assert outcome.fault is None, outcome.fault[-2000:]
    assert time.process_time() - began < SECONDS
    return outcome.kind


@pytest.mark.parametrize("name", DEEP)
def test_deep(trial: Trial, name: str) -> None:
    assert _checked(trial, DEEP[name](60)) in ("rows", "CypherTypeError", "DeadlinePassed")
    for depth in (195, 205, 5_000, 20_000):
        _checked(trial, DEEP[name](depth))
    message = trial.message(DEEP[name](5_000))
    assert "max_nesting" in message


@pytest.mark.parametrize("name", LONG)
def test_long(trial: Trial, name: str) -> None:
    for length in (100, 5_000):
        _checked(trial, LONG[name](length))


@pytest.mark.parametrize("name", ["string", "digits", "quotes", "dashes", "open comments"])
def test_a_text_of_a_million_characters(trial: Trial, name: str) -> None:
    _checked(trial, LONG[name](480_000))


def test_a_text_that_is_too_long(trial: Trial) -> None:
    assert "max_query_length" in trial.message(f"RETURN '{'x' * MIB}'")


PATTERNS: dict[str, Make] = {
    "path": lambda n: "MATCH ()" + "-->()" * n + " RETURN 1 LIMIT 1",
    "path that goes back": lambda n: "MATCH (a)" + "-->(b)" * n + " RETURN 1 LIMIT 1",
    "paths": _numbered("MATCH ", "(a#)<--(b#)", " RETURN 1 LIMIT 1"),
    "star": _numbered("MATCH ", "(a)-->(b#)", " RETURN 1 LIMIT 1"),
    "MERGE": lambda n: "MERGE ()" + "-[:T]->()" * n,
    "predicate": lambda n: "MATCH (a) WHERE (a)" + "-->()" * n + " RETURN 1",
    "subquery": lambda n: "RETURN EXISTS { (a:A)" + "-->()" * n + " }",
    "comprehension": lambda n: "MATCH (a) RETURN [(a)" + "-->()" * n + " | 1]",
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(trial: Trial, name: str) -> None:
    for length in (50, 150):
        _checked(trial, PATTERNS[name](length))
    for length in (201, 5_000):
        assert "max_pattern" in trial.message(PATTERNS[name](length))


def test_a_long_pattern_can_be_created(trial: Trial) -> None:
    assert _checked(trial, "CREATE ()" + "-[:T]->()" * 2_000) in ("rows", "DeadlinePassed")


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "WITH 1 AS x " * n + "RETURN x",
        lambda n: "MATCH (n:Nobody) " * n + "RETURN 1",
        lambda n: "MATCH (n) WHERE " + " AND ".join(["n.i <> 1"] * n) + " RETURN n",
        lambda n: " UNION ALL ".join(["RETURN 1 AS x"] * n),
    ],
    ids=["WITH", "MATCH", "conditions", "UNION"],
)
def test_a_plan_that_is_too_deep(trial: Trial, make: Make) -> None:
    assert _checked(trial, make(300)) in ("rows", "DeadlinePassed")
    assert "max_stack" in trial.message(make(5_000))


@pytest.mark.parametrize(
    "number",
    [
        "0x" + "a" * 200 + "g",
        "0x" + "a_" * 100 + "g",
        "0o" + "7" * 200 + "x",
        "-0o" + "1" * 21 + "RETURN",
        "1_" * 100 + "x",
        "1" * 300 + "x",
        "1." + "1_" * 100 + "x",
        "1e" + "1" * 300 + "x",
        "." + "1" * 300 + "_",
    ],
)
def test_digits_with_something_behind(trial: Trial, number: str) -> None:
    """A part of an expression for numbers that could match in two ways tries two to the power of
    the digits."""
    _checked(trial, f"RETURN {number} AS x")
