"""EXPLAIN and PROFILE over HTTP: what runs, what is written, where the plan stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from benchmarks.client import Answer, Server, ask, request
from tests.http.conftest import PERSONS, Serve


@pytest.fixture
def port(serve: Serve) -> int:
    """Of a server on an empty store."""
    return serve().port


def operators(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan["children"]:
        yield from operators(child)


def names(plan: dict[str, Any]) -> list[str]:
    return [operator["operator"] for operator in operators(plan)]


def count(port: int) -> int:
    found: int = ask(port, "MATCH (n) RETURN count(n)").rows()[0][0]
    return found


def end_line(answer: Answer) -> dict[str, Any]:
    lines = [json.loads(line) for line in answer.body.splitlines()]
    end: dict[str, Any] = lines[-1]["end"]
    return end


WRITES = ("CREATE (a:A {x: 1}) RETURN a.x AS x", "MERGE (a:A {x: 1}) RETURN a.x AS x")


@pytest.mark.parametrize("text", WRITES)
def test_explain_of_a_write_writes_nothing(port: int, text: str) -> None:
    for _ in range(3):
        answer = ask(port, f"EXPLAIN {text}")
        assert answer.json()["columns"] == ["x"]
        assert answer.rows() == []
        assert "stats" not in answer.json()
        assert "cypher-stats" not in answer.headers
        plan = answer.json()["plan"]
        assert {"Create", "Merge"} & set(names(plan))
        assert all("rows" not in operator for operator in operators(plan))
    assert count(port) == 0


def test_explain_of_a_write_by_get_is_allowed(port: int) -> None:
    for mode, status in (("EXPLAIN", 200), ("PROFILE", 405)):
        fields = urlencode({"query": f"{mode} CREATE (a:A)"})
        assert request(port, "GET", f"/cypher?{fields}").status == status
    assert count(port) == 0


@pytest.mark.parametrize("format_", ["json", "ndjson"])
def test_profile_of_a_write_writes_once(port: int, format_: str) -> None:
    answer = ask(port, "PROFILE CREATE (a:A {x: 1}) RETURN a.x AS x", format=format_)
    end = answer.json() if format_ == "json" else end_line(answer)
    assert end["stats"]["nodes_created"] == 1
    assert json.loads(answer.headers["cypher-stats"]) == end["stats"]
    create = next(o for o in operators(end["plan"]) if o["operator"] == "Create")
    assert create["rows"] == 1
    assert create["storeHits"] > 0
    assert create["timeMs"] >= 0
    assert count(port) == 1


def test_profile_of_a_failing_write_writes_nothing(port: int) -> None:
    answer = ask(port, "PROFILE UNWIND [1, 0] AS x CREATE (a:A {x: 1 / x}) RETURN a")
    assert answer.status == 400
    assert answer.error()["type"] == "ArithmeticError"
    assert count(port) == 0


@pytest.mark.parametrize("format_", ["json", "ndjson"])
def test_profile_of_a_read_that_fails_late_ends_in_its_error(server: Server, format_: str) -> None:
    query = "PROFILE UNWIND range(1, 300000) AS x RETURN 1 / (300000 - x)"
    answer = ask(server.port, query, format=format_)
    assert answer.status == 200
    last = answer.json() if format_ == "json" else json.loads(answer.body.splitlines()[-1])
    assert last["errors"][0]["message"] == "/ by zero"
    assert "plan" not in last


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("EXPLAIN MATCH (n RETURN n", 1, 18),
        ("PROFILE MATCH (n RETURN n", 1, 18),
        ("  explain\nMATCH (n RETURN n", 2, 10),
        ("EXPLAIN RETURN m", 1, 16),
        ("EXPLAIN PROFILE RETURN 1", 1, 9),
    ],
)
def test_an_error_stands_at_its_place(server: Server, text: str, line: int, column: int) -> None:
    error = ask(server.port, text).error()
    assert error["type"] == "SyntaxError"
    assert (error["line"], error["column"]) == (line, column)


def test_explain_needs_no_parameters_but_profile_does(server: Server) -> None:
    query = "MATCH (p:Person {id: $id}) RETURN p.firstName"
    assert ask(server.port, f"EXPLAIN {query}").status == 200
    error = ask(server.port, f"PROFILE {query}").error()
    assert error["type"] == "ParameterMissing"


def test_explain_runs_nothing(server: Server) -> None:
    """It would be refused for its rows, and take long."""
    answer = ask(server.port, "EXPLAIN UNWIND range(1, 1000000000) AS x RETURN 1 / 0", timeout=10)
    assert answer.rows() == []


def place_of(port: int, query: str, query_id: str) -> tuple[str, dict[str, Any]]:
    answer = ask(port, query, query_id=query_id)
    entry = request(port, "GET", f"/queries/{query_id}").json()
    return entry["place"], answer.json()


def test_profile_counts_in_the_event_loop_as_in_a_worker(server: Server) -> None:
    query = "PROFILE MATCH (p:Person {id: 12}) RETURN p.id"
    places = {}
    for number in range(20):
        place, body = place_of(server.port, query, f"plans-inline-{number}")
        places[place.split()[0]] = body
        if {"inline", "worker"} <= places.keys():
            break
    assert {"inline", "worker"} <= places.keys()
    seen = []
    for body in places.values():
        assert body["data"] == [[12]]
        seen.append([(o["operator"], o["rows"], o["storeHits"]) for o in operators(body["plan"])])
    assert seen[0] == seen[1]


def test_profile_in_a_worker_counts_rows(server: Server) -> None:
    query = "PROFILE MATCH (p:Person) WITH p ORDER BY p.lastName, p.id RETURN p.id"
    place, body = place_of(server.port, query, "plans-worker")
    assert place.startswith("worker")
    assert len(body["data"]) == PERSONS
    scan = next(o for o in operators(body["plan"]) if o["operator"] == "NodeByLabelScan")
    assert scan["rows"] == PERSONS
    assert scan["storeHits"] >= PERSONS
    assert scan["estimatedRows"] == PERSONS
    assert all(o["timeMs"] >= 0 for o in operators(body["plan"]))


def test_the_end_line_of_ndjson_holds_the_plan(server: Server) -> None:
    query = "MATCH (p:Person) RETURN p.id AS id"
    explained = ask(server.port, f"EXPLAIN {query}", format="ndjson")
    assert json.loads(explained.body.splitlines()[0]) == {"columns": ["id"]}
    assert end_line(explained)["rows"] == 0
    profiled = end_line(ask(server.port, f"PROFILE {query}", format="ndjson"))
    assert profiled["rows"] == PERSONS
    assert names(profiled["plan"]) == names(end_line(explained)["plan"])


def test_a_second_statement_is_refused_and_nothing_runs(port: int) -> None:
    answer = ask(port, "CREATE (:A);\nCREATE (:B);")
    assert answer.status == 400
    error = answer.error()
    assert error["message"] == "One statement is taken at a time; a second one begins here."
    assert (error["line"], error["column"]) == (2, 1)
    assert "cypherd query" in error["hint"]
    assert count(port) == 0
    assert ask(port, "CREATE (:A); // the end").status == 200
    assert count(port) == 1
