"""One client's many queries do not keep another's one waiting; the pool grows and shrinks."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import Any

import pytest

from benchmarks.client import Background, ask, cancel, registry, wait_for
from benchmarks.processes import workers
from cypherd.queries import pool
from tests.processes.conftest import Serve

LONG = "UNWIND range(1, 100000000000) AS x RETURN count(x)"
# Longer than a moment, never inline, no great burden.
SOME = "UNWIND range(1, 300000) AS x RETURN count(DISTINCT x) AS n"


def ask_from(host: str, port: int, query: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, 60, source_address=(host, 0))
    body = json.dumps({"query": query}).encode()
    connection.request("POST", "/cypher", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    found = response.status, json.loads(response.read())
    connection.close()
    return found


def crowd(port: int, count: int, query: str, statuses: list[int]) -> list[threading.Thread]:
    def run() -> None:
        statuses.append(ask_from("127.0.0.1", port, query)[0])

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


@pytest.mark.parametrize("query", [SOME, f"CREATE (n:Made) WITH n {SOME}"], ids=["reads", "writes"])
def test_one_query_of_another_client_comes_soon(serve: Serve, query: str) -> None:
    """Of sixty that wait, it is answered among the first: a client's turn is one query."""
    port = serve(workers=2, group_limit=1).port
    statuses: list[int] = []
    threads = crowd(port, 60, query, statuses)
    assert wait_for(lambda: len(registry(port)["running"]) > 40, 20.0) is not None
    answered = len(statuses)
    assert ask_from("127.0.0.2", port, query)[0] == 200
    assert len(statuses) - answered <= 10
    for thread in threads:
        thread.join()
    assert statuses == [200] * 60


def test_in_a_full_queue_the_greedy_client_gives_way(serve: Serve) -> None:
    port = serve(workers=1, queue_limit=8).port
    Background(port, LONG, query_id="long")
    assert wait_for(lambda: len(registry(port)["running"]) == 1, 10.0) is not None
    statuses: list[int] = []
    threads = crowd(port, 8, SOME, statuses)
    assert wait_for(lambda: len(registry(port)["running"]) == 9, 10.0) is not None
    other: list[int] = []
    waiting = threading.Thread(
        target=lambda: other.append(ask_from("127.0.0.2", port, SOME + " ORDER BY n")[0])
    )
    waiting.start()
    assert wait_for(lambda: statuses == [503], 10.0) is not None
    assert ask_from("127.0.0.1", port, SOME)[0] == 503
    cancel(port, "long")
    for thread in (*threads, waiting):
        thread.join()
    assert other == [200]
    assert sorted(statuses) == [200] * 7 + [503]


def test_the_pool_grows_while_queries_wait_and_shrinks_again(
    serve: Serve,
) -> None:
    server = serve(workers=1, max_workers=3)
    port = server.port
    for number in range(5):
        Background(port, LONG, query_id=f"long-{number}")

    def running() -> int:
        return sum(entry["state"] == "running" for entry in registry(port)["running"])

    assert wait_for(lambda: running() == 3, 20.0) is not None
    time.sleep(4 * pool._GROW_AFTER)
    assert running() == 3
    # A spare stays ready.
    assert wait_for(lambda: len(workers(server.pid)) >= 4, 10.0) is not None
    assert ask(port, "RETURN 1 AS x").rows() == [[1]]
    for number in range(5):
        cancel(port, f"long-{number}")
    assert wait_for(lambda: len(registry(port)["running"]) == 0, 10.0) is not None
    few = wait_for(
        lambda: registry(port)["server"]["processes"]["worker"] <= 2, 5 * pool._SHRINK_AFTER
    )
    assert few is not None
    assert ask(port, SOME).rows() == [[300000]]
