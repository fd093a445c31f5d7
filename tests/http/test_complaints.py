"""What users of other servers complain about, where no other test has it; docs/what-users-ask.md
names the test that answers each complaint."""

from __future__ import annotations

import itertools
import time
from typing import Any
from urllib.parse import urlencode

import pytest

from benchmarks.client import Background, Server, ask, cancel, request, running, wait_for

LONG = "UNWIND range(1, 1000000000000) AS x RETURN count(x)"
LONG_WRITE = "UNWIND range(1, 100000000) AS x CREATE (:Never {x: x})"
EXPLOSION = "MATCH p = (:Person)-[:KNOWS*1..8]-() RETURN count(p)"
_numbers = itertools.count()


def _fresh() -> str:
    return f"complaint-{next(_numbers)}"


def _runs(port: int, *ids: str) -> bool:
    return wait_for(lambda: set(ids) <= set(running(port)), 10) is not None


def _gone(port: int, *ids: str) -> bool:
    return wait_for(lambda: not set(ids) & set(running(port)), 10) is not None


def _writes(port: int, query_id: str) -> bool:
    entry = running(port).get(query_id, {})
    return (entry.get("place"), entry.get("state")) == ("writer", "running")


def test_of_several_equal_queries_the_right_one_is_cancelled(port: int) -> None:
    first, second = _fresh(), _fresh()
    asked = {name: Background(port, LONG, name) for name in (first, second)}
    assert _runs(port, first, second)
    assert cancel(port, first).status == 200
    assert asked[first].answer().status == 409
    assert second in running(port)
    cancel(port, second)
    assert asked[second].answer().status == 409


def test_a_query_that_is_still_being_read_is_cancelled(port: int) -> None:
    """A text of a megabyte takes seconds to parse; a cancel does not wait for that."""
    query_id = _fresh()
    text = "RETURN " + "[1], " * 200_000 + "1"
    asked = Background(port, text, query_id)
    assert _runs(port, query_id)
    began = time.monotonic()
    assert cancel(port, query_id).status == 200
    assert asked.answer().status == 409
    assert time.monotonic() - began < 2.0


def test_a_deadline_holds_within_an_expansion_and_others_are_answered(port: int) -> None:
    late = _fresh()
    body = urlencode({"query": EXPLOSION, "timeout": "1s", "id": late}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    asked = Background(port, LONG, _fresh())
    answer = request(port, "POST", "/cypher", body=body, headers=kind, timeout=20)
    assert answer.status == 504
    assert ask(port, "RETURN 1").rows() == [[1]]
    cancel(port, asked.query_id)
    asked.answer()


def test_a_write_that_waits_for_another_has_its_deadline_and_can_be_cancelled(serve: Any) -> None:
    port = serve().port
    holder, waiting = _fresh(), _fresh()
    holding = Background(port, LONG_WRITE, holder)
    assert wait_for(lambda: _writes(port, holder), 10) is not None
    # By now it has had its share of a group of writes and goes on alone.
    time.sleep(0.5)
    body = b"query=CREATE+(:Late)&timeout=500ms"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert request(port, "POST", "/cypher", body=body, headers=kind).status == 504
    cancelled = Background(port, "CREATE (:Late)", waiting)
    assert _runs(port, waiting)
    cancel(port, waiting)
    assert cancelled.answer().status == 409
    cancel(port, holder)
    assert holding.answer().status == 409
    assert ask(port, "MATCH (n) RETURN count(n)").rows() == [[0]]


def test_after_deadlines_the_server_reads_and_writes_as_before(serve: Any) -> None:
    port = serve(default_timeout="200ms").port
    for text in (LONG, LONG_WRITE, LONG, LONG_WRITE):
        assert ask(port, text).status == 504
    assert ask(port, "CREATE (:Kept)").status == 200
    assert ask(port, "MATCH (n:Kept) RETURN count(n)").rows() == [[1]]
    assert request(port, "GET", "/health").json()["running"] == 0


def test_a_client_that_gives_up_has_written_nothing(serve: Any) -> None:
    """So it may ask again without doing it twice."""
    port = serve().port
    query_id = _fresh()
    with pytest.raises(TimeoutError):
        ask(port, LONG_WRITE, query_id=query_id, timeout=1.0)
    assert _gone(port, query_id)
    assert ask(port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


@pytest.mark.parametrize("query", [
    "MATCH (n:Start) DELETE n RETURN 'deleted'",
    "UNWIND [2, 1] AS x CREATE (:Start {id: x}) RETURN x",
])  # fmt: skip
def test_a_write_that_fails_when_it_is_checked_answers_no_rows(serve: Any, query: str) -> None:
    port = serve().port
    ask(port, "CREATE CONSTRAINT FOR (n:Start) REQUIRE n.id IS UNIQUE").rows()
    ask(port, "CREATE (:Start {id: 1})-[:TO]->()").rows()
    answer = ask(port, query)
    assert answer.status == 409
    assert set(answer.json()) == {"errors"}
    assert ask(port, "MATCH (n:Start) RETURN n.id").rows() == [[1]]


@pytest.mark.parametrize(("query", "told"), [
    ("RETURN 1 AS x LIMIT -1", "LIMIT"),
    ("RETURN 1 AS x SKIP -1", "SKIP"),
    ("RETURN 1 AS x UNION RETURN 2 AS y", "UNION"),
])  # fmt: skip
def test_a_fault_of_the_query_is_no_fault_of_the_server(port: int, query: str, told: str) -> None:
    answer = ask(port, query)
    assert answer.status == 400
    assert told in answer.error()["message"]


@pytest.mark.parametrize("format_", ["json", "ndjson", "csv", "html", "text", "msgpack"])
def test_nulls_and_bare_counts_are_answered(port: int, format_: str) -> None:
    assert ask(port, "RETURN null, [null], {a: null}", format=format_).status == 200
    assert ask(port, "MATCH (n:None) RETURN count(*)", format=format_).status == 200


def test_columns_come_in_the_order_asked_for(port: int) -> None:
    query = "RETURN 1 AS z, 2 AS a, 3 AS m, 4 AS B"
    assert ask(port, query).json()["columns"] == ["z", "a", "m", "B"]
    assert ask(port, query, format="csv").body.splitlines()[0] == b"z,a,m,B"
    row = ask(port, query, rows="objects").json()["data"][0]
    assert list(row) == ["z", "a", "m", "B"]


@pytest.mark.parametrize("format_", ["json", "ndjson", "csv", "html", "text"])
def test_the_charset_is_in_the_content_type_and_nowhere_else(port: int, format_: str) -> None:
    answer = ask(port, "RETURN 'Ünïcödé'", format=format_)
    assert answer.headers["content-type"].endswith("; charset=utf-8")
    assert "content-encoding" not in answer.headers
    assert "Ünïcödé" in answer.body.decode("utf-8")


def test_answers_have_one_shape(port: int) -> None:
    """With rows, without, and with an error; `data` is always a list of rows."""
    for query, data in (
        ("RETURN 1 AS x", [[1]]),
        ("MATCH (n:Person {id: -1}) RETURN n.id AS x", []),
    ):
        assert ask(port, query).json() == {"columns": ["x"], "data": data}
    assert set(ask(port, "RETURN").json()) == {"errors"}


def test_get_and_post_answer_alike(port: int) -> None:
    query = (
        "MATCH (p:Person) RETURN p.firstName AS name, count(*) AS n ORDER BY n DESC, name LIMIT 9"
    )
    by_get = request(port, "GET", "/cypher?" + urlencode({"query": query}))
    assert by_get.json() == ask(port, query).json()
    assert by_get.headers["content-type"] == ask(port, query).headers["content-type"]


def test_parameters_in_braces_are_still_read(port: int) -> None:
    assert ask(port, "RETURN {x} AS x", {"x": 7}).rows() == [[7]]


def test_a_missing_parameter_is_named(port: int) -> None:
    answer = ask(port, "RETURN $firstName")
    assert answer.status == 400
    assert "firstName" in answer.error()["message"]


def test_nothing_an_answer_says_names_the_host(port: int) -> None:
    """Behind a proxy the server does not know its own address: what it hands out is relative."""
    headers = {"Accept": "text/html", "X-Forwarded-Host": "proxy.example"}
    for path in ("/", "/queries", "/schema", "/runningQueries", "/cypher?query=RETURN+1"):
        answer = request(port, "GET", path, headers=headers)
        assert b"http://127.0.0.1" not in answer.body
        assert answer.headers.get("location", "/").startswith("/")
        assert b"proxy.example" not in answer.body


def test_limits_in_force_can_be_looked_up_while_it_runs(server: Server) -> None:
    assert "max_rows = 10000000" in "\n".join(server.log_lines())
    assert ask(server.port, "RETURN 1").headers["cypher-timeout"] == "120s"
