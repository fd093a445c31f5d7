"""Clients that write values into their texts share plans; what they get is the same."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.client import Server, ask, registry, wait_for
from tests.http.conftest import Serve

TEXT = "MATCH (n:N {{k: {}}}) RETURN n.k AS k, n.s"


@pytest.fixture
def server(serve: Serve) -> Server:
    server = serve()
    ask(server.port, "CREATE INDEX FOR (n:N) ON (n.k)")
    ask(server.port, "UNWIND range(0, 2000) AS k CREATE (:N {k: k, s: 's' + k})")
    return server


def places(port: int, texts: set[str]) -> list[str]:
    return [
        entry["place"].split()[0] for entry in registry(port)["finished"] if entry["query"] in texts
    ]


@pytest.mark.parametrize("control", [{}, {"rows": "arrays"}], ids=["short", "ordinary"])
def test_texts_that_differ_in_values_share_a_plan(server: Server, control: dict[str, Any]) -> None:
    port = server.port

    def shared() -> bool:
        number = shared_number.pop(0)
        text = TEXT.format(number)
        assert ask(port, text, **control).rows() == [[number, f"s{number}"]]
        return places(port, {text}) == ["inline"]

    shared_number = list(range(2000))
    assert wait_for(shared, 20.0, 0.05) is not None
    # Now all of them are, with their own texts in the list.
    texts = [TEXT.format(number) for number in range(1990, 2000)]
    for number, text in enumerate(texts, 1990):
        assert ask(port, text, **control).rows() == [[number, f"s{number}"]]
    assert places(port, set(texts)) == ["inline"] * 10
    assert ask(port, TEXT.format("'x'"), **control).rows() == []
    assert ask(port, TEXT.format(1.5), **control).rows() == []
    assert ask(port, TEXT.format(7.0), **control).rows() == [[7, "s7"]]


def test_errors_are_of_the_text_that_was_sent(server: Server) -> None:
    port = server.port
    text = "MATCH (n:N {{k: {}}}) RETURN 1 / (n.k - n.k) AS x"
    for number in range(5):
        asked = text.format(number)
        error = ask(port, asked).error()
        assert error["query_line"] == asked
        assert error["column"] == asked.index("/") + 1


def test_pages_show_the_text_that_was_sent(server: Server) -> None:
    port = server.port
    for number in range(6):
        ask(port, TEXT.format(number))
    for number in range(6, 9):
        page = ask(port, TEXT.format(number), accept="text/html").body.decode()
        assert f"{{k: {number}}}" in page
        assert "__lifted" not in page


def test_a_value_of_another_type_is_no_use_of_the_plan(server: Server) -> None:
    """Whether a text is an error may depend on the types in it."""
    port = server.port
    text = "MATCH (n:N {{k: 3}}) WHERE n.k <> {} - 1 RETURN n.k AS k"
    for number in range(40, 60):
        assert ask(port, text.format(number)).rows() == [[3]]
    error = ask(port, text.format("'a'")).error()
    assert "expected a number" in error["message"]


@pytest.mark.parametrize(
    "change", ["CREATE (:Fresh {fresh: 1})", "CREATE INDEX FOR (n:N) ON (n.s)"]
)
def test_the_plan_is_made_anew_for_a_new_schema(server: Server, change: str) -> None:
    port = server.port
    numbers = iter(range(2000))

    def shared() -> bool:
        number = next(numbers)
        text = TEXT.format(number)
        assert ask(port, text).rows() == [[number, f"s{number}"]]
        return places(port, {text}) == ["inline"]

    for _ in range(3):
        assert wait_for(shared, 20.0, 0.05) is not None
        assert ask(port, change.replace("resh", f"resh{next(numbers)}")).status in (200, 409, 400)
        change = "CREATE (:Fresh {fresh: 1})"
