"""A constraint that is broken answers 409, and nothing of the statement stays."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.client import ask

RULES = {
    "existence": "CREATE CONSTRAINT FOR (n:Book) REQUIRE n.title IS NOT NULL",
    "key": "CREATE CONSTRAINT FOR (n:Book) REQUIRE n.title IS NODE KEY",
}


@pytest.mark.parametrize("kind", RULES)
def test_a_missing_value_is_a_conflict(serve: Any, kind: str) -> None:
    port = serve().port
    assert ask(port, RULES[kind]).status == 200
    answer = ask(port, "CREATE (:Shelf), (b:Book {year: 2026}) RETURN b.year")
    assert answer.status == 409
    error = answer.error()
    assert error["code"] == "Neo.ClientError.Schema.ConstraintValidationFailed"
    assert error["message"] == "Node(1) with label `Book` must have the property `title`"
    assert ask(port, "MATCH (n) RETURN count(n)").rows() == [[0]]
    assert ask(port, "CREATE (b:Book) SET b.title = 'Graphs' RETURN b.title").rows() == [["Graphs"]]


def test_data_that_break_a_new_constraint_are_a_conflict(serve: Any) -> None:
    port = serve().port
    ask(port, "CREATE (:Book {title: 'Graphs'}), (:Book)")
    answer = ask(port, RULES["existence"])
    assert answer.status == 409
    assert answer.error()["message"].startswith("Node(1) with label `Book`")
    assert ask(port, "SHOW CONSTRAINTS").rows() == []
