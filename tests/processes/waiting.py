"""Waiting for queries to come to a state."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.client import Answer, Background, Server, registry, request, running, wait_for
from benchmarks.processes import writers

LONG = "UNWIND range(1, 1000000000000) AS x RETURN count(x)"
LONG_WRITE = "UNWIND range(1, 100000000) AS x CREATE (:Never {x: x})"


def entry_of(port: int, query_id: str) -> dict[str, Any]:
    """The registry's entry; empty when there is none."""
    answer = request(port, "GET", f"/queries/{query_id}", headers={"Accept": "application/json"})
    entry: dict[str, Any] = answer.json() if answer.status == 200 else {}
    return entry


def until(port: int, query_id: str, *states: str, seconds: float = 15.0) -> dict[str, Any]:
    """The entry once it is in one of the states."""
    found: dict[str, Any] = {}

    def there() -> bool:
        found.clear()
        found.update(entry_of(port, query_id))
        return found.get("state") in states

    assert wait_for(there, seconds) is not None, (states, found)
    return found


def ask_within(port: int, query: str, limit: str) -> Answer:
    """Ask with a deadline, such as `300ms`."""
    body = json.dumps({"query": query, "timeout": limit}).encode()
    headers = {"Content-Type": "application/json"}
    return request(port, "POST", "/cypher", body=body, headers=headers)


def fill(port: int, count: int) -> list[Background]:
    """Long queries that occupy a pool of `count`."""
    queries = [Background(port, LONG, f"long-{i}") for i in range(count)]
    for query in queries:
        until(port, query.query_id, "running")
    return queries


def nothing_runs(port: int) -> bool:
    return wait_for(lambda: not running(port), 15.0) is not None


def last_finished(port: int) -> dict[str, Any]:
    entry: dict[str, Any] = registry(port)["finished"][0]
    return entry


def writer_of(server: Server) -> int:
    """Raises AssertionError while there is none: it was killed, or has not begun."""
    pids = writers(server.pid)
    assert pids, "nobody has the store open to write"
    return pids[0]
