"""CALL { } IN TRANSACTIONS on a server: what was committed stays, is said, and happens once."""

from __future__ import annotations

import os
import re
import signal

import pytest

from benchmarks.client import Background, Server, ask, cancel, wait_for
from tests.processes.conftest import Serve
from tests.processes.waiting import ask_within, until, writer_of

LOTS = "UNWIND range(1, 5000000) AS x CALL (x) { CREATE (:Lot {x: x}) } IN TRANSACTIONS OF 100 ROWS"
COUNT = "MATCH (n:Lot) RETURN count(n)"
_SAID = re.compile(r"\((\d[\d,]*) transactions? of the statement (?:was|were) committed before")


def lots(server: Server) -> int:
    found: int = ask(server.port, COUNT).rows()[0][0]
    return found


def said(message: str) -> int:
    found = _SAID.search(message)
    assert found, message
    return int(found[1].replace(",", ""))


def begun(server: Server) -> Background:
    query = Background(server.port, LOTS, "lots")
    until(server.port, "lots", "running")
    # Readers see what is committed while it runs.
    assert wait_for(lambda: lots(server) >= 300, 20) is not None
    return query


def test_cancelled_between_transactions(serve: Serve) -> None:
    server = serve()
    query = begun(server)
    cancel(server.port, "lots")
    answer = query.answer()
    assert answer.status == 409
    assert lots(server) == 100 * said(answer.error()["message"])
    assert ask(server.port, "CREATE (n:Lot) RETURN 1").rows() == [[1]]


def test_past_its_deadline(serve: Serve) -> None:
    server = serve()
    ask(server.port, "CREATE (:Other)")
    answer = ask_within(server.port, LOTS, "1s")
    assert answer.status == 504
    assert lots(server) == 100 * said(answer.error()["message"])


def test_an_error_says_what_stays(serve: Serve) -> None:
    server = serve()
    text = (
        "UNWIND [1, 2, 3, 0] AS i CALL (i) { CREATE (:Lot {i: 1 / i}) } IN TRANSACTIONS OF 1 ROWS"
    )
    answer = ask(server.port, text)
    assert answer.status == 400
    assert said(answer.error()["message"]) == 3
    assert answer.error()["message"].startswith("/ by zero")
    assert lots(server) == 3
    # Nothing was committed before the first: nothing is said.
    message = ask(server.port, text.replace("[1, 2, 3, 0]", "[0, 1]")).error()["message"]
    assert message == "/ by zero"


def test_others_write_before_and_after(serve: Serve) -> None:
    """It has a transaction to itself; those that come with it share theirs as ever."""
    server = serve()
    text = "UNWIND range(1, 50) AS x CALL (x) { CREATE (:Lot {x: x}) } IN TRANSACTIONS OF 7 ROWS"
    queries = [
        Background(server.port, text if i % 3 else "CREATE (:Lot)", f"q{i}") for i in range(12)
    ]
    assert [query.answer().status for query in queries] == [200] * 12
    assert lots(server) == 8 * 50 + 4


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_lost_writer_does_not_run_it_again(serve: Serve, cancelled: bool) -> None:
    server = serve(writer_grace="300ms")
    query = begun(server)
    pid = writer_of(server)
    if cancelled:
        os.kill(pid, signal.SIGSTOP)
        cancel(server.port, "lots")
    else:
        os.kill(pid, signal.SIGKILL)
    answer = query.answer()
    assert answer.status == (409 if cancelled else 503)
    # The last one may have been committed without the writer having told so.
    assert lots(server) - 100 * said(answer.error()["message"]) in (0, 100)
    assert ask(server.port, "CREATE (n:Lot) RETURN 1").rows() == [[1]]
