"""Accept with q-values, and format=."""

from __future__ import annotations

import pytest

from cypherd.errors import NotAcceptable
from cypherd.render.gzipping import WORTHWHILE
from cypherd.render.negotiation import gzip_from, negotiate


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
        ("text/csv, application/json;q=0.1", "csv"),
        ("application/json;charset=utf-8", "json"),
        ("text/*", "text"),
        ("text/csv", "csv"),
        ("text/csv, */*", "csv"),
        ("*/*, text/csv", "csv"),
        ("text/*, text/html", "html"),
        ("text/*;q=0.5, text/csv;q=0.4, text/plain;q=0", "html"),
        ("application/json, text/plain, */*", "json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "html"),
        ("application/msgpack", "msgpack"),
        ("application/x-msgpack", "msgpack"),
        ("application/x-msgpack-seq", "msgpack-seq"),
        ("application/*;q=0.1, text/plain;q=0.2", "text"),
        ("application/x-ndjson;q=0, application/*", "json"),
        ("image/png, application/json;q=0.001", "json"),
        (" , ,text/csv ; q = 1.0", "csv"),
    ],
)
def test_accept(accept: str | None, name: str) -> None:
    assert negotiate(accept, None).renderer.name == name


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", b"application/json; charset=utf-8"),
        ("application/jsonl", b"application/jsonl; charset=utf-8"),
        ("application/x-msgpack", b"application/x-msgpack"),
        ("text/csv", b"text/csv; charset=utf-8"),
    ],
)
def test_what_was_accepted_is_what_is_sent(accept: str, content_type: bytes) -> None:
    assert negotiate(accept, None).content_type == content_type


@pytest.mark.parametrize(
    ("accept_encoding", "least"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("deflate, br", None),
        ("gzip", WORTHWHILE),
        ("GZIP", WORTHWHILE),
        ("x-gzip", WORTHWHILE),
        ("gzip, deflate, br, zstd", WORTHWHILE),
        ("*", WORTHWHILE),
        ("gzip;q=0", None),
        ("gzip;q=0, *", None),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0.5, identity;q=0.4", WORTHWHILE),
        ("gzip;q=0.1", WORTHWHILE),
        ("identity;q=0, gzip", 0),
        ("gzip, *;q=0", 0),
        ("identity;q=0, *;q=0.5", 0),
        ("br, identity;q=0.5, *;q=0", None),
    ],
)
def test_accept_encoding(accept_encoding: str | None, least: int | None) -> None:
    assert gzip_from(accept_encoding) == least


@pytest.mark.parametrize("accept_encoding", ["identity;q=0", "*;q=0", "br, *;q=0"])
def test_no_encoding_that_there_is(accept_encoding: str) -> None:
    with pytest.raises(NotAcceptable, match="gzip and identity"):
        gzip_from(accept_encoding)


def test_format_beats_accept() -> None:
    assert negotiate("application/json", "ndjson").renderer.name == "ndjson"


@pytest.mark.parametrize(
    "accept",
    ["image/png", "application/json;q=0", "application/json;q=x", "audio/*", "text/x-unknown"],
)
def test_nothing_to_answer_with_lists_what_there_is(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="application/x-ndjson"):
        negotiate(accept, None)


def test_an_unknown_format_lists_the_names() -> None:
    with pytest.raises(
        NotAcceptable, match="json, ndjson, text, csv, csv-excel, html, msgpack, msgpack-seq"
    ):
        negotiate(None, "xlsx")
