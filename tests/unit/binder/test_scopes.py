"""Bound names, types and columns of queries that are right."""

from __future__ import annotations

import pytest

from cypherd.binder.binder import bind_statement
from cypherd.binder.expressions import BoundExpression, Constant, ListOf, Property, Variable
from cypherd.binder.query import (
    BoundMatch,
    BoundProjection,
    BoundStart,
    BoundStatement,
    PropertyChange,
)
from cypherd.parser import ast
from cypherd.parser.parser import parse
from cypherd.values.types import CypherType as T

_BO = Constant("Bo", type=T.STRING)


def bound(query: str) -> BoundStatement:
    body = parse(query).body
    assert isinstance(body, ast.Query)
    return bind_statement(body)


def columns(query: str) -> tuple[tuple[str, str], ...]:
    return bound(query).query.parts[0].columns


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("RETURN 1", (("1", "1"),)),
        ("MATCH (n) RETURN n.name", (("n.name", "n.name"),)),
        ("MATCH (n) RETURN n AS m", (("m", "m"),)),
        ("MATCH (n) WITH n.x AS n RETURN n", (("n", "n@2"),)),
        ("WITH 1 AS b, 2 AS a RETURN *", (("a", "a"), ("b", "b"))),
        ("MATCH (b)-->(), (a) RETURN *", (("a", "a"), ("b", "b"))),
        ("RETURN [x IN [1] | x] AS x", (("x", "x@2"),)),
    ],
)
def test_columns(query: str, expected: tuple[tuple[str, str], ...]) -> None:
    assert columns(query) == expected


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("1 + 2", T.INTEGER),
        ("1 + 2.0", T.FLOAT),
        ("2 ^ 2", T.FLOAT),
        ("'a' + 1", T.STRING),
        ("[1] + 2", T.LIST),
        ("1 < 2", T.BOOLEAN),
        ("null", T.NULL),
        ("$p + 1", T.ANY),
        ("[1, 2][0]", T.INTEGER),
        ("CASE WHEN true THEN 1 ELSE 2.0 END", T.NUMBER),
        ("CASE WHEN true THEN 1 ELSE 'x' END", T.ANY),
        ("count(*)", T.INTEGER),
        ("size([1])", T.INTEGER),
    ],
)
def test_types(expression: str, type_: T) -> None:
    assert bound(f"RETURN {expression} AS v").names.types["v"] is type_


def test_a_variable_that_is_passed_on_keeps_its_name() -> None:
    statement = bound("MATCH (n) WITH n, 1 AS one WITH n RETURN n.x AS x")
    last = statement.query.parts[0].clauses[-1]
    assert isinstance(last, BoundProjection)
    assert last.items == (("x", Property(Variable("n", type=T.NODE), "x")),)


def test_property_maps_become_predicates() -> None:
    match = bound("MATCH (a {x: 1})-[r:T {y: a.x}]->(b:B) RETURN r").query.parts[0].clauses[0]
    assert isinstance(match, BoundMatch)
    assert len(match.graph.predicates) == 2
    assert [node.labels for node in match.graph.nodes] == [(), ("B",)]


def test_a_relationship_to_the_left_is_turned_round() -> None:
    match = bound("MATCH (a)<-[r]-(b) RETURN r").query.parts[0].clauses[0]
    assert isinstance(match, BoundMatch)
    (relationship,) = match.graph.relationships
    assert (relationship.start, relationship.end, relationship.direction) == ("b", "a", "out")


def test_parameters_are_collected() -> None:
    assert bound("MATCH (n {x: $a}) RETURN {b} LIMIT $c").parameters == {"a", "b", "c"}


def test_remove_is_setting_null() -> None:
    clause = bound("MATCH (n) REMOVE n.x").query.parts[0].clauses[1]
    (change,) = clause.changes  # type: ignore[attr-defined]
    assert isinstance(change, PropertyChange)
    assert change.value == Constant(None, type=T.NULL)


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("START p=node:person(name='Bo') RETURN p", _BO),
        ("START p=node:person('name:Bo') RETURN p", ListOf((_BO,), type=T.LIST)),
    ],
)
def test_start_by_an_old_index(query: str, value: BoundExpression) -> None:
    start = bound(query).query.parts[0].clauses[0]
    assert isinstance(start, BoundStart)
    assert (start.index, start.key) == ("person", "name")
    assert start.value == value


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n.x ORDER BY n.x + n.y",
        "MATCH (n) WITH n.x AS x ORDER BY n.y WHERE n.z = 1 RETURN x",
        "MATCH (n) RETURN n.x AS x, count(*) AS c ORDER BY n.x, count(*)",
        "MATCH (n) RETURN DISTINCT n.x ORDER BY n.x",
        "MATCH (n) RETURN n, n.x + count(*)",
        "MATCH (n) RETURN n.x, n.x + count(*) ORDER BY n.x + count(*)",
        "MATCH (n) WHERE NOT (n)-->() RETURN n",
        "MATCH (n) RETURN exists(n.x), exists((n)-->())",
        "MATCH (n) RETURN NOT (n)-->() AS alone",
        "MATCH (a), (b) CREATE (a)-[:T]->(b)-[:T]->(a)",
        "UNWIND [[1]] AS xs UNWIND xs AS x RETURN x",
        "RETURN 1 AS a LIMIT toInteger(1.7)",
    ],
)
def test_accepted(query: str) -> None:
    assert bound(query).query.parts[0].clauses
