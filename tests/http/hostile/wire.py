"""Requests as bytes on a socket, and what comes back.

    Case: bytes --> Wire --> Reply: one of the statuses that the case allows
                                |-> "connection: close": the end follows
                                '-> else: the connection answers another request

Nothing here uses an HTTP library: those will not send what these tests have to send.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.client import RawConnection

SECONDS = 30.0
"""No answer within so long is a hang."""

HOST = b"@HOST@"
"""Stands for the server's address in a case's bytes."""

HEALTH = b"GET /health HTTP/1.1\r\nHost: @HOST@\r\n\r\n"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
MSGPACK = "application/msgpack"
TEXT = "text/plain"


@dataclass(frozen=True, slots=True)
class Case:
    """`statuses` are those that may come back; `says` is in the body; `whole` is False when the
    server may close the connection though it has not said so: a request that was cut short."""

    name: str
    send: bytes
    statuses: tuple[int, ...]
    says: bytes = b""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def closes(self) -> bool:
        return self.headers.get("connection", "").lower() == "close"

    def json(self) -> Any:
        return json.loads(self.body)


class NoAnswer(Exception):
    """The connection ended where an answer should have begun, or in the middle of one."""


class Wire:
    """One connection."""

    def __init__(self, port: int, receive_buffer: int | None = None) -> None:
        self._address = f"127.0.0.1:{port}".encode()
        self._raw = RawConnection(port, receive_buffer)
        self.socket = self._raw.socket
        self.socket.settimeout(SECONDS)
        self._file = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        """All of it, unless the server closes before: what it said is still to be read."""
        with contextlib.suppress(ConnectionError):
            self.socket.sendall(data.replace(HOST, self._address))

    def read(self, *, head: bool = False) -> Reply:
        """The next answer, without interim ones; `head`: one to HEAD. Raises NoAnswer."""
        while True:
            status, headers = self._read_head()
            if status >= 200:
                break
        if head or status in (204, 304):
            return Reply(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Reply(status, headers, self._read_chunks())
        if "content-length" in headers:
            return Reply(status, headers, self._take(int(headers["content-length"])))
        return Reply(status, headers, self._file.read())

    def _read_head(self) -> tuple[int, dict[str, str]]:
        first = self._line().split(b" ", 2)
        if first[0] != b"HTTP/1.1":
            raise NoAnswer(f"{first!r} begins no answer")
        headers: dict[str, str] = {}
        while line := self._line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return int(first[1]), headers

    def _line(self) -> bytes:
        line = self._file.readline()
        if not line.endswith(b"\r\n"):
            raise NoAnswer(f"the connection ended with {line!r}")
        return line[:-2]

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise NoAnswer(f"{len(data)} of {size} bytes came")
        return data

    def _read_chunks(self) -> bytes:
        parts = []
        while size := int(self._line(), 16):
            parts.append(self._take(size))
            assert self._line() == b""
        assert self._line() == b""
        return b"".join(parts)

    def ended(self) -> bool:
        """Whether nothing more comes, in SECONDS at most."""
        try:
            return self._file.read(1) == b""
        except ConnectionError:
            return True

    def answers(self) -> bool:
        """Whether the connection takes another request."""
        self.send(HEALTH)
        return self.read().status == 200

    def close(self) -> None:
        self._file.close()
        self._raw.close()

    def reset(self) -> None:
        """Close with RST instead of FIN."""
        self._file.close()
        self._raw.reset()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def check(port: int, case: Case) -> None:
    """Send a case's bytes and hold what comes back against it."""
    with Wire(port) as wire:
        wire.send(case.send)
        reply = wire.read(head=case.send.startswith(b"HEAD "))
        assert reply.status in case.statuses, repr(reply)[:2000]
        assert reply.status != 500
        assert case.says in reply.body, repr(reply)[:2000]
        if reply.status >= 400 and reply.headers["content-type"].startswith("application/json"):
            assert case.send.startswith(b"HEAD ") or reply.json()["errors"][0]["code"]
        if reply.closes:
            assert wire.ended()
        elif case.whole:
            assert wire.answers()


def request(
    method: str, target: str | bytes, *headers: str | bytes, body: bytes | None = None
) -> bytes:
    """A request's bytes: nothing is checked or escaped. Host and the length are added."""
    lines = [method.encode() + b" " + _raw(target) + b" HTTP/1.1", b"Host: @HOST@"]
    lines += map(_raw, headers)
    if body is not None:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + b"\r\n\r\n" + (body or b"")


def get(target: str | bytes, *headers: str | bytes) -> bytes:
    return request("GET", target, *headers)


def post(
    body: bytes, content_type: str = JSON, *headers: str | bytes, target: str | bytes = "/cypher"
) -> bytes:
    return request("POST", target, f"Content-Type: {content_type}", *headers, body=body)


def ask(query: str, *headers: str | bytes, **fields: Any) -> bytes:
    """A request that is as it should be."""
    return post(json.dumps({"query": query, **fields}).encode(), JSON, *headers)


def chunked(body: bytes, content_type: str = TEXT, *headers: str) -> bytes:
    """A request whose body, chunks and all, is given."""
    more = ("Transfer-Encoding: chunked", *headers)
    return request("POST", "/cypher", f"Content-Type: {content_type}", *more) + body


def _raw(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")
