"""What is asked and what comes back: bodies, formats, statuses, headers."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any
from urllib.parse import urlencode

import msgpack
import pytest

from benchmarks.client import Answer, ask, request
from tests.http.conftest import PERSONS

JSON = {"Content-Type": "application/json"}


def get(port: int, accept: str = "*/*", **fields: str) -> Answer:
    return request(port, "GET", f"/cypher?{urlencode(fields)}", headers={"Accept": accept})


def test_json(port: int) -> None:
    answer = ask(port, "UNWIND $xs AS x RETURN x, x * 2 AS y", {"xs": [1, 2**60, None]})
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "Accept" in answer.headers["vary"]
    assert answer.headers["cypher-query-id"]
    assert answer.headers["cypher-timeout"] == "120s"
    assert answer.json() == {
        "columns": ["x", "y"],
        "data": [[1, 2], [2**60, 2**61], [None, None]],
    }


def test_temporal_values_are_iso_8601_strings(serve: Any) -> None:
    port = serve().port
    ask(
        port,
        "CREATE (:T {d: datetime('2015-07-21T10:00[Europe/Berlin]'), l: [date('2015-01-01')]})",
    )
    expected = ["2015-07-21T10:00+02:00[Europe/Berlin]", ["2015-01-01"], {"p": "P1DT2H"}]
    for rows in ("1", "200000"):
        # Once in the event loop and once in a worker.
        text = f"UNWIND range(1, {rows}) AS x WITH count(x) AS n MATCH (t:T) "
        answer = ask(port, text + "RETURN t.d, t.l, {p: duration('P1DT2H')} AS m")
        assert answer.json()["data"] == [expected]
    parameters = {"day": "2015-01-01"}
    answer = ask(port, "MATCH (t:T) WHERE t.d > datetime($day) RETURN t", parameters)
    assert answer.json()["data"][0][0]["properties"] == {"d": expected[0], "l": expected[1]}


def test_ndjson(port: int) -> None:
    answer = ask(port, "UNWIND [1, 2] AS x RETURN x", accept="application/x-ndjson")
    assert answer.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    lines = [json.loads(line) for line in answer.body.splitlines()]
    assert lines == [{"columns": ["x"]}, [1], [2], {"end": {"rows": 2}}]


@pytest.mark.parametrize("format_", ["json", "ndjson"])
def test_a_result_of_many_chunks_is_whole(port: int, format_: str) -> None:
    answer = ask(port, "UNWIND range(1, 200000) AS x RETURN x", format=format_)
    if format_ == "json":
        rows = answer.rows()
    else:
        _, *rows, end = (json.loads(line) for line in answer.body.splitlines())
        assert end == {"end": {"rows": 200000}}
    assert rows == [[x] for x in range(1, 200001)]


def test_a_write_tells_what_it_did(serve: Any) -> None:
    port = serve().port
    answer = ask(port, "CREATE (a:Person {name: 'Ann'})-[:KNOWS]->(b) RETURN a")
    node = answer.json()["data"][0][0]
    assert node["labels"] == ["Person"]
    assert node["properties"] == {"name": "Ann"}
    stats = answer.json()["stats"]
    assert (stats["nodes_created"], stats["relationships_created"]) == (2, 1)
    assert json.loads(answer.headers["cypher-stats"]) == stats
    path = ask(port, "MATCH p = (:Person)-[:KNOWS]->() RETURN p").rows()[0][0]
    assert path["length"] == 1
    assert path["relationships"][0]["start"] == path["nodes"][0]["id"] == node["id"]
    assert path["relationships"][0]["end"] == path["nodes"][1]["id"]


@pytest.mark.parametrize("format_", ["json", "ndjson", "msgpack", "text", "html"])
@pytest.mark.parametrize(
    ("least", "told"), [("information", (True, True)), ("warning", (True, False)), ("off", ())]
)
def test_notifications_that_are_told(
    port: int, format_: str, least: str, told: tuple[bool, ...]
) -> None:
    query = "MATCH (a)-[*]->(:Absent) RETURN a"
    answer = ask(port, query, notifications=least, format=format_)
    found = (b"nothing in the store" in answer.body, b"a path of any length" in answer.body)
    assert answer.status == 200
    assert found == (told or (False, False))


def test_rows_and_integers(port: int) -> None:
    answer = ask(port, "RETURN 9007199254740993 AS n, 1.5 AS f", rows="objects", integers="string")
    assert answer.json()["data"] == [{"n": "9007199254740993", "f": 1.5}]


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        pytest.param(JSON, b'{"statement": "RETURN $x", "parameters": {"x": 7}}', id="old names"),
        pytest.param(
            {"Content-Type": "application/msgpack"},
            msgpack.packb({"query": "RETURN $x", "params": {"x": 7}}),
            id="msgpack",
        ),
        pytest.param(
            {"Content-Type": "application/x-www-form-urlencoded"},
            urlencode({"query": "RETURN $x", "params": '{"x": 7}'}).encode(),
            id="form",
        ),
    ],
)
def test_bodies(port: int, headers: dict[str, str], body: bytes) -> None:
    assert request(port, "POST", "/cypher", body=body, headers=headers).rows() == [[7]]


def test_text_body(port: int) -> None:
    path = "/cypher?" + urlencode({"params": '{"x": 7}', "s": "8"})
    headers = {"Content-Type": "text/plain"}
    answer = request(port, "POST", path, body="RETURN $x, $s, 'é'".encode(), headers=headers)
    assert answer.rows() == [[7, "8", "é"]]


def test_a_body_in_chunks(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    parts = iter([b'{"query": ', b'"RETURN 1"', b"}"])
    connection.request("POST", "/cypher", body=parts, headers=JSON, encode_chunked=True)
    assert json.load(connection.getresponse())["data"] == [[1]]
    connection.close()


def test_get(port: int) -> None:
    assert get(port, query="RETURN $a + 'b' AS x", a="1").rows() == [["1b"]]
    params = json.dumps({"a": 1})
    assert get(port, query="RETURN $a + 1 AS x", params=params).rows() == [[2]]
    lines = get(port, "application/jsonl", query="RETURN 1 AS x").body.splitlines()
    assert json.loads(lines[1]) == [1]


def test_get_never_writes(port: int) -> None:
    answer = get(port, query="CREATE (:Written)")
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    assert answer.error()["code"] == "Neo.ClientError.Statement.AccessMode"
    assert ask(port, "MATCH (n:Written) RETURN count(n)").rows() == [[0]]


def test_get_without_a_query(port: int) -> None:
    assert get(port).status == 400
    page = get(port, "text/html")
    assert page.status == 200
    assert b"<textarea" in page.body


def test_head_and_options(port: int) -> None:
    head = request(port, "HEAD", "/cypher?" + urlencode({"query": "RETURN 1"}))
    assert (head.status, head.body) == (200, b"")
    options = request(port, "OPTIONS", "/cypher")
    assert options.status == 204
    assert "POST" in options.headers["allow"]


def test_ids_and_timeouts_go_both_ways(port: int) -> None:
    headers = {**JSON, "Cypher-Query-Id": "mine_1", "Cypher-Timeout": "1500ms"}
    answer = request(port, "POST", "/cypher", body=b'{"query": "RETURN 1"}', headers=headers)
    assert answer.headers["cypher-query-id"] == "mine_1"
    assert answer.headers["cypher-timeout"] == "1.5s"


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        pytest.param("POST", "/cypher", JSON, b'{"query": "RETURN"}', 400, id="syntax"),
        pytest.param("POST", "/cypher", JSON, b'{"query": "RETURN $x"}', 400, id="parameter"),
        pytest.param("POST", "/cypher", JSON, b'{"query": "RETURN 1/0"}', 400, id="arithmetic"),
        pytest.param("POST", "/cypher", JSON, b'{"query": ', 400, id="no json"),
        pytest.param("POST", "/cypher", JSON, b'{"qery": "RETURN 1"}', 400, id="unknown key"),
        pytest.param("POST", "/cypher", JSON, b'{"query": " "}', 400, id="empty"),
        pytest.param("POST", "/cypher", JSON, b'{"query": "RETURN 1", "timeout": "9h"}', 400,
                     id="timeout"),
        pytest.param("POST", "/cypher", {}, b"RETURN 1", 415, id="no type"),
        pytest.param("POST", "/cypher", {**JSON, "Accept": "image/png"}, b'{"query": "RETURN 1"}',
                     406, id="accept"),
        pytest.param("POST", "/cypher?format=xlsx", JSON, b'{"query": "RETURN 1"}', 406,
                     id="format"),
        pytest.param("PUT", "/cypher", JSON, b"{}", 405, id="put"),
        pytest.param("POST", "/health", {}, b"", 405, id="post health"),
        pytest.param("GET", "/nowhere", {}, None, 404, id="path"),
        pytest.param("GET", "/queries/unknown", {}, None, 404, id="query"),
        pytest.param("DELETE", "/queries/unknown", {}, None, 404, id="cancel"),
    ],
)  # fmt: skip
def test_errors_have_one_body(
    port: int, method: str, path: str, headers: dict[str, str], body: bytes | None, status: int
) -> None:
    answer = request(port, method, path, body=body, headers=headers)
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert list(answer.json()) == ["errors"]
    assert {"code", "message", "type"} <= answer.error().keys()
    if status == 405:
        assert answer.headers["allow"]


def test_an_error_shows_the_place(port: int) -> None:
    error = ask(port, "MATCH (n)\nRETURN m").error()
    assert (error["type"], error["detail"]) == ("SyntaxError", "UndefinedVariable")
    assert (error["line"], error["column"], error["query_line"]) == (2, 8, "RETURN m")


@pytest.mark.parametrize("format_", ["json", "ndjson"])
def test_an_error_after_the_first_byte_ends_the_body(port: int, format_: str) -> None:
    query = "UNWIND range(100000, 0, -1) AS x RETURN x, 1 / x AS y"
    answer = ask(port, query, format=format_)
    assert answer.status == 200
    last = answer.json() if format_ == "json" else json.loads(answer.body.splitlines()[-1])
    assert last["errors"][0]["type"] == "ArithmeticError"
    assert "end" not in last


def test_a_request_that_is_none(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        head, _, body = connection.makefile("rb").read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert json.loads(body)["errors"][0]["code"] == "Neo.ClientError.Request.InvalidFormat"


def test_limits_are_named(serve: Any) -> None:
    port = serve(max_body="2KiB", max_rows=10, default_timeout="300ms").port
    answer = ask(port, "RETURN 1", {"x": "y" * 3000})
    assert answer.status == 413
    assert "max_body" in answer.error()["message"]
    answer = ask(port, "UNWIND range(1, 11) AS x RETURN x")
    assert answer.status == 422
    assert "max_rows" in answer.error()["message"]
    answer = ask(port, "UNWIND range(1, 1000000000) AS x RETURN count(x)")
    assert answer.status == 504
    assert "default_timeout" in answer.error()["message"]


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(serve: Any) -> None:
    port = serve(max_body="2KiB").port
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        head = f"POST /cypher HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: 99999999\r\n"
        connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n{")
        # The end of the connection comes too, though the body never does.
        assert connection.makefile("rb").read().startswith(b"HTTP/1.1 413")


def test_parameters_nested_without_end_are_refused(port: int) -> None:
    body = b'{"query": "RETURN $x", "params": {"x": ' + b"[" * 500 + b"]" * 500 + b"}}"
    answer = request(port, "POST", "/cypher", body=body, headers=JSON)
    assert answer.status == 400
    assert "'x'" in answer.error()["message"]


def test_a_large_body_is_read(port: int) -> None:
    xs = list(range(200_000))
    assert ask(port, "RETURN size($xs)", {"xs": xs}).rows() == [[len(xs)]]


def test_keep_alive_and_pipelining(port: int) -> None:
    one = b"GET /cypher?query=RETURN%20{} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    asked = b"".join(one.replace(b"{}", b"%d" % i) for i in range(20))
    last = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(asked + last)
        answers = connection.makefile("rb").read()
    found = [part.partition(b"]]")[0] for part in answers.split(b'"data":[[')[1:]]
    assert found == [b"%d" % i for i in range(20)]


def test_health(port: int) -> None:
    answer = request(port, "GET", "/health")
    assert answer.status == 200
    assert answer.json()["status"] == "ok"


def test_the_sample_is_there(port: int) -> None:
    assert ask(port, "MATCH (p:Person) RETURN count(p)").rows() == [[PERSONS]]
