"""Requests that pages of other sites make: none of them may change, cancel or read anything."""

from __future__ import annotations

import json

import msgpack
import pytest

from tests.http.hostile.conftest import WITNESS
from tests.http.hostile.wire import FORM, JSON, MSGPACK, TEXT, Case, Wire, check, get, post, request

NO = (403,)
_EVIL = "CREATE (:Evil)"
_BODIES = {
    JSON: json.dumps({"query": _EVIL}).encode(),
    MSGPACK: msgpack.packb({"query": _EVIL}),
    "application/x-msgpack": msgpack.packb({"query": _EVIL}),
    FORM: b"query=CREATE+(:Evil)",
    TEXT: _EVIL.encode(),
    "application/cypher": _EVIL.encode(),
}
_WHO = {
    "another site": ("Origin: https://evil.example",),
    "null": ("Origin: null",),
    "an empty origin": ("Origin:",),
    "another port": ("Origin: http://127.0.0.1:1",),
    "another name for this host": ("Origin: http://localhost",),
    "this host as a prefix": ("Origin: http://127.0.0.1.evil.example",),
    "this host as a user": ("Origin: http://@HOST@@evil.example",),
    "this host and another": ("Origin: http://@HOST@", "Origin: https://evil.example"),
    "two origins in one": ("Origin: http://@HOST@ https://evil.example",),
    "a file": ("Origin: file://",),
    "an extension": ("Origin: chrome-extension://abcdef",),
    "bytes": (b"Origin: \xff\xfe",),
    "10,000 letters": ("Origin: http://" + "x" * 10_000,),
    "cross-site": ("Sec-Fetch-Site: cross-site",),
    "same-site": ("Sec-Fetch-Site: same-site",),
    "a word that is none": ("Sec-Fetch-Site: rubbish",),
    "none, and cross-site": ("Sec-Fetch-Site: none", "Sec-Fetch-Site: cross-site"),
    "DNS that was rebound": ("Origin: http://evil.example", "Sec-Fetch-Site: same-origin"),
}

_ASKS = [
    Case(f"{who} asks in {kind}", post(body, kind, *headers), NO)
    for who, headers in _WHO.items()
    for kind, body in _BODIES.items()
]
_CHANGES = [
    Case(f"{who}: {method} {path}"[:70], request(method, path, *headers), NO)
    for who, headers in _WHO.items()
    for method, path in (
        ("DELETE", f"/queries/{WITNESS}"),
        ("POST", f"/queries/{WITNESS}/cancel"),
        ("GET", "/cypher?query=RETURN+1"),
    )
]
_PRE_FLIGHTS = [
    Case(f"pre-flight of {method} {path}",
         request("OPTIONS", path, "Origin: https://evil.example",
                 f"Access-Control-Request-Method: {method}",
                 "Access-Control-Request-Headers: content-type, x-evil"), (204,))
    for method, path in (("POST", "/cypher"), ("DELETE", f"/queries/{WITNESS}"),
                         ("POST", f"/queries/{WITNESS}/cancel"), ("BREW", "/none"))
]  # fmt: skip
_REBOUND = [
    Case(f"{method} {path} by another name",
         f"{method} {path} HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n".encode(),
         NO)
    for method, path in (
        ("GET", "/"), ("GET", "/cypher?query=RETURN+1"), ("POST", "/cypher"), ("GET", "/queries"),
        ("GET", "/queries/events"), ("DELETE", f"/queries/{WITNESS}"), ("GET", "/health"),
        ("GET", "/schema"), ("GET", "/openapi.json"), ("GET", "/static/style.css"),
        ("OPTIONS", "/cypher"), ("HEAD", "/queries"), ("POST", f"/queries/{WITNESS}/cancel"))
]  # fmt: skip
_OWN = [
    Case("own page", get("/cypher?query=RETURN+1", "Origin: http://@HOST@"), (200,)),
    Case(
        "own page, by fetch", get("/cypher?query=RETURN+1", "Sec-Fetch-Site: same-origin"), (200,)
    ),
    Case("typed into a browser", get("/cypher?query=RETURN+1", "Sec-Fetch-Site: none"), (200,)),
]

CASES = [*_ASKS, *_CHANGES, *_PRE_FLIGHTS, *_REBOUND, *_OWN]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_origin(hostile_port: int, case: Case) -> None:
    """That nothing was written or cancelled is looked up when all have been tried."""
    check(hostile_port, case)


@pytest.mark.parametrize("case", _PRE_FLIGHTS, ids=lambda case: case.name)
def test_a_pre_flight_allows_nothing(hostile_port: int, case: Case) -> None:
    with Wire(hostile_port) as wire:
        wire.send(case.send)
        names = wire.read().headers
        assert not [name for name in names if name.startswith("access-control")]
