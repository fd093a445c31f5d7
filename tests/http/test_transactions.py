"""SHOW and TERMINATE TRANSACTIONS, and the old procedures: what runs, seen and ended by Cypher."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.client import Answer, Background, Server, ask, cancel, request, running, wait_for
from tests.http.conftest import Serve

LONG = "UNWIND range(1, $most) AS x RETURN count(x)"
MOST = {"most": 1_000_000_000_000}
COLUMNS = [
    "database", "transactionId", "currentQueryId", "connectionId", "clientAddress", "username",
    "currentQuery", "startTime", "status", "elapsedTime",
]  # fmt: skip


def long_query(port: int) -> Background:
    query_id = f"long-{uuid.uuid4()}"
    query = Background(port, LONG, query_id, params=MOST)
    assert wait_for(lambda: state(port, query_id) == "running", 10) is not None
    return query


def state(port: int, query_id: str) -> str | None:
    entry = running(port).get(query_id)
    return None if entry is None else str(entry["state"])


def states(port: int) -> list[str]:
    return sorted(entry["state"] for entry in running(port).values())


def found(port: int, query: str, **parameters: Any) -> dict[str, Any]:
    """The row of the query that runs, by column."""
    answer = ask(port, query, parameters)
    assert answer.status == 200, answer.body
    (row,) = answer.rows()
    return dict(zip(answer.json()["columns"], row, strict=True))


def assert_terminated(query: Background) -> None:
    ended = query.answer(10)
    assert ended.status == 409
    assert ended.error()["code"] == "Neo.ClientError.Transaction.Terminated"
    assert "terminated by" in ended.error()["message"]


@pytest.fixture
def query(port: int) -> Iterator[Background]:
    started = long_query(port)
    yield started
    cancel(port, started.query_id)


def test_show_lists_what_runs_and_itself(port: int, query: Background) -> None:
    answer = ask(port, "SHOW TRANSACTIONS")
    assert answer.json()["columns"] == COLUMNS
    texts = [row[COLUMNS.index("currentQuery")] for row in answer.rows()]
    assert {LONG, "SHOW TRANSACTIONS"} <= set(texts)


def test_a_row_of_show(port: int, query: Background) -> None:
    row = found(port, "SHOW TRANSACTIONS YIELD * WHERE metaData.id = $id", id=query.query_id)
    assert row["database"] == "neo4j"
    assert re.fullmatch(r"neo4j-transaction-\d+", row["transactionId"])
    assert re.fullmatch(r"query-\d+", row["currentQueryId"])
    assert row["currentQuery"] == LONG
    assert row["parameters"] == MOST
    assert (row["status"], row["currentQueryStatus"]) == ("Running", "running")
    assert (row["username"], row["protocol"]) == ("", "http")
    assert row["clientAddress"].startswith("127.0.0.1:")
    assert row["elapsedTime"].startswith("PT")
    assert row["startTime"].endswith("Z")


def test_show_by_id(port: int, query: Background) -> None:
    first = found(port, "SHOW TRANSACTIONS YIELD * WHERE metaData.id = $id", id=query.query_id)
    for id in (first["transactionId"], first["currentQueryId"]):
        answer = ask(port, "SHOW TRANSACTIONS $ids", {"ids": ["neo4j-transaction-0", id]})
        assert [row[1] for row in answer.rows()] == [first["transactionId"]]


@pytest.mark.parametrize("name", ["transactionId", "currentQueryId", "metaData.id"])
def test_terminate_by_every_id(port: int, query: Background, name: str) -> None:
    text = f"SHOW TRANSACTIONS YIELD * WHERE metaData.id = $id RETURN {name} AS id"
    id = found(port, text, id=query.query_id)["id"]
    answer = ask(port, "TERMINATE TRANSACTION $id", {"id": id})
    assert answer.json()["columns"] == ["transactionId", "username", "message"]
    assert answer.rows() == [[id, "", "Transaction terminated."]]
    assert_terminated(query)


def test_terminate_what_show_finds(port: int, query: Background) -> None:
    text = (
        "SHOW TRANSACTIONS YIELD transactionId AS t, metaData WHERE metaData.id = $id "
        "TERMINATE TRANSACTIONS t YIELD message RETURN message"
    )
    assert found(port, text, id=query.query_id) == {"message": "Transaction terminated."}
    assert_terminated(query)


def test_terminate_what_is_not_there(port: int) -> None:
    answer = ask(port, "TERMINATE TRANSACTIONS 'neo4j-transaction-0', 'x' YIELD message, username")
    assert answer.rows() == [["Transaction not found.", None]] * 2


def test_the_old_procedures(port: int, query: Background) -> None:
    row = found(
        port, "CALL dbms.listQueries() YIELD queryId, query, metaData WHERE metaData.id = $id "
        "RETURN queryId, query", id=query.query_id,
    )  # fmt: skip
    assert row["query"] == LONG
    killed = found(port, "CALL dbms.killQuery($id)", id=row["queryId"])
    assert killed == {"queryId": row["queryId"], "username": "", "message": "Query found"}
    assert_terminated(query)


def test_a_query_that_ends_itself(port: int) -> None:
    query_id = f"own-{uuid.uuid4()}"
    text = f"TERMINATE TRANSACTION '{query_id}' YIELD message RETURN message"
    assert ask(port, text, query_id=query_id).status == 409


def test_with_reads_of_the_graph(port: int, query: Background) -> None:
    text = (
        "MATCH (p:Person) WITH count(p) AS persons "
        "CALL dbms.listQueries() YIELD query RETURN persons, collect(query) AS queries"
    )
    row = found(port, text)
    assert row["persons"] == 300
    assert {LONG, text} <= set(row["queries"])


def test_not_with_writes(port: int) -> None:
    text = "CALL dbms.listQueries() YIELD query CREATE (:Never {text: query})"
    answer = ask(port, text)
    assert answer.status == 400
    assert "a statement that writes" in answer.error()["message"]
    assert ask(port, "MATCH (n:Never) RETURN count(n)").rows() == [[0]]


def get(port: int, path: str) -> Answer:
    return request(port, "GET", path)


def test_get_shows_but_does_not_end(port: int, query: Background) -> None:
    assert get(port, "/cypher?query=SHOW%20TRANSACTIONS").status == 200
    answer = get(port, f"/cypher?query=TERMINATE%20TRANSACTION%20'{query.query_id}'")
    assert answer.status == 405
    assert state(port, query.query_id) == "running"


def test_a_full_pool_is_seen_and_ended(serve: Serve) -> None:
    server: Server = serve(workers=2)
    queries = [Background(server.port, LONG, f"long-{n}", params=MOST) for n in range(3)]
    full = ["queued", "running", "running"]
    assert wait_for(lambda: states(server.port) == full, 10) is not None
    answer = ask(server.port, "SHOW TRANSACTIONS YIELD currentQuery, status, metaData")
    seen = {row[2]["id"]: row[1] for row in answer.rows() if row[0] == LONG}
    assert sorted(seen.values()) == ["Blocked", "Running", "Running"]
    text = (
        "SHOW TRANSACTIONS YIELD transactionId AS t, currentQuery WHERE currentQuery = $long "
        "TERMINATE TRANSACTIONS t YIELD message RETURN DISTINCT message"
    )
    assert ask(server.port, text, {"long": LONG}).rows() == [["Transaction terminated."]]
    # They may be over by now, or in the moment between the two clauses.
    again = ask(server.port, text, {"long": LONG}).rows()
    assert all(row in (["Transaction terminated."], ["Transaction not found."]) for row in again)
    for query in queries:
        assert_terminated(query)


def test_hidden_queries_stay_hidden_from_others_only(serve: Serve) -> None:
    server: Server = serve(hide_queries=True)
    query = long_query(server.port)
    row = found(server.port, "SHOW TRANSACTIONS YIELD * WHERE metaData.id = $id", id=query.query_id)
    assert (row["currentQuery"], row["parameters"]) == (LONG, MOST)
    cancel(server.port, query.query_id)
