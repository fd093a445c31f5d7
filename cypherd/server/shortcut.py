"""The short way of a short request: bounded reads that the front answers at once, and writes that
it passes on.

`POST /cypher` with a JSON body of a text and parameters, all of which has come, whose plan is
known and runs inline while the loop's turn has time left, or is a write, needs no task, no ASGI
messages and no second look at headers that were the same in the last request. Whatever is not of
that kind, and whatever goes wrong before it has begun, is `None` here, with nothing done: the
request then goes the ordinary way, which gives the same answer to all of these, and the errors.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson

from cypherd.errors import CypherdError
from cypherd.queries.answer import Answer
from cypherd.queries.immediate import Immediate
from cypherd.queries.short_writes import BegunWrite, ShortWrites
from cypherd.render.gzipping import is_gzip
from cypherd.render.negotiation import Choice, gzip_from, negotiate
from cypherd.render.renderer import RenderOptions
from cypherd.server.bodies import header_map
from cypherd.server.errors import COMMON_HEADERS
from cypherd.server.requests import check_coding, checked_parameters, has_large_float
from cypherd.server.safety import Gate, Headers
from cypherd.settings import Settings, format_duration

LARGEST = 16 * 1024
"""Bytes of a body that goes the short way."""

_LARGEST_HEAD = 2048
_HEADS = 1024
_STATUS = b"HTTP/1.1 %d %s\r\n" % (HTTPStatus.OK, HTTPStatus.OK.phrase.encode())
# What says more of a request than how to read and answer it.
_OWN = frozenset({"cypher-query-id", "cypher-timeout", "expect", "transfer-encoding"})
_SCALARS = frozenset({str, bool, type(None)})
_MIN, _MAX = -(1 << 63), (1 << 63) - 1
_FIELDS = frozenset({"query", "params"})


@dataclass(frozen=True, slots=True)
class _Head:
    """What follows from the headers of a request. `before` is the answer's head up to the value of
    Cypher-Query-Id, `packed` the same for a body that is compressed."""

    choice: Choice
    options: RenderOptions
    before: bytes
    packed: bytes


@dataclass(frozen=True, slots=True)
class ShortAsk:
    """What a request that goes the short way asks."""

    head: _Head
    text: str
    parameters: dict[str, Any]

    @property
    def choice(self) -> Choice:
        return self.head.choice


class Shortcut:
    """One front's. `root_path` is the path under which a proxy serves it; `writes` has only the
    first front."""

    def __init__(
        self,
        settings: Settings,
        immediate: Immediate,
        gate: Gate,
        root_path: str,
        writes: ShortWrites | None = None,
    ) -> None:
        self._settings = settings
        self._immediate = immediate
        self._writes = writes
        self._gate = gate
        self._root = root_path
        self.urls = frozenset((b"/cypher", f"{root_path}/cypher".encode()))
        """Where a proxy cuts root_path off, and where it passes it on."""
        self._timeout = format_duration(settings.default_timeout).encode()
        self._heads: OrderedDict[tuple[tuple[bytes, bytes], ...], _Head | None] = OrderedDict()

    def has_room(self) -> bool:
        """Whether `answer` may be called in this turn of the loop."""
        return self._immediate.has_room()

    def when_room(self, client: tuple[str, int] | None, call: Callable[[], None]) -> None:
        """`call`, which may call `answer`, in the first turn that has room for it."""
        self._immediate.when_room(client, call)

    def read(self, headers: Headers, body: bytes) -> ShortAsk | None:
        """What a whole request asks; None where it has to go the ordinary way."""
        key = tuple(headers)
        try:
            head = self._heads[key]
        except KeyError:
            head = self._remember(key)
        if head is None:
            return None
        asked = _asked(body)
        if asked is None:
            return None
        return ShortAsk(head, *asked)

    def answer(self, ask: ShortAsk, client: tuple[str, int] | None, extra: Headers) -> bytes | None:
        """The whole answer of a read, head and body; `extra` are headers that every answer gets."""
        head = ask.head
        found = self._immediate.answer_now(
            ask.text, ask.parameters, head.choice.renderer.name, head.options, client
        )
        return None if found is None else _packed(head, extra, *found)

    def is_write(self, ask: ShortAsk) -> bool:
        """Whether `begin_write` may begin it."""
        return self._writes is not None and self._writes.knows(ask.text)

    def begin_write(
        self,
        ask: ShortAsk,
        client: tuple[str, int] | None,
        done: Callable[[BegunWrite], None],
    ) -> BegunWrite | None:
        """`done` is called when it is settled."""
        if self._writes is None:
            return None
        head = ask.head
        return self._writes.begin(
            ask.text, ask.parameters, head.choice.renderer.name, head.options, client, done
        )

    def written(self, ask: ShortAsk, answer: Answer, extra: Headers) -> bytes:
        """The whole answer of a write that came in one piece."""
        stats = b""
        if answer.stats:
            stats = b"\r\ncypher-stats: " + orjson.dumps(answer.stats)
        return _packed(ask.head, extra, answer.id, answer.body or b"", stats)

    def _remember(self, key: tuple[tuple[bytes, bytes], ...]) -> _Head | None:
        if sum(len(name) + len(value) for name, value in key) > _LARGEST_HEAD:
            return None
        head = self._heads[key] = self._head(key)
        if len(self._heads) > _HEADS:
            self._heads.popitem(last=False)
        return head

    def _head(self, key: tuple[tuple[bytes, bytes], ...]) -> _Head | None:
        headers = header_map(list(key))
        if not _OWN.isdisjoint(headers) or not _is_json(headers.get("content-type", "")):
            return None
        try:
            self._gate.check_host(headers)
            self._gate.check_origin(headers)
            check_coding(headers)
            choice = negotiate(headers.get("accept"), None)
            packing = gzip_from(headers.get("accept-encoding"))
        except CypherdError:
            return None
        options = RenderOptions(
            gzip_from=packing,
            root=self._root,
            spool_limit=self._settings.spool_limit,
            notifications=self._settings.notifications,  # type: ignore[arg-type]
        )
        lines = self._lines(choice, self._gate.cors_headers(headers))
        return _Head(
            choice,
            options,
            lines + b"cypher-query-id: ",
            lines + b"content-encoding: gzip\r\ncypher-query-id: ",
        )

    def _lines(self, choice: Choice, cors: Headers) -> bytes:
        told = [(b"content-type", choice.content_type), *choice.renderer.headers]
        told += [*COMMON_HEADERS, *cors, (b"cypher-timeout", self._timeout)]
        return b"".join(b"%b: %b\r\n" % pair for pair in told)


def _packed(head: _Head, extra: Headers, id: str, body: bytes, more: bytes = b"") -> bytes:
    lines = [_STATUS]
    for name, value in extra:
        lines += (name, b": ", value, b"\r\n")
    lines += (
        head.packed if is_gzip(body) else head.before,
        id.encode("latin-1"),
        more,
        b"\r\ncontent-length: %d\r\n\r\n" % len(body),
        body,
    )
    return b"".join(lines)


def _is_json(content_type: str) -> bool:
    return content_type.replace(" ", "").lower() in (
        "application/json", "application/json;charset=utf-8",
    )  # fmt: skip


def _asked(body: bytes) -> tuple[str, dict[str, Any]] | None:
    """Text and parameters, if that is all there is and nothing about them is unusual."""
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if type(fields) is not dict or not fields.keys() <= _FIELDS:
        return None
    text, parameters = fields.get("query"), fields.get("params")
    if type(text) is not str:
        return None
    if parameters is None:
        return text, {}
    if type(parameters) is not dict:
        return None
    for value in parameters.values():
        kind = type(value)
        if kind in _SCALARS or (kind is int and _MIN <= value <= _MAX):
            continue
        return _walked(text, parameters)
    return text, parameters


def asked_text(body: bytes) -> str | None:
    """The text of a body that could go the short way."""
    asked = _asked(body)
    return None if asked is None else asked[0]


def _walked(text: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """With lists, maps and floats among them."""
    if has_large_float(parameters):
        return None
    try:
        return text, checked_parameters(parameters)
    except CypherdError:
        return None
