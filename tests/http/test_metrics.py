"""What operators watch: /metrics, the server's load, the log and its slow queries."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as open_metrics,
)
from prometheus_client.parser import text_string_to_metric_families

from benchmarks.client import Answer, Background, Server, request
from benchmarks.processes import workers, writers


def ask(port: int, query: str, params: Any = None, within: str = "60s", **more: Any) -> Answer:
    body = {"query": query, "params": params or {}, "timeout": within, **more}
    return request(
        port, "POST", "/cypher", body=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )  # fmt: skip


Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]
LONG = "UNWIND range(1, 100000000) AS x RETURN sum(x * $k)"


def figures(port: int) -> Figures:
    text = request(port, "GET", "/metrics").body.decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(found: Figures, name: str, **labels: str) -> float:
    return found.get((name, tuple(sorted(labels.items()))), 0.0)


@pytest.fixture
def port(serve: Any) -> int:
    found: int = serve(max_rows=1000).port
    return found


def test_queries_are_counted_where_they_ran(port: int) -> None:
    before = figures(port)
    for _ in range(5):
        assert ask(port, "RETURN 1 AS x").rows() == [[1]]
    for _ in range(3):
        assert ask(port, "CREATE (:A)").status == 200
    assert ask(port, "RETURN x").status == 400
    assert ask(port, "UNWIND range(1, 5000) AS x RETURN x").status == 422
    assert ask(port, LONG, {"k": 1}, within="200ms").error()["code"].endswith("TransactionTimedOut")
    after = figures(port)

    def grown(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    count = "cypherd_query_seconds_count"
    inline = grown(count, place="inline", outcome="finished")
    worker = grown(count, place="worker", outcome="finished")
    assert (inline + worker, inline >= 3) == (5, True)
    assert grown(count, place="writer", outcome="finished") == 3
    assert grown("cypherd_commit_statements_sum") == 3
    assert grown("cypherd_commit_seconds_count") >= 1
    assert grown("cypherd_vetoes_total", reason="rows") == 1
    assert grown("cypherd_vetoes_total", reason="deadline") == 1
    assert grown("cypherd_errors_total", code="Neo.ClientError.Statement.SyntaxError") == 1
    assert value(after, "cypherd_query_seconds_sum", place="worker", outcome="timed out") >= 0.2
    assert value(after, "cypherd_store_bytes") >= value(after, "cypherd_store_used_bytes") > 0
    assert value(after, "cypherd_loop_lag_seconds_count") > 0
    assert value(after, "cypherd_processes", role="writer") == 1
    assert value(after, "cypherd_front_process_open_fds") > 3


def test_memory_is_told_by_role(port: int) -> None:
    """A query that holds much shows where it runs, and is gone when it has ended."""
    before = value(figures(port), "cypherd_process_memory_bytes", role="worker")
    assert before > 10 << 20
    seen = [before]
    much = "UNWIND range(1, 3000000) AS x WITH collect({x: x}) AS xs RETURN size(xs)"
    asked = Background(port, much, "much")
    while asked.ended_at is None:
        seen.append(value(figures(port), "cypherd_process_memory_bytes", role="worker"))
    assert asked.answer().rows() == [[3000000]]
    assert max(seen) > before + (100 << 20)


def test_buckets_hold_all_and_grow(port: int) -> None:
    ask(port, "RETURN 1 AS x")
    text = request(port, "GET", "/metrics").body.decode()
    [family] = [
        family
        for family in text_string_to_metric_families(text)
        if family.name == "cypherd_query_seconds"
    ]
    [labels] = {tuple(s.labels[name] for name in ("place", "outcome")) for s in family.samples}
    buckets = [s.value for s in family.samples if s.name.endswith("_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 1
    assert labels[1] == "finished"


def test_lost_processes_are_counted(serve: Any) -> None:
    server: Server = serve()

    before = figures(server.port)
    os.kill(workers(server.pid)[0], signal.SIGKILL)
    os.kill(writers(server.pid)[0], signal.SIGKILL)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        now = figures(server.port)
        lost = [
            value(now, "cypherd_lost_processes_total", role=role)
            - value(before, "cypherd_lost_processes_total", role=role)
            for role in ("worker", "writer")
        ]
        if lost == [1, 1]:
            break
        time.sleep(0.05)
    assert lost == [1, 1]


def test_open_metrics(port: int) -> None:
    answer = request(
        port, "GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
    )
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    families = open_metrics(answer.body.decode())  # type: ignore[no-untyped-call]
    expected = {"cypherd_query_seconds", "cypherd_queued", "cypherd_loop_lag_seconds"}
    assert {family.name for family in families} >= expected


def test_the_load_stands_with_the_queries(port: int) -> None:
    load = request(port, "GET", "/queries", headers={"Accept": "application/json"}).json()["server"]
    assert load["waiting"] == {"inline": 0, "worker": 0, "planner": 0, "writer": 0}
    assert load["processes"]["writer"] == 1
    assert load["loop_lag_ms"] >= 0


def test_slow_queries_are_logged(tmp_path: Path) -> None:
    log = tmp_path / "log"
    settings = {
        "log_slow_queries": "true", "slow_query": "50ms", "log_format": "json",
        "map_size": "64MiB",
    }  # fmt: skip
    with Server(tmp_path / "store", settings=settings, log=log) as server:
        ask(server.port, "RETURN 1 AS x")
        ask(server.port, LONG, {"k": [1, 2]}, within="200ms")
        ask(server.port, LONG, {"k": 2}, within="200ms", id="mine")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    slow = [line for line in lines if line["logger"] == "cypherd.slow"]
    assert [line["query_id"] for line in slow][-1] == "mine"
    told = slow[-1]
    assert told["level"] == "WARNING"
    assert (told["query"], told["parameters"], told["state"]) == (LONG, "{k: 2}", "timed out")
    assert "EagerAggregation" in told["plan"]
    assert told["elapsed_ms"] >= 200
    assert all(line["elapsed_ms"] > 50 for line in slow)
