"""Accept with q-values, and format=."""

from __future__ import annotations

import pytest

from cypherd.errors import NotAcceptable
from cypherd.render.negotiation import negotiate


@pytest.mark.parametrize(
    ("accept", "name"),
    [
        (None, "json"),
        ("*/*", "json"),
        ("application/*", "json"),
        ("application/json", "json"),
        ("APPLICATION/JSON", "json"),
        ("application/x-ndjson", "ndjson"),
        ("application/jsonl", "ndjson"),
        ("application/json;q=0.5, application/x-ndjson", "ndjson"),
        ("application/x-ndjson;q=0.2, */*;q=0.1", "ndjson"),
        ("application/json;q=0, */*", "ndjson"),
        ("text/csv, application/json;q=0.1", "json"),
        ("application/json;charset=utf-8", "json"),
    ],
)
def test_accept(accept: str | None, name: str) -> None:
    assert negotiate(accept, None).name == name


def test_format_beats_accept() -> None:
    assert negotiate("application/json", "ndjson").name == "ndjson"


@pytest.mark.parametrize("accept", ["image/png", "application/json;q=0", "application/json;q=x"])
def test_nothing_to_answer_with_lists_what_there_is(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="application/x-ndjson"):
        negotiate(accept, None)


def test_an_unknown_format_lists_the_names() -> None:
    with pytest.raises(NotAcceptable, match="json, ndjson"):
        negotiate(None, "xlsx")
