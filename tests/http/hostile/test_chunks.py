"""Bodies in chunks: broken sizes, extensions, trailers, very many, and without an end."""

from __future__ import annotations

import pytest

from tests.http.hostile.wire import JSON, Case, check, chunked

OK = (200,)
BAD = (400,)
_QUERY = b"8\r\nRETURN 1\r\n"
_END = b"0\r\n\r\n"


def _bytewise(text: bytes) -> bytes:
    return b"".join(b"1\r\n%c\r\n" % byte for byte in text)


CASES = [
    Case("one", chunked(_QUERY + _END), OK, b"[[1]]"),
    Case("none", chunked(_END), BAD, b"there is no query"),
    Case("a byte each", chunked(_bytewise(b"RETURN 1") + _END), OK, b"[[1]]"),
    Case("20,000 of a byte", chunked(_bytewise(b"RETURN 1" + b" " * 20_000) + _END), OK, b"[[1]]"),
    Case("zeros before the size", chunked(b"00000008\r\nRETURN 1\r\n000\r\n\r\n"), OK),
    Case("size in capitals", chunked(b"A\r\nRETURN 123\r\n0\r\n\r\n"), OK),
    Case("size is a word", chunked(b"eight\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size is negative", chunked(b"-8\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size has a sign", chunked(b"+8\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size has a prefix", chunked(b"0x8\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size has an underscore", chunked(b"0_8\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size is missing", chunked(b"\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size is of 17 digits", chunked(b"fffffffffffffffff\r\nRETURN 1"), BAD, whole=False),
    Case("size is 2 ** 64 - 1", chunked(b"ffffffffffffffff\r\n" + b"R" * 3_000_000), (400, 413),
         whole=False),
    Case("size is of 300,000 digits", chunked(b"0" * 300_000), (400, 431), whole=False),
    Case("size is too small", chunked(b"3\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("size is too large", chunked(b"9\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("space behind the size", chunked(b"8 \r\nRETURN 1\r\n" + _END), (200, 400), whole=False),
    Case("newlines alone", chunked(b"8\nRETURN 1\n0\n\n"), (200, 400), whole=False),
    Case("return in the size", chunked(b"8\rX\r\nRETURN 1\r\n" + _END), BAD, whole=False),
    Case("extension", chunked(b"8;name=value\r\nRETURN 1\r\n" + _END), OK),
    Case("extension, quoted", chunked(b'8;name="a;b"\r\nRETURN 1\r\n' + _END), OK),
    Case("extension of rubbish", chunked(b"8;;;==\r\nRETURN 1\r\n" + _END), (200, 400),
         whole=False),
    Case("extension of 300,000 bytes", chunked(b"8;" + b"x" * 300_000), (400, 431), whole=False),
    Case("extension with a newline", chunked(b"8;a\nb\r\nRETURN 1\r\n" + _END), (200, 400),
         whole=False),
    Case("trailer", chunked(_QUERY + b"0\r\nX-Checksum: 1\r\n\r\n"), OK, b"[[1]]"),
    Case("trailer that names a content type",
         chunked(_QUERY + b"0\r\nContent-Type: application/json\r\n\r\n"), OK, b"[[1]]"),
    Case("trailer that names a length", chunked(_QUERY + b"0\r\nContent-Length: 5\r\n\r\n"),
         (200, 400), whole=False),
    Case("trailer that names an origin",
         chunked(_QUERY + b"0\r\nOrigin: https://evil.example\r\n\r\n"), OK, b"[[1]]"),
    Case("trailer of rubbish", chunked(_QUERY + b"0\r\nrubbish\r\n\r\n"), BAD, whole=False),
    Case("trailer of 300,000 bytes", chunked(_QUERY + b"0\r\nX: " + b"x" * 300_000), (431,),
         b"max_head", whole=False),
    Case("10,000 trailers", chunked(_QUERY + b"0\r\n" + b"X: y\r\n" * 10_000 + b"\r\n"), OK),
    Case("100,000 trailers", chunked(_QUERY + b"0\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"), (200,
         431),
         whole=False),
    Case("more than max_body", chunked(b"100000\r\n" + b" " * 0x100000 + b"\r\n"
         + b"100000\r\n" + b" " * 0x100000 + b"\r\n" + b"1\r\n1\r\n" + _END), (413,), b"max_body",
         whole=False),
    Case("JSON cut by a chunk", chunked(b'8\r\n{"query"\r\nd\r\n: "RETURN 1"}\r\n' + _END, JSON),
         OK),
    Case("a character cut by a chunk",
         chunked(b"9\r\nRETURN '\xc3\r\n2\r\n\xa9'\r\n" + _END), OK, "é".encode()),
    Case("rubbish behind the end", chunked(_QUERY + _END) + b"rubbish\r\n\r\n", OK, whole=False),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_chunks(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)
