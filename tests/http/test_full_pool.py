"""A pool full of long queries keeps nobody from a short one."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from benchmarks.client import Background, Server, ask, cancel, registry, wait_for
from tests.http.conftest import Serve

LONG = "UNWIND range(1, 100000000000) AS x RETURN count(x)"


@pytest.fixture
def full(serve: Serve) -> Iterator[Server]:
    """A server whose two workers are busy, with one more long query waiting."""
    server = serve(workers=2)
    ask(server.port, "CREATE INDEX FOR (n:N) ON (n.k)")
    ask(server.port, "UNWIND range(1, 5000) AS k CREATE (:N {k: k})")
    for number in range(3):
        Background(server.port, LONG, query_id=f"long-{number}")
    assert wait_for(lambda: len(registry(server.port)["running"]) == 3, 10.0) is not None
    yield server
    for number in range(3):
        cancel(server.port, f"long-{number}")


def places(port: int, text: str) -> set[str]:
    finished = registry(port)["finished"]
    return {entry["place"].split()[0] for entry in finished if entry["query"] == text}


def test_a_new_text_is_planned_and_answered(full: Server) -> None:
    text = "MATCH (n:N {k: $k}) RETURN n.k AS k"
    for k in (1, 2):
        assert json.loads(ask(full.port, text, {"k": k}).body)["data"] == [[k]]
    # The first try in the loop may spend its budget on compiling the plan.
    assert places(full.port, text) <= {"inline", "planner"}


def test_a_bounded_read_too_long_for_the_loop_is_answered(full: Server) -> None:
    numbers = list(range(1, 901))
    text = f"UNWIND {numbers} AS k MATCH (n:N {{k: k}}) RETURN sum(n.k) AS total"
    for _ in range(2):
        assert json.loads(ask(full.port, text).body)["data"] == [[sum(numbers)]]
    assert places(full.port, text) <= {"planner", "inline"}


def test_a_write_is_answered(full: Server) -> None:
    answer = ask(full.port, "CREATE (n:Other {k: 1}) RETURN n.k AS k")
    assert json.loads(answer.body)["data"] == [[1]]


def test_the_one_that_waits_says_for_what(full: Server) -> None:
    def waits() -> bool:
        entries = registry(full.port)["running"]
        waiting = [entry["waiting_for"] for entry in entries if entry["state"] == "queued"]
        return waiting == ["a free worker"]

    assert wait_for(waits, 10.0) is not None
