"""Every format through the server: values, errors early and late, as clients see them."""

from __future__ import annotations

import gzip
import http.client
import json
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgpack
import pytest

from benchmarks.client import Answer, ask, request, running
from cypherd.render.registry import RENDERERS
from cypherd.values.temporal.parsing import parse_date
from cypherd.values.temporal.tagged import tagged
from tests.http.conftest import FRIEND
from tests.http.formats import FORMATS, MANY, encoded
from tests.unit.render import readers

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
STRINGS = [
    "", "null", "a,b", 'say "hi"', "a\r\nb\n", "=1+1", "-1", "it's", "\\",
    "</td><script>x</script>", "e\u0301 \U0001f468\u200d\U0001f469",
    *(chr(plane << 16 | 0x41) for plane in range(17)),
    "\u0000\u0001\u001b[31m\u0085\u2028", "x" * 300_000,
]  # fmt: skip


# --- values -----------------------------------------------------------------------------

READERS: dict[str, Callable[[bytes], list[list[Any]]]] = {
    "json": readers.read_json,
    "ndjson": readers.read_ndjson,
    "csv": readers.read_csv,
    "msgpack": readers.read_msgpack,
    "msgpack-seq": readers.read_msgpack_seq,
}


@pytest.mark.parametrize("format_", READERS)
def test_strings_come_back_from_a_parameter(port: int, format_: str) -> None:
    answer = ask(port, "UNWIND $vs AS v RETURN v", {"vs": STRINGS}, format=format_)
    assert answer.status == 200
    assert READERS[format_](answer.body) == [[text] for text in STRINGS]


@pytest.mark.parametrize("format_", READERS)
def test_values_come_back_from_the_store(limited: int, format_: str) -> None:
    ask(limited, "MATCH (n:V) DELETE n")
    values = [*STRINGS, 2**63 - 1, -(2**63), 2**53 + 1, 0.1, -0.0, 5e-324, True, ["a", ""], []]
    create = "UNWIND range(0, size($vs) - 1) AS i CREATE (n:V {at: i, v: $vs[i]}) RETURN n.v"
    written = ask(limited, create, {"vs": values}, format=format_)
    read = ask(limited, "MATCH (n:V) RETURN n.v ORDER BY n.at", format=format_)
    texts = [
        value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        for value in values
    ]
    expected = [[value] for value in (texts if format_ == "csv" else values)]
    assert READERS[format_](read.body) == expected
    assert READERS[format_](written.body) == expected
    assert json.loads(written.headers["cypher-stats"])["nodes_created"] == len(values)


def test_entities_are_the_same_maps_in_json_and_msgpack(port: int) -> None:
    query = "MATCH p = (:Person)-[:KNOWS]->() RETURN p, nodes(p), relationships(p) LIMIT 5"
    assert ask(port, query).json() == msgpack.unpackb(ask(port, query, format="msgpack").body)


def test_dates_travel_both_ways_in_msgpack(port: int) -> None:
    day = msgpack.ExtType(*tagged(parse_date("2024-02-29")))
    body = msgpack.packb({"query": "RETURN $d AS d, $d.year AS y", "params": {"d": day}})
    headers = {"Content-Type": "application/msgpack", "Accept": "application/msgpack"}
    answer = request(port, "POST", "/cypher", body=body, headers=headers)
    assert msgpack.unpackb(answer.body)["data"] == [[day, 2024]]
    strange = msgpack.packb({"query": "RETURN 1", "params": {"d": msgpack.ExtType(77, b"")}})
    refused = request(port, "POST", "/cypher", body=strange, headers=headers)
    assert refused.status == 400
    assert "77" in msgpack.unpackb(refused.body)["errors"][0]["message"]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_large_result_is_whole(port: int, format_: str) -> None:
    answer = ask(port, MANY, format=format_)
    assert answer.status == 200
    if format_ in READERS:
        rows = READERS[format_](answer.body)
        assert [int(row[0]) for row in rows] == list(range(1, 200_001))
    else:
        assert answer.body.count(b"n200000") == 1
        assert answer.body.count(b"n1") > 100_000


@pytest.mark.parametrize("format_", ["text", "csv", "html"])
def test_a_write_without_rows_says_what_it_did(limited: int, format_: str) -> None:
    answer = ask(limited, "CREATE (:A)-[:R]->(:B)", format=format_)
    assert answer.status == 200
    assert json.loads(answer.headers["cypher-stats"])["nodes_created"] == 2
    if format_ == "csv":
        assert answer.body == b""
    else:
        assert b"nodes created: 2" in answer.body


# --- pages ------------------------------------------------------------------------------


def test_a_browser_gets_a_page(port: int) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": BROWSER}
    fields = {"query": "RETURN '<img src=x onerror=alert(1)>' AS `<b>`", "params": "", "id": ""}
    answer = request(port, "POST", "/cypher", body=urlencode(fields).encode(), headers=headers)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    page = answer.body.decode()
    assert "<img" not in page
    assert "<b>" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert readers.read_html(answer.body) == [[("text", "<img src=x onerror=alert(1)>")]]


def test_a_browser_gets_errors_as_a_page_with_the_place(port: int) -> None:
    answer = ask(port, "MATCH (n)\nRETURN '<b>', nobody", accept=BROWSER)
    assert answer.status == 400
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = answer.body.decode()
    assert "RETURN &#39;&lt;b&gt;&#39;, nobody\n" + " " * 14 + "^</pre>" in page
    assert "<b>" not in page


@pytest.mark.parametrize("value", ["</td><script>", "<!--rows-->", "{{ 7 }}", '\'" onload="x'])
def test_nothing_of_a_value_becomes_markup(port: int, value: str) -> None:
    query = f"RETURN $v AS v, [$v] AS l, {{k: $v}} AS m, {json.dumps(value)} AS `{value}`"
    answer = ask(port, query, {"v": value}, format="html")
    assert answer.status == 200, answer.body
    ((text, items, entries, again),) = readers.read_html(answer.body)
    assert text == again == ("text", value)
    assert json.loads(items[1]) == [value]
    assert entries[1] == f"{{k: {json.dumps(value)}}}"
    assert b"<script" not in answer.body


def test_links_of_a_page_lead_below_the_root_path(limited: int) -> None:
    page = ask(limited, "RETURN 1", format="html").body.decode()
    assert 'href="/graph/' in page
    assert 'href="/queries"' not in page


# --- which format -----------------------------------------------------------------------


@pytest.mark.parametrize("renderer", RENDERERS, ids=FORMATS)
def test_each_by_name_and_by_media_type(port: int, renderer: Any) -> None:
    charset = "; charset=utf-8" if renderer.is_text else ""
    named = ask(port, "RETURN 1 AS x", format=renderer.name, accept="image/png")
    assert named.headers["content-type"] == renderer.media_types[0] + charset
    for media_type in renderer.media_types:
        asked = ask(port, "RETURN 1 AS x", accept=f"{media_type}, */*;q=0.1")
        assert asked.headers["content-type"] == media_type + charset
        assert {"Accept", "Accept-Encoding"} <= set(asked.headers["vary"].split(", "))
        assert asked.headers["cache-control"] == "no-store"


def test_what_there_is_is_told(port: int) -> None:
    body = b'{"query": "RETURN 1"}'
    headers = {"Content-Type": "application/json", "Accept": "image/png"}
    for path, where in (("/cypher", "media_types"), ("/cypher?format=xlsx", "name")):
        answer = request(port, "POST", path, body=body, headers=headers)
        assert answer.status == 406
        for renderer in RENDERERS:
            told = renderer.name if where == "name" else renderer.media_types[0]
            assert told in answer.error()["message"]
            assert told in answer.error()["expected"]
    answer = request(port, "POST", "/cypher", body=b"<q/>", headers={"Content-Type": "text/xml"})
    assert answer.status == 415
    assert "application/json" in answer.headers["accept-post"]
    assert "application/json" in answer.error()["message"]
    for method in ("PUT", "DELETE", "PATCH"):
        answer = request(port, method, "/cypher")
        assert answer.status == 405
        assert answer.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    options = request(port, "OPTIONS", "/cypher")
    assert options.headers["allow"] == "GET, HEAD, POST, OPTIONS"
    assert "application/msgpack" in options.headers["accept-post"]


@pytest.mark.parametrize(
    ("method", "path", "content_type", "body", "status"),
    [
        ("POST", "/cypher?format=csv", "text/plain", b"UNWIND range(1, 100000) AS x RETURN x", 200),
        ("POST", "/cypher?format=msgpack", "text/plain", b"RETURN nobody", 400),
        ("POST", "/cypher?format=html", "text/plain", b"RETURN nobody", 400),
        ("POST", "/cypher?format=xlsx", "text/plain", b"RETURN 1", 406),
        ("POST", "/cypher", "text/xml", b"<q/>", 415),
        ("PUT", "/cypher", "text/plain", b"RETURN 1", 405),
        ("GET", "/cypher?query=CREATE+()", "text/plain", None, 405),
        ("OPTIONS", "/cypher", "text/plain", None, 204),
    ],
)
def test_an_allowed_origin_may_read_every_answer(
    limited: int, method: str, path: str, content_type: str, body: bytes | None, status: int
) -> None:
    """Also when the browser says that the request crosses sites."""
    headers = {"Origin": FRIEND, "Sec-Fetch-Site": "cross-site", "Content-Type": content_type}
    answer = request(limited, method, path, body=body, headers=headers)
    assert answer.status == status, answer.body
    assert answer.headers["access-control-allow-origin"] == FRIEND
    assert "Origin" in answer.headers["vary"]
    assert "Cypher-Stats" in answer.headers["access-control-expose-headers"]
    foreign = request(
        limited, method, path, body=body, headers={**headers, "Origin": "https://x.y"}
    )
    assert foreign.status == (status if method in ("PUT", "OPTIONS") else 403)
    assert "access-control-allow-origin" not in foreign.headers


def _error_json(answer: Answer) -> Any:
    return answer.error()


def _error_page(answer: Answer) -> Any:
    assert b"<!doctype html>" in answer.body
    return {"detail": "UndefinedVariable"} if b"not defined" in answer.body else {}


ERRORS: dict[str, tuple[str, Callable[[Answer], Any]]] = {
    "json": ("application/json; charset=utf-8", _error_json),
    "ndjson": ("application/x-ndjson; charset=utf-8", _error_json),
    "text": ("application/json; charset=utf-8", _error_json),
    "csv": ("application/json; charset=utf-8", _error_json),
    "csv-excel": ("application/json; charset=utf-8", _error_json),
    "html": ("text/html; charset=utf-8", _error_page),
    "msgpack": ("application/msgpack", lambda a: msgpack.unpackb(a.body)["errors"][0]),
    "msgpack-seq": ("application/x-msgpack-seq", lambda a: msgpack.unpackb(a.body)["errors"][0]),
}


@pytest.mark.parametrize("format_", FORMATS)
def test_an_early_error_has_its_status_in_every_format(port: int, format_: str) -> None:
    content_type, read = ERRORS[format_]
    answer = ask(port, "RETURN nobody", format=format_)
    assert answer.status == 400
    assert answer.headers["content-type"] == content_type
    assert read(answer)["detail"] == "UndefinedVariable"


# --- gzip -------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", FORMATS)
def test_gzip_where_asked_for(port: int, format_: str) -> None:
    packed = encoded(port, MANY, "gzip", format=format_)
    assert packed.headers["content-encoding"] == "gzip"
    plain = encoded(port, MANY, "identity", format=format_)
    assert "content-encoding" not in plain.headers
    assert len(packed.body) * 2 < len(plain.body)
    if format_ != "html":  # a page tells how long it took
        assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize(
    ("accept_encoding", "coding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("gzip;q=0", None),
        ("identity;q=0, gzip", "gzip"),
        ("br", None),
        ("*", "gzip"),
    ],
)
def test_which_coding(port: int, accept_encoding: str, coding: str | None) -> None:
    query = "UNWIND range(1, 2000) AS x RETURN x"
    answer = encoded(port, query, accept_encoding)
    assert answer.headers.get("content-encoding") == coding


def test_a_small_answer_is_left_alone_unless_it_must_not_be(port: int) -> None:
    for _ in range(3):  # the first in a worker, the others in the event loop
        assert encoded(port, "RETURN 1 AS x", "gzip").json()["data"] == [[1]]
        forced = encoded(port, "RETURN 1 AS x", "identity;q=0, gzip")
        assert forced.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(forced.body))["data"] == [[1]]
    assert encoded(port, "RETURN 1 AS x", "identity;q=0").status == 406


def test_an_inline_answer_is_compressed(port: int) -> None:
    query = "MATCH (p:Person {id: 7}) RETURN p, $text AS text"
    for _ in range(3):
        answer = encoded(port, query, "gzip", params={"text": "abc" * 1000})
        assert answer.headers["content-encoding"] == "gzip"
        assert json.loads(gzip.decompress(answer.body))["data"][0][1] == "abc" * 1000


@pytest.mark.parametrize("size", [100, 30_000])
def test_a_write_is_compressed_too(limited: int, size: int) -> None:
    """Small ones from memory, large ones from the spool's file."""
    query = "UNWIND range(1, $n) AS x CREATE (n:A {x: x}) RETURN n"
    answer = encoded(limited, query, "gzip", params={"n": size})
    assert answer.headers["content-encoding"] == "gzip"
    assert len(json.loads(gzip.decompress(answer.body))["data"]) == size
    plain = encoded(limited, query, "identity", params={"n": size})
    assert "content-encoding" not in plain.headers
    assert len(plain.rows()) == size


@pytest.mark.parametrize("accept_encoding", ["identity", "gzip"])
def test_rows_flow_while_the_query_runs(port: int, accept_encoding: str) -> None:
    """The first rows are here long before the last are made."""
    query = (
        "UNWIND range(1, 1000000) AS x WITH x WHERE x < 3000 OR "
        "reduce(s = 0, i IN range(1, 60) | s + i) > 0 RETURN x"
    )
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"query": query, "id": f"flows-{accept_encoding}"}).encode()
    headers = {"Content-Type": "application/json", "Accept-Encoding": accept_encoding}
    connection.request("POST", "/cypher", body=body, headers=headers)
    first = connection.getresponse().read1(1 << 16)
    entry = running(port)[f"flows-{accept_encoding}"]
    connection.close()
    if accept_encoding == "gzip":
        first = zlib.decompressobj(31).decompress(first)
    assert first.startswith(b'{"columns":["x"],"data":[[1]')
    assert 0 < entry["rows"] < 1_000_000


def test_head_has_the_headers_and_no_body(port: int) -> None:
    path = "/cypher?" + urlencode({"query": MANY, "format": "csv"})
    for accept_encoding in ("identity", "gzip"):
        head = request(port, "HEAD", path, headers={"Accept-Encoding": accept_encoding})
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-type"] == "text/csv; charset=utf-8"
    error = request(port, "HEAD", "/cypher?" + urlencode({"query": "RETURN"}))
    assert (error.status, error.body) == (400, b"")
    write = request(port, "HEAD", "/cypher?" + urlencode({"query": "CREATE (:Head)"}))
    assert write.status == 405
