"""Request lines and headers: too large, broken, twice, of other protocols, and odd wishes."""

from __future__ import annotations

import json

import pytest

from tests.http.hostile.wire import HEALTH, JSON, TEXT, Case, ask, check, get, post, request

OK = (200,)
BAD = (400,)
LARGE = (431,)
QUERY = "/cypher?query=RETURN+1"
_INNER = b"DELETE /queries/x HTTP/1.1\r\nHost: x\r\n\r\n"


def _raw(name: str, send: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(name, send, statuses, says)


def _with(
    name: str, header: str | bytes, statuses: tuple[int, ...] = OK, says: bytes = b""
) -> Case:
    """A query that is as it should be, with one header more."""
    return Case(name, ask("RETURN 1", header), statuses, says)


_LINES = [
    _raw("rubbish", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256))
         + b"\r\n\r\n"),
    _raw("HTTP/0.9", b"GET /health\r\n\r\n"),
    _raw("HTTP/1.0", b"GET /health HTTP/1.0\r\nHost: @HOST@\r\n\r\n", OK),
    _raw("HTTP/1.0 without Host", b"GET /health HTTP/1.0\r\n\r\n", BAD, b"Host"),
    _raw("HTTP/1.0 that wants to stay",
         b"GET /health HTTP/1.0\r\nHost: @HOST@\r\nConnection: keep-alive\r\n\r\n", OK),
    _raw("HTTP/2.0", b"GET /health HTTP/2.0\r\nHost: @HOST@\r\n\r\n", BAD, b"HTTP/1.1"),
    _raw("HTTP/9.9", b"GET /health HTTP/9.9\r\nHost: @HOST@\r\n\r\n"),
    _raw("HTTP/11", b"GET /health HTTP/11\r\nHost: @HOST@\r\n\r\n"),
    _raw("no HTTP", b"GET /health FTP/1.1\r\nHost: @HOST@\r\n\r\n"),
    _raw("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    _raw("lower case", b"get /health http/1.1\r\nHost: @HOST@\r\n\r\n"),
    _raw("empty lines before it", b"\r\n\r\n" + HEALTH, OK),
    _raw("newlines alone", b"GET /health HTTP/1.1\nHost: @HOST@\n\n", (200, 400)),
    _raw("returns alone", b"GET /health HTTP/1.1\rHost: @HOST@\r\r"),
    _raw("no target", b"GET HTTP/1.1\r\nHost: @HOST@\r\n\r\n"),
    _raw("spaces in the target", b"GET /hea lth HTTP/1.1\r\nHost: @HOST@\r\n\r\n"),
    _raw("two spaces", b"GET  /health HTTP/1.1\r\nHost: @HOST@\r\n\r\n", (200, 400)),
    _raw("absolute target", b"GET http://@HOST@/health HTTP/1.1\r\nHost: @HOST@\r\n\r\n", OK),
    _raw("target of another host",
         b"GET http://evil.example/health HTTP/1.1\r\nHost: @HOST@\r\n\r\n", (200, 400, 403)),
    _raw("target of another host, and Host",
         b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\n\r\n", (403,)),
    _raw("target without a slash", get("health")),
    _raw("a star", get("*"), (400, 404)),
    _raw("OPTIONS of a star", request("OPTIONS", "*"), (204,)),
    _raw("bytes beyond ASCII in the target", get(b"/\xff\xfe")),
    _raw("NUL in the target", get(b"/health\x00")),
    _raw("method of 10,000 letters", request("A" * 10_000, "/health")),
    _raw("target of 100,000 characters", get("/" + "x" * 100_000), LARGE, b"max_head"),
    _raw("query of 100,000 characters", get("/cypher?query=" + "x" * 100_000), LARGE, b"max_head"),
    _raw("target of 60,000 characters", get("/" + "x" * 60_000), (404,)),
]  # fmt: skip

_METHODS = [
    *(Case(f"{method} /cypher", request(method, "/cypher"), (405,), b"GET and POST")
      for method in ("PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "M-SEARCH", "PURGE")),
    *(Case(f"{method} /health", request(method, "/health"), (405,), b"not answered at")
      for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "LOCK")),
    Case("BREW", request("BREW", "/pot"), BAD),
    Case("CONNECT", b"CONNECT evil.example:443 HTTP/1.1\r\nHost: @HOST@\r\n\r\n", BAD, b"no proxy"),
    Case("CONNECT of a path", request("CONNECT", "/cypher"), BAD),
    *(Case(f"HEAD {path}", request("HEAD", path), (status,))
      for path, status in (("/", 200), ("/queries", 200), ("/queries/events", 200),
                           ("/health", 200), ("/schema", 200), ("/openapi.json", 200),
                           ("/static/style.css", 200), ("/static/none", 404), ("/none", 404),
                           ("/queries/none", 404), ("/queries/none/cancel", 405),
                           ("/runningQueries", 308), (QUERY, 200), ("/cypher", 400),
                           ("/cypher?query=RETURN", 400), ("/cypher?query=CREATE+(:Evil)", 405))),
    Case("HEAD with a body", request("HEAD", "/health", body=b"x" * 1000), OK),
    Case("GET with a body", request("GET", "/health", body=b"x" * 1000), OK),
    Case("GET with a body that looks like a request", request("GET", "/health", body=_INNER), OK),
    Case("OPTIONS with a body", request("OPTIONS", "/cypher", body=b"x" * 1000), (204,)),
]  # fmt: skip

_HEADERS = [
    _with("header of 100,000 characters", "X-Long: " + "x" * 100_000, LARGE, b"max_head"),
    _with("name of 100,000 characters", "x" * 100_000 + ": 1", LARGE, b"max_head"),
    _with("10,000 headers", "\r\n".join(f"X-{i}: {i}" for i in range(10_000)), LARGE, b"max_head"),
    _with("1,000 headers", "\r\n".join(f"X-{i}: {i}" for i in range(1_000))),
    _with("folded", "X-Folded: a\r\n b", (200, 400)),
    _with("folded first", " X-Folded: a", BAD),
    _with("no colon", "Rubbish", BAD),
    _with("no name", ": value", BAD),
    _with("space before the colon", "X-Odd : 1", BAD),
    _with("name of odd characters", "X(Odd): 1", BAD),
    _with("no value", "X-Empty:"),
    _with("NUL in a value", b"X-Odd: a\x00b", BAD),
    _with("return in a value", b"X-Odd: a\rb", BAD),
    _with("bytes beyond ASCII in a value", b"X-Odd: \xff\xfe"),
    _with("Host twice", "Host: @HOST@", BAD, b"Host"),
    _with("Host twice, one foreign", "Host: evil.example", BAD, b"Host"),
    _raw("no Host", b"GET /health HTTP/1.1\r\n\r\n", BAD, b"Host"),
    *(_raw(f"Host {host!r}", b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n", statuses)
      for host, statuses in (
          (b"", BAD), (b"evil.example", (403,)), (b"evil@127.0.0.1", (403,)),
          (b"127.0.0.1/evil", (403,)), (b"127.0.0.1#.evil.example", (403,)),
          (b"127.0.0.1.evil.example", (403,)), (b"[::1", (403,)), (b"[", (403,)),
          (b"localhost:99999999", (200, 403)), (b"LOCALHOST", OK), (b"[::1]", OK),
          (b"127.0.0.1:x", (200, 403)), (b"\xff", (403,)), (b"0x7f.1", (403,)),
          (b"x" * 50_000, (403,)), (b"127.0.0.1 evil.example", (403,)),
          (b"127.0.0.1\\evil.example", (403,)))),
    _with("Connection of rubbish", "Connection: ,,;=close?"),
    _with("Connection: close", "Connection: close"),
    _with("Connection names Host", "Connection: Host, Content-Length"),
    _with("Upgrade to HTTP/2", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
          "HTTP2-Settings: AAMAAABkAAQAAP__", OK, b"[[1]]"),
    _with("Upgrade to a web socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n"
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", OK, b"[[1]]"),
    _raw("Upgrade without a body", get("/health", "Connection: Upgrade", "Upgrade: h2c"), OK),
    _with("Upgrade to TLS", "Connection: upgrade\r\nUpgrade: TLS/1.2"),
    _with("Upgrade not in Connection", "Upgrade: h2c"),
    _with("Expect: 100-continue", "Expect: 100-continue"),
    _with("Expect something else", "Expect: the-unexpected"),
    _with("Range", "Range: bytes=0-3"),
    *(Case(f"Range {value} of a file", get("/static/style.css", f"Range: {value}"), (200, 206,
         400, 416))
      for value in ("bytes=0-0", "bytes=5-2", "bytes=-", "bytes=999999999-", "bytes=-999999999",
                    "bytes=" + ",".join(f"{i}-{i}" for i in range(0, 4000, 2)),
                    "bytes=" + "9" * 5_000 + "-", "bytes=a-b", "rows=1-2", "=")),
    Case("If-Modified-Since of rubbish", get("/static/style.css", "If-Modified-Since: never"), OK),
    Case("If-None-Match of anything", get("/static/style.css", "If-None-Match: *"), (200, 304)),
    _with("If-Match", 'If-Match: "x"'),
    _with("Authorization of rubbish", "Authorization: Basic ====="),
    _with("Cookie of 30,000 characters", "Cookie: " + "a=b;" * 7_500),
    _with("Forwarded", "X-Forwarded-For: evil.example\r\nX-Forwarded-Host: evil.example\r\n"
          "X-Forwarded-Proto: evil\r\nForwarded: for=evil"),
    _with("method in a header", "X-HTTP-Method-Override: DELETE"),
]  # fmt: skip

_BODY = json.dumps({"query": "RETURN 1"}).encode()
_LENGTHS = [
    Case(f"Content-Length {value!r}",
         request("POST", "/cypher", f"Content-Type: {JSON}", "Content-Length: " + value) + _BODY,
         statuses, whole=False)
    for value, statuses in (
        ("-1", BAD), ("+21", BAD), ("2 1", BAD), ("", (200, 400)), ("0x15", BAD), ("21.0", BAD),
        ("21,21", BAD), ("1e1", BAD), ("twenty", BAD), ("0", BAD), ("5", BAD), ("\xb2", BAD))
]  # fmt: skip
_LENGTHS += [
    Case("Content-Length twice", post(_BODY, JSON, f"Content-Length: {len(_BODY)}"), BAD,
         whole=False),
    Case("Content-Length twice, differing", post(_BODY, JSON, "Content-Length: 3"), BAD,
         whole=False),
    Case("no length", request("POST", "/cypher", f"Content-Type: {JSON}"), BAD),
    *(Case(f"Content-Length and Transfer-Encoding, {order}",
           request("POST", "/cypher", f"Content-Type: {TEXT}", *lines) + b"0\r\n\r\n" + HEALTH,
           BAD, whole=False)
      for order, lines in (
          ("length first", ("Content-Length: 5", "Transfer-Encoding: chunked")),
          ("length last", ("Transfer-Encoding: chunked", "Content-Length: 5")))),
    *(Case(f"Transfer-Encoding {value!r}",
           request("POST", "/cypher", f"Content-Type: {TEXT}", f"Transfer-Encoding: {value}")
           + b"8\r\nRETURN 1\r\n0\r\n\r\n", statuses, whole=False)
      for value, statuses in (
          ("chunked", OK), ("CHUNKED", OK), ("identity", BAD), ("gzip", BAD), ("", (400, 415)),
          ("gzip, chunked", BAD), ("chunked, gzip", BAD), ("chunked, chunked", BAD),
          ("xchunked", BAD), ("chunked;q=1", BAD), ("\x0bchunked", BAD), ("chunked\x0b", BAD))),
    Case("Transfer-Encoding twice", request("POST", "/cypher", f"Content-Type: {TEXT}",
         "Transfer-Encoding: chunked", "Transfer-Encoding: identity")
         + b"8\r\nRETURN 1\r\n0\r\n\r\n", BAD, whole=False),
]  # fmt: skip

CASES = [*_LINES, *_METHODS, *_HEADERS, *_LENGTHS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name[:60])
def test_head(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)
