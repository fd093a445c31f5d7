"""Errors behind the first byte, as the clients that people use see them."""

from __future__ import annotations

import csv
import gzip
import http.client
import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import httpx
import msgpack
import pytest

from benchmarks.client import ask
from tests.http.formats import BROKEN_OFF, FORMATS, LATE, MANY, TOLD, encoded
from tests.unit.render import readers


@pytest.mark.parametrize("accept_encoding", ["identity", "gzip"])
@pytest.mark.parametrize("format_", BROKEN_OFF)
def test_a_late_error_breaks_the_body_off(port: int, format_: str, accept_encoding: str) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        encoded(port, LATE, accept_encoding, format=format_)
    fields = {"query": LATE, "format": format_}
    headers = {"Accept-Encoding": accept_encoding}
    with pytest.raises(httpx.TransportError):
        httpx.post(f"http://127.0.0.1:{port}/cypher", json=fields, headers=headers, trust_env=False)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("format_", FORMATS)
def test_curl_tells_a_late_error_from_success(port: int, format_: str) -> None:
    def curl(query: str) -> int:
        url = f"http://127.0.0.1:{port}/cypher?format={format_}"
        command = ["curl", "-s", "--noproxy", "*", "--fail", "-o", "/dev/null", url]
        command += ["-H", "Content-Type: text/plain", "--data-binary", query]
        return subprocess.run(command, timeout=60, check=False).returncode

    assert curl(MANY) == 0
    code = curl(LATE)
    if format_ in BROKEN_OFF:
        assert code in (18, 56)
    else:
        assert code == (22 if format_ == "msgpack" else 0)


def _address(port: int, query: str, format_: str) -> str:
    return f"http://127.0.0.1:{port}/cypher?" + urlencode({"query": query, "format": format_})


@pytest.mark.parametrize("format_", BROKEN_OFF)
def test_requests_tells_a_late_error_from_success(port: int, format_: str) -> None:
    requests = pytest.importorskip("requests")
    session = requests.Session()
    session.trust_env = False
    assert session.get(_address(port, MANY, format_)).status_code == 200
    with pytest.raises(requests.exceptions.RequestException):
        session.get(_address(port, LATE, format_))


@pytest.mark.parametrize("format_", TOLD)
def test_requests_reads_a_late_error(port: int, format_: str) -> None:
    requests = pytest.importorskip("requests")
    session = requests.Session()
    session.trust_env = False
    assert b"/ by zero" not in session.get(_address(port, MANY, format_)).content
    assert b"/ by zero" in session.get(_address(port, LATE, format_)).content[-4000:]


@pytest.mark.parametrize("format_", ["csv", "csv-excel"])
def test_pandas_tells_a_late_error_from_success(
    port: int, format_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    pandas = pytest.importorskip("pandas")
    assert len(pandas.read_csv(_address(port, MANY, format_))) == 200_000
    with pytest.raises(http.client.IncompleteRead):
        pandas.read_csv(_address(port, LATE, format_))


def test_pandas_sees_a_late_error_in_lines(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line has a column of its own, which only a whole answer calls `end`."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    pandas = pytest.importorskip("pandas")

    def last(query: str) -> Any:
        address = _address(port, query, "ndjson") + "&rows=objects"
        return pandas.read_json(address, lines=True).iloc[-1]

    assert last(MANY)["end"] == {"rows": 200_000}
    assert last(LATE)["errors"][0]["type"] == "ArithmeticError"


def _last_object(body: bytes) -> Any:
    *_, last = msgpack.Unpacker(io.BytesIO(body), max_buffer_size=0)
    return last


TAILS: dict[str, Callable[[bytes], Any]] = {
    "json": json.loads,
    "ndjson": lambda body: json.loads(body.splitlines()[-1]),
    "msgpack-seq": _last_object,
}


@pytest.mark.parametrize("accept_encoding", ["identity", "gzip"])
@pytest.mark.parametrize("format_", TOLD)
def test_a_late_error_is_told_in_the_body(port: int, format_: str, accept_encoding: str) -> None:
    answer = encoded(port, LATE, accept_encoding, format=format_)
    assert answer.status == 200
    body = gzip.decompress(answer.body) if accept_encoding == "gzip" else answer.body
    if format_ == "html":
        assert b"/ by zero" in body
        assert b"not the whole result" in body
        assert body.rstrip().endswith(b"</html>")
    else:
        last = TAILS[format_](body)
        assert last["errors"][0]["type"] == "ArithmeticError"
        assert "end" not in last


def test_msgpack_has_no_late_errors(port: int) -> None:
    answer = ask(port, LATE, format="msgpack")
    assert answer.status == 400
    assert msgpack.unpackb(answer.body)["errors"][0]["type"] == "ArithmeticError"


def _lines(response: http.client.HTTPResponse) -> Iterator[str]:
    yield from io.TextIOWrapper(response, encoding="utf-8", newline="")


def test_a_csv_reader_on_the_stream_sees_the_late_error(port: int) -> None:
    def read(query: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        path = "/cypher?" + urlencode({"query": query, "format": "csv"})
        connection.request("GET", path)
        rows = sum(1 for _ in csv.reader(_lines(connection.getresponse())))
        connection.close()
        return rows

    assert read(MANY) == 200_001
    with pytest.raises(http.client.IncompleteRead):
        read(LATE)


def test_a_msgpack_reader_on_the_stream_sees_the_late_error(port: int) -> None:
    def last(query: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        path = "/cypher?" + urlencode({"query": query, "format": "msgpack-seq"})
        connection.request("GET", path)
        *_, end = msgpack.Unpacker(connection.getresponse())
        connection.close()
        return end

    assert last(MANY) == {"end": {"rows": 200_000}}
    assert list(last(LATE)) == ["errors"]


@pytest.mark.parametrize("format_", FORMATS)
def test_the_row_limit_is_an_error_in_every_format(limited: int, format_: str) -> None:
    """Not an end like any other."""
    if format_ in BROKEN_OFF:
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            ask(limited, MANY, format=format_)
        return
    answer = ask(limited, MANY, format=format_)
    assert b"max_rows" in answer.body
    assert answer.status == (422 if format_ == "msgpack" else 200)


def test_a_msgpack_map_larger_than_the_spool_is_refused(limited: int) -> None:
    query = "UNWIND range(1, 50000) AS x RETURN x, $text AS t"
    answer = ask(limited, query, {"text": "x" * 100}, format="msgpack")
    assert answer.status == 422
    assert "spool_limit" in msgpack.unpackb(answer.body)["errors"][0]["message"]
    sequence = ask(limited, query, {"text": "x" * 100}, format="msgpack-seq")
    assert len(readers.read_msgpack_seq(sequence.body)) == 50_000


def test_a_msgpack_map_from_the_spool_file(port: int) -> None:
    query = "UNWIND range(1, 60000) AS x RETURN x, $text AS t"
    answer = ask(port, query, {"text": "x" * 100}, format="msgpack")
    rows = readers.read_msgpack(answer.body)
    assert len(answer.body) > 6_000_000
    assert rows == [[x, "x" * 100] for x in range(1, 60_001)]
