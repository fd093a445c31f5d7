"""Short writes are let by between the transactions of a CALL { } IN TRANSACTIONS."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.client import Background, Server, ask, cancel, request, running, wait_for
from tests.processes.conftest import Serve
from tests.processes.test_commits_in_the_midst import LOTS, begun, lots, said
from tests.processes.waiting import until, writer_of

WAIT = 20


@pytest.fixture
def server(serve: Serve) -> Server:
    server = serve(workers=2)
    ask(server.port, "CREATE (:Old)")
    return server


def ended(query: Background, server: Server) -> str:
    cancel(server.port, "lots")
    message: str = query.answer().error()["message"]
    return message


def test_short_writes_do_not_wait_for_its_end(server: Server) -> None:
    query = begun(server)
    wrong: list[Any] = []

    def write(first: int) -> None:
        for k in range(first, first + 25):
            made = ask(server.port, "CREATE (n:Short {k: $k}) RETURN n.k", {"k": k}, timeout=WAIT)
            seen = ask(server.port, "MATCH (n:Short {k: $k}) RETURN count(n)", {"k": k})
            if made.rows() != [[k]] or seen.rows() != [[1]]:
                wrong.append((k, made.body, seen.body))

    threads = [threading.Thread(target=write, args=(n * 100,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert "lots" in running(server.port)
    before = lots(server)
    assert wait_for(lambda: lots(server) > before, WAIT) is not None
    message = ended(query, server)
    assert lots(server) == 100 * said(message)
    assert ask(server.port, "MATCH (n:Short) RETURN count(n)").rows() == [[200]]


def test_one_that_is_not_quite_short_gets_more_time(serve: Serve) -> None:
    """Or one that was short and met a busy machine: it does not wait for hours."""
    server = serve(workers=2, group_share="1ms")
    ask(server.port, "CREATE (:Old)")
    query = begun(server)
    text = "UNWIND range(1, 300) AS x CREATE (n:Middle {x: x}) RETURN count(n)"
    for _ in range(3):
        assert ask(server.port, text, timeout=WAIT).rows() == [[300]]
    assert _spent(server) > 0
    assert "lots" in running(server.port)
    message = ended(query, server)
    assert lots(server) == 100 * said(message)
    assert ask(server.port, "MATCH (n:Middle) RETURN count(n)").rows() == [[900]]


def _spent(server: Server) -> float:
    """How often a write took more than its share of a group."""
    body = request(server.port, "GET", "/metrics").body.decode()
    found = re.search(r'cypherd_vetoes_total\{reason="group share"\} (\S+)', body)
    assert found, body
    return float(found[1])


def test_one_that_fails_takes_back_only_itself(server: Server) -> None:
    query = begun(server)
    answer = ask(server.port, "CREATE (n:Short) RETURN 1 / 0", timeout=WAIT)
    assert answer.status == 400
    assert ask(server.port, "MATCH (n:Short) RETURN count(n)").rows() == [[0]]
    message = ended(query, server)
    assert lots(server) == 100 * said(message) > 0


@pytest.mark.parametrize(
    "text",
    ["UNWIND range(1, 2000000) AS x CREATE (:Long)", "CREATE INDEX FOR (n:Old) ON (n.k)",
     "UNWIND [1, 2] AS x CALL (x) { CREATE (:Long) } IN TRANSACTIONS"],
    ids=["long", "schema", "commits too"],
)  # fmt: skip
def test_what_needs_a_transaction_to_itself_waits(server: Server, text: str) -> None:
    query = begun(server)
    long = Background(server.port, text, "long")
    until(server.port, "long", "waiting")
    for k in range(20):
        assert ask(server.port, "CREATE (:Short {k: $k})", {"k": k}, timeout=WAIT).status == 200
    assert {"lots", "long"} <= set(running(server.port))
    ended(query, server)
    assert long.answer(60).status == 200
    assert ask(server.port, "MATCH (n:Short) RETURN count(n)").rows() == [[20]]


def test_one_that_waits_is_cancelled_at_once(serve: Serve) -> None:
    """Also while the statement is far from its next commit."""
    server = serve()
    text = LOTS.replace("OF 100 ROWS", "OF 4000000 ROWS")
    query = Background(server.port, text, "lots")
    until(server.port, "lots", "running")
    short = Background(server.port, "CREATE (:Short)", "short")
    until(server.port, "short", "waiting")
    assert running(server.port)["short"]["waiting_for"] == "lots"
    began = time.monotonic()
    cancel(server.port, "short")
    assert short.answer().status == 409
    assert time.monotonic() - began < 5
    assert "lots" in running(server.port)
    ended(query, server)
    assert ask(server.port, "MATCH (n:Short) RETURN count(n)").rows() == [[0]]


def test_it_sees_what_it_has_let_by(server: Server) -> None:
    """New labels and properties too, though its plan was made when there were none."""
    text = (
        "UNWIND range(1, 5000000) AS x CALL (x) { OPTIONAL MATCH (m:Fresh) "
        "WITH x, sum(m.later) AS seen CREATE (:Lot {x: x, seen: seen}) } IN TRANSACTIONS OF 10 ROWS"
    )
    query = Background(server.port, text, "lots")
    until(server.port, "lots", "running")
    assert wait_for(lambda: lots(server) > 0, WAIT) is not None
    ask(server.port, "CREATE (:Fresh {later: 7})", timeout=WAIT)
    most = "MATCH (n:Lot) RETURN max(n.seen)"
    assert wait_for(lambda: ask(server.port, most).rows() == [[7]], WAIT) is not None
    ended(query, server)


@pytest.mark.parametrize(
    ("inner", "rows", "status"),
    [("SET n.seen = 1", 400_000, 200), ("CREATE (n)-[:TO]->(:Made) SET n.seen = 1", 200_000, 400),
     ("SET n.seen = coalesce(n.x, 1) / coalesce(n.x, 1)", 400_000, 200)],
    ids=["set", "create", "read"],
)  # fmt: skip
def test_nodes_that_others_have_deleted(server: Server, inner: str, rows: int, status: int) -> None:
    """The statement has read its rows before: one whose node is gone has no properties, and to set
    some does nothing; a relationship to it is an error."""
    ask(server.port, "CREATE INDEX FOR (n:Row) ON (n.x)")
    ask(server.port, "UNWIND range(1, $rows) AS x CREATE (:Row {x: x})", {"rows": rows})
    text = f"MATCH (n:Row) CALL (n) {{ {inner} }} IN TRANSACTIONS OF 50 ROWS"
    query = Background(server.port, text, "lots")
    until(server.port, "lots", "running")
    seen = "MATCH (n:Row) WHERE n.seen = 1 RETURN count(n)"
    assert wait_for(lambda: ask(server.port, seen).rows()[0][0] > 0, WAIT) is not None
    delete = "MATCH (n:Row {x: $x}) DELETE n RETURN count(*)"
    gone = ask(server.port, delete, {"x": rows - 10}, timeout=WAIT)
    assert gone.rows() == [[1]]
    assert "lots" in running(server.port)
    answer = query.answer(120)
    assert answer.status == status
    # Of the last lot as well, where that has failed.
    kept = ask(server.port, seen).rows()[0][0]
    assert kept == (rows - 1 if status == 200 else rows - 50)
    if status == 200:
        assert answer.json()["stats"]["properties_set"] == kept
    else:
        assert answer.error()["code"] == "Neo.ClientError.Statement.EntityNotFound"


@pytest.mark.parametrize("again", range(3))
def test_a_lost_writer_loses_and_doubles_nothing(server: Server, again: int) -> None:
    query = begun(server)
    told: list[int] = []
    stop = threading.Event()

    def write(first: int) -> None:
        k = first
        while not stop.is_set():
            if ask(server.port, "CREATE (:Short {k: $k})", {"k": k}, timeout=WAIT).status == 200:
                told.append(k)
            k += 1

    threads = [threading.Thread(target=write, args=(n * 1_000_000,)) for n in range(8)]
    for thread in threads:
        thread.start()
    _let(lambda: len(told) > 100 * (again + 1))
    os.kill(writer_of(server), signal.SIGKILL)
    answer = query.answer()
    assert answer.status == 503
    before = len(told)
    _let(lambda: len(told) > before + 100)
    stop.set()
    for thread in threads:
        thread.join()
    found = ask(server.port, "MATCH (n:Short) RETURN n.k ORDER BY n.k").rows()
    assert [row[0] for row in found] == sorted(told)
    # The last one may have been committed without the writer having told so.
    assert lots(server) - 100 * said(answer.error()["message"]) in (0, 100)


def _let(condition: Callable[[], bool]) -> None:
    assert wait_for(condition, 60) is not None
