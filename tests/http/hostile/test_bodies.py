"""Bodies of every content type that are not what their type says, too much, or too deep."""

from __future__ import annotations

import gzip
import json
import struct

import msgpack
import pytest

from tests.http.hostile.wire import FORM, JSON, MSGPACK, TEXT, Case, check, post, request

DEEP = 100_000
OK = (200,)
BAD = (400,)
TYPE = (415,)


def _json(name: str, body: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(f"json {name}", post(body), statuses, says)


def _params(name: str, value: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    body = b'{"query": "RETURN $x AS x", "params": {"x": ' + value + b"}}"
    return _json(name, body, statuses, says)


def _msgpack(name: str, body: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(f"msgpack {name}", post(body, MSGPACK), statuses, says)


def _form(name: str, body: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(f"form {name}", post(body, FORM), statuses, says)


def _text(name: str, body: bytes, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(f"text {name}", post(body, TEXT), statuses, says)


def _type(name: str, content_type: str, statuses: tuple[int, ...] = TYPE) -> Case:
    return Case(f"type {name}", post(b'{"query": "RETURN 1"}', content_type), statuses)


_OF_JSON = [
    _json("empty", b""),
    _json("blank", b"   "),
    _json("cut in a string", b'{"query": "RETURN'),
    _json("cut in a map", b'{"query": "RETURN 1", "params": {'),
    _json("more behind it", b'{"query": "RETURN 1"} {"query": "RETURN 2"}'),
    _json("trailing comma", b'{"query": "RETURN 1",}'),
    _json("single quotes", b"{'query': 'RETURN 1'}"),
    _json("comment", b'{"query": "RETURN 1" /* so */}'),
    _json("list", b'["RETURN 1"]'),
    _json("string", b'"RETURN 1"'),
    _json("number", b"7"),
    _json("null", b"null"),
    _json("NUL byte", b'{"query": "RETURN 1"}\x00'),
    _json("byte order mark", b'\xef\xbb\xbf{"query": "RETURN 1"}'),
    _json("UTF-16", '{"query": "RETURN 1"}'.encode("utf-16")),
    _json("UTF-32", '{"query": "RETURN 1"}'.encode("utf-32")),
    _json("Latin-1", b'{"query": "RETURN \'\xe9\'"}'),
    _json("overlong UTF-8", b'{"query": "RETURN \'\xc0\xaf\'"}'),
    _json("encoded surrogate", b'{"query": "RETURN \'\xed\xa0\x80\'"}'),
    _json("lone surrogate", b'{"query": "RETURN \'\\ud800\'"}'),
    _json("lone low surrogate", b'{"query": "RETURN \'\\udc00\'"}'),
    _json("raw newline in a string", b'{"query": "RETURN\n1"}'),
    _json("query is a number", b'{"query": 1}', says=b"query is not a string"),
    _json("query is a list", b'{"query": ["RETURN 1"]}', says=b"query is not a string"),
    _json("query is null", b'{"query": null}', says=b"there is no query"),
    _json("query and statement", b'{"query": "RETURN 1", "statement": "RETURN 2"}', says=b"twice"),
    _json("unknown key", b'{"query": "RETURN 1", "resultDataContents ": []}', says=b"unknown key"),
    _json("key of 50,000 characters", b'{"query": "RETURN 1", "' + b"k" * 50_000 + b'": 1}'),
    _json("nested maps", b'{"a":' * DEEP),
    _json("nested lists", b"[" * DEEP),
    _json("nested lists, closed", b"[" * DEEP + b"]" * DEEP),
    _json("params is a list", b'{"query": "RETURN 1", "params": [1]}', says=b"params is not a map"),
    _json("params is text", b'{"query": "RETURN 1", "params": "{}"}', says=b"params is not a map"),
    _json("10,000 unused params", json.dumps(
        {"query": "RETURN 1", "params": {f"p{i}": i for i in range(10_000)}}).encode(), OK),
    _json("a query twice", b'{"query": "RETURN 1", "query": "RETURN 2"}', (200, 400)),
    _params("NaN", b"NaN"),
    _params("Infinity", b"-Infinity"),
    _params("leading zero", b"007"),
    _params("hexadecimal", b"0x10"),
    _params("2 ** 63", b"9223372036854775808", says=b"beyond 64 bits"),
    _params("- 2 ** 63", b"-9223372036854775808", OK, b"-9223372036854775808"),
    _params("300 digits", b"9" * 300, says=b"beyond 64 bits"),
    _params("5,000 digits", b"9" * 5_000),
    _params("100,000 digits", b"9" * 100_000),
    _params("exponent of 3 digits", b"1e999", (200, 400)),
    _params("exponent of 400 digits", b"1e" + b"9" * 400, (200, 400)),
    _params("tiny", b"1e-999", OK),
    _params("float of 10,000 digits", b"0." + b"3" * 10_000, OK),
    _params("150 lists", b"[" * 150 + b"]" * 150, OK),
    _params("300 lists", b"[" * 300 + b"]" * 300, says=b"nested deeper"),
    _params("300 maps", b'{"a":' * 300 + b"1" + b"}" * 300, says=b"nested deeper"),
    _params("a key of NUL", b'{"\\u0000": 1}', OK),
    _params("a string of 1 MB", b'"' + b"x" * 1_000_000 + b'"', OK),
    _params("a list of 200,000", b"[" + b"1," * 199_999 + b"1]", OK),
]  # fmt: skip

_ASK = {"query": "RETURN $x AS x"}


def _packed(value: object) -> bytes:
    packed: bytes = msgpack.packb({**_ASK, "params": {"x": value}})
    return packed


_OF_MSGPACK = [
    _msgpack("empty", b""),
    _msgpack("rubbish", bytes(range(255, 0, -1))),
    _msgpack("unused code", b"\xc1"),
    _msgpack("cut", _packed("x" * 100)[:40]),
    _msgpack("more behind it", _packed(1) + _packed(2)),
    _msgpack("list", msgpack.packb(["RETURN 1"])),
    _msgpack("JSON", b'{"query": "RETURN 1"}'),
    _msgpack("map of 4 billion", b"\xdf\xff\xff\xff\xff"),
    _msgpack("list of 4 billion", b"\xdd\xff\xff\xff\xff"),
    _msgpack("string of 4 GB", b"\xdb\xff\xff\xff\xff"),
    _msgpack("bytes of 4 GB", b"\xc6\xff\xff\xff\xff"),
    _msgpack("extension of 4 GB", b"\xc9\xff\xff\xff\xff\x01"),
    _msgpack("string that is no UTF-8", b"\x81\xa5query\xa2\xff\xfe"),
    _msgpack("string with a surrogate", b"\x81\xa5query\xa3\xed\xa0\x80"),
    _msgpack("nested lists", b"\x91" * DEEP),
    _msgpack("nested maps", b"\x81\xa1a" * DEEP),
    _msgpack("bytes", _packed(b"\x00\xff"), says=b"no Cypher value"),
    _msgpack("number as key", msgpack.packb({1: 2})),
    _msgpack("list as key", b"\x81\x91\x01\x02"),
    _msgpack("bytes as key", msgpack.packb({b"query": "RETURN 1"})),
    _msgpack("bytes as key of a parameter", _packed({b"a": 1}), says=b"no string"),
    _msgpack("unknown extension", _packed(msgpack.ExtType(99, b"?"))),
    _msgpack("extension without data", _packed(msgpack.ExtType(1, b""))),
    *(
        _msgpack(f"extension {code} of rubbish", _packed(msgpack.ExtType(code, b"\xff" * size)))
        for code in range(1, 9) for size in (1, 8, 17)
    ),
    _msgpack("timestamp", _packed(msgpack.Timestamp(1, 2))),
    _msgpack("timestamp of 5 bytes", _packed(msgpack.ExtType(5, b"x" * 5))),
    _msgpack("timestamp of no known size", b"\x81\xa1x\xc7\x03\xff\x00\x00\x00"),
    _msgpack("2 ** 64 - 1", _packed(2**64 - 1), says=b"beyond 64 bits"),
    _msgpack("NaN", _packed(float("nan")), OK, b"NaN"),
    _msgpack("infinity", _packed(float("inf")), OK, b"Infinity"),
]  # fmt: skip

_OF_FORMS = [
    _form("empty", b""),
    _form("10,000 fields", b"&".join(b"f%d=1" % i for i in range(10_000))),
    _form("500 fields", b"query=RETURN+1&" + b"&".join(b"f%d=1" % i for i in range(500)), OK),
    _form("10,000 separators", b"&" * 10_000 + b"query=RETURN+1", (200, 400)),
    _form("no separators", b"x" * 100_000, says=b"there is no query"),
    _form("no value", b"query", says=b"there is no query"),
    _form("broken escape", b"query=RETURN+%ZZ"),
    _form("escape that is cut", b"query=RETURN+1%2", OK),
    _form("escape of half a character", b"query=RETURN+'%C3'"),
    _form("escape of a surrogate", b"query=RETURN+'%ED%A0%80'"),
    _form("bytes that are no UTF-8", b"query=RETURN+'\xff'"),
    _form("NUL", b"query=RETURN+'%00'", OK),
    _form("query twice", b"query=RETURN+1&query=RETURN+2", says=b"twice"),
    _form("a parameter twice", b"query=RETURN+$x&x=1&x=2", says=b"twice"),
    _form("a parameter in both ways", b'query=RETURN+$x&x=1&params={"x":2}', says=b"twice"),
    _form("params that are no JSON", b"query=RETURN+1&params={x:1}"),
    _form("params of 5,000 digits", b'query=RETURN+$x&params={"x":' + b"9" * 5_000 + b"}"),
    _form("params nested", b"query=RETURN+1&params=" + b"[" * DEEP),
    Case(
        "form and the URL have a query",
        post(b"query=RETURN+1", FORM, target="/cypher?query=RETURN+2"),
        BAD,
        b"in the URL and in the body",
    ),
    _form("a name of 100,000 characters", b"query=RETURN+1&" + b"n" * 100_000 + b"=1", OK),
]

_OF_TEXTS = [
    _text("empty", b"", says=b"there is no query"),
    _text("blank", b" \r\n\t ", says=b"there is no query"),
    _text("byte order mark", b"\xef\xbb\xbfRETURN 1", (200, 400)),
    _text("UTF-16", "RETURN 1".encode("utf-16")),
    _text("no UTF-8", b"RETURN '\xff'", says=b"not UTF-8"),
    _text("NUL bytes", b"\x00" * 1000),
    _text("random bytes", bytes(range(256)) * 4),
]

_OF_TYPES = [
    Case("type none", request("POST", "/cypher", body=b"RETURN 1"), TYPE),
    _type("empty", ""),
    _type("blank", "   "),
    _type("unknown", "application/xml"),
    _type("of a file upload", "multipart/form-data; boundary=x"),
    _type("two", "application/json, text/plain"),
    _type("only a slash", "/"),
    _type("very long", "application/" + "j" * 20_000),
    _type("UTF-16", "application/json; charset=utf-16"),
    _type("Latin-1", "text/plain; charset=iso-8859-1"),
    _type("charset unknown", "text/plain; charset=;;;="),
    _type("odd parameters", "application/json;;; =; charset", (200, 415)),
    _type("upper case", "APPLICATION/JSON", OK),
    _type("charset quoted", 'application/json; charset="UTF-8"', OK),
    Case("type twice", post(b'{"query": "RETURN 1"}', JSON, "Content-Type: text/plain"), TYPE),
    Case("gzip", post(gzip.compress(b'{"query": "RETURN 1"}'), JSON, "Content-Encoding: gzip"),
         TYPE, b"Content-Encoding"),
    Case("gzip bomb", post(gzip.compress(bytes(1 << 24)), JSON, "Content-Encoding: gzip"), TYPE),
    Case("gzip not said", post(gzip.compress(b'{"query": "RETURN 1"}')), BAD),
    Case("gzip said only", post(b'{"query": "RETURN 1"}', JSON, "Content-Encoding: gzip"), TYPE),
    Case("brotli and gzip", post(b"?", JSON, "Content-Encoding: br, gzip"), TYPE),
    Case("identity", post(b'{"query": "RETURN 1"}', JSON, "Content-Encoding: identity"), OK),
]  # fmt: skip

_OF_SIZES = [
    Case("3 MB", post(b'{"query": "' + b" " * (3 << 20) + b'"}'), (413,), b"max_body", whole=False),
    Case("3 MB are announced", request("POST", "/cypher", f"Content-Type: {JSON}",
         "Content-Length: 3145728") + b"{", (413,), b"max_body", whole=False),
    Case("a number of 30 digits is announced", request("POST", "/cypher", f"Content-Type: {JSON}",
         "Content-Length: " + "9" * 30) + b"{", (400, 413), whole=False),
    Case("2 ** 64 - 1 is announced", request("POST", "/cypher", f"Content-Type: {JSON}",
         "Content-Length: 18446744073709551615") + b"{", (400, 413), whole=False),
    Case("text over max_query_length", post(b"RETURN " + b"1" * 1_100_000, TEXT), BAD,
         b"max_query_length"),
    Case("floats of rubbish", post(struct.pack("<1000d", *[1e308] * 1000), TEXT), BAD),
]  # fmt: skip

CASES = [*_OF_JSON, *_OF_MSGPACK, *_OF_FORMS, *_OF_TEXTS, *_OF_TYPES, *_OF_SIZES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_body(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)
