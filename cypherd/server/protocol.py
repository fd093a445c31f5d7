"""uvicorn's HTTP protocol, told when a connection is lost, and with limits.

uvicorn tells only whoever awaits `receive()`, and after pipelined requests, which stop it from
reading, not even then. Here the connection calls back itself, and goes on reading while few
requests are pipelined, so that it sees the end of file.

What cannot be read, is too large or comes too slowly is refused: told in the one form of all
errors, after the answers to what was asked before it, and then the connection is closed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from cypherd.errors import CypherdError, HeadTooLarge, InvalidFormat, RequestTimeout
from cypherd.queries.short_writes import BegunWrite
from cypherd.server.errors import COMMON_HEADERS, error_body
from cypherd.server.safety import Headers
from cypherd.server.shortcut import LARGEST, ShortAsk, Shortcut
from cypherd.settings import KIB, Settings, format_duration

_log = logging.getLogger("cypherd.server")

CONNECTION = "cypherd.connection"
"""The key of the Connection in an ASGI scope."""

SETTLED = "cypherd.settled"
"""The key of a write that went the short way and could not be answered there: BegunWrite and
ShortAsk."""

_MAX_PIPELINED = 32
_KEEPALIVE_IDLE, _KEEPALIVE_INTERVAL, _KEEPALIVE_PROBES = 30, 10, 3
_USER_TIMEOUT_MS = 60_000
_LINGER = 2.0
# A body that brings so much within the setting body_timeout may take as long again.
_BODY_STEP = 64 * KIB
_REASONS = {status.value: b"%d %s" % (status, status.phrase.encode()) for status in HTTPStatus}


class Connection(HttpToolsProtocol):
    """`client`: whose connection it is, where another front has handed it over.

    `on_lost` collects what to call when the client has gone."""

    def __init__(
        self,
        *arguments: Any,
        settings: Settings,
        shortcut: Shortcut | None = None,
        client: tuple[str, int] | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(*arguments, **keywords)
        self.on_lost: set[Callable[[], None]] = set()
        self._settings = settings
        self._handed_over_from = client
        self._active: RequestResponseCycle | None = None
        self._refusal: CypherdError | None = None
        self._in_head = False
        self._shortcut = shortcut
        # The body, so far, of a request that may go the short way; None: it goes the ordinary one.
        self._short: list[bytes] | None = None
        self._chunked = False
        # What it asks, when it has come whole and waits for a turn of the loop that has room.
        self._waits: ShortAsk | None = None
        # Bytes since the head or the last piece of a body began: what httptools may hold.
        self._unread = 0
        # The loop's time at which began what is waited for now, and the body's bytes since then.
        self._since = 0.0
        self._arrived = 0

    # --- the connection -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._handed_over_from is not None:
            self.client = self._handed_over_from
        self._since = self.loop.time()
        sock = transport.get_extra_info("socket")
        if sock is not None:
            _watch_for_lost_hosts(sock)

    def eof_received(self) -> None:
        """A half-closed connection counts as gone. Without the abort, closing would wait until
        the client has taken all that is still to be sent, which it may never do."""
        if self._answering():
            self.break_off()

    def connection_lost(self, exc: Exception | None) -> None:
        self.pipeline.clear()
        self._disconnect()
        super().connection_lost(exc)

    def break_off(self) -> None:
        """End the connection in the middle of an answer, so that no client takes it as whole."""
        self.transport.abort()
        self._disconnect()

    def answer(self, status: int, headers: Headers, body: bytes) -> bool:
        """Send a whole answer to the request at hand in one write: by ASGI messages it is two,
        and each costs about as much as all the rest of a short answer. False, with nothing
        done, while the client does not take what was sent before: then ASGI's way waits."""
        cycle = self._active
        if cycle is None or not self._may_answer(cycle):
            return False
        lines = [b"HTTP/1.1 ", _REASONS[status]]
        for name, value in (*cycle.default_headers, *headers):
            lines += (b"\r\n", name, b": ", value)
        lines.append(b"\r\n\r\n" if cycle.keep_alive else b"\r\nconnection: close\r\n\r\n")
        if cycle.scope["method"] != "HEAD":
            lines.append(body)
        self._send_whole(cycle, b"".join(lines))
        return True

    def _may_answer(self, cycle: RequestResponseCycle) -> bool:
        started = cycle.response_started or cycle.disconnected
        return not started and not self.flow.write_paused

    def _send_whole(self, cycle: RequestResponseCycle, data: bytes) -> None:
        self.transport.write(data)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def _disconnect(self) -> None:
        if self._active is not None and self._answering():
            self._active.disconnected = True
            self._active.message_event.set()
        calls = list(self.on_lost)
        self.on_lost.clear()
        for call in calls:
            call()

    def _answering(self) -> bool:
        return self._active is not None and not self._active.response_complete

    # --- requests -----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if self._refusal is not None:
            return
        self._unread += len(data)
        try:
            self._feed(data)
        except httptools.HttpParserError as error:
            self._refuse(_reason(error))
            return
        if self._short is not None and self._waits is None:
            # The rest of its body has yet to come.
            self._go_ordinary()
        if self._unread > self._settings.max_head:
            self._refuse(_head_too_large(self._settings))

    def _feed(self, data: bytes) -> None:
        """An upgrade is declined by answering as if it had not been asked for (RFC 9110, 7.8).
        The parser takes what follows such a head, a body too, for another protocol: it gets the
        request again without the wish."""
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as upgrade:
                data = self._head_without_upgrade() + data[upgrade.args[0] :]

    def _head_without_upgrade(self) -> bytes:
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % pair for pair in self.headers if pair[0] != b"upgrade"]
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def on_message_begin(self) -> None:
        if self._waits is not None:
            # Another request behind it: what keeps their order is the ordinary way.
            self._waits = None
            self._leave_short()
        super().on_message_begin()
        self._in_head = True
        self._since = self.loop.time()
        cast(dict[str, Any], self.scope)[CONNECTION] = self

    def on_headers_complete(self) -> None:
        self._check_head()
        self._in_head = False
        self._unread = 0
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise InvalidFormat("this server is no proxy")
            return
        if self._may_be_short():
            self._short = []
            return
        self._begin_cycle()

    def _begin_cycle(self) -> None:
        super().on_headers_complete()
        # Trailers, which come behind a body, are dropped: nothing here asks for them.
        self.headers = []
        if self.pipeline and len(self.pipeline) < _MAX_PIPELINED:
            self.flow.resume_reading()

    def _check_head(self) -> None:
        """Raises HeadTooLarge, InvalidFormat."""
        size = len(self.url)
        self._chunked = False
        for name, value in self.headers:
            size += len(name) + len(value) + 4
            if name == b"transfer-encoding":
                if value.strip().lower() != b"chunked":
                    raise InvalidFormat("Transfer-Encoding: only chunked is read")
                self._chunked = True
        if size > self._settings.max_head:
            raise _head_too_large(self._settings)
        if not self.parser.get_http_version().startswith("1."):
            raise InvalidFormat("only HTTP/1.1 and HTTP/1.0 are spoken")

    def _may_be_short(self) -> bool:
        """A request that comes while nothing is being answered, and could be answered at once."""
        return (
            self._shortcut is not None
            and self.url in self._shortcut.urls
            # Trailers would come among the headers.
            and not self._chunked
            and not self._answering()
            and not self.pipeline
            and not self.flow.write_paused
            and self.parser.get_method() == b"POST"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
        )

    def _go_ordinary(self) -> None:
        """As if there were no short way: what has come of the request is handed on."""
        parts, self._short = self._short, None
        self._begin_cycle()
        for part in parts or ():
            self.on_body(part)

    def _read_short(self) -> ShortAsk | None:
        """What a request that has come whole asks, if it may go the short way."""
        assert self._shortcut is not None, "_may_be_short has asked"
        parts = self._short or []
        if sum(map(len, parts)) > LARGEST:
            return None
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        return self._shortcut.read(self.headers, body)

    def _answered_shortly(self, ask: ShortAsk) -> bool:
        """Whether the request could be answered at once."""
        assert self._shortcut is not None, "_may_be_short has asked"
        state = self.server_state
        answer = self._shortcut.answer(ask, self.client, state.default_headers)
        if answer is None:
            return False
        self._short = None
        self._since = self.loop.time()
        state.total_requests += 1
        self.transport.write(answer)
        return True

    def _begun_shortly(self, ask: ShortAsk) -> bool:
        """Whether the request, a write, could be passed on to the writer. Its cycle, without a
        task, keeps its place before those that may come behind it."""
        shortcut = self._shortcut
        assert shortcut is not None, "_may_be_short has asked"

        def done(write: BegunWrite) -> None:
            self.on_lost.discard(write.client_gone)
            self._answer_write(cycle, url, ask, write)

        url = self.url
        write = shortcut.begin_write(ask, self.client, done)
        if write is None:
            return False
        self.on_lost.add(write.client_gone)
        self._short = None
        cycle = self._begin_taskless()
        return True

    def _begin_taskless(self) -> RequestResponseCycle:
        """The cycle of a short write, which has come whole while nothing was being answered. What
        only ASGI wants of its scope, `_start_task` fills in."""
        cycle = self.cycle = RequestResponseCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=True,
            on_response=self.on_response_complete,
        )
        cycle.more_body = False
        self._active = cycle
        # Trailers, which come behind a body, are dropped: nothing here asks for them.
        self.headers = []
        self._unread = self._arrived = 0
        self._since = self.loop.time()
        return cycle

    def _start_task(self, cycle: RequestResponseCycle, url: bytes) -> None:
        """The application answers a cycle that was begun without a task."""
        path = self.root_path.encode("ascii") + url
        scope = cast(dict[str, Any], cycle.scope)
        scope |= {"method": "POST", "path": path.decode(), "raw_path": path, "query_string": b""}
        cycle.message_event.set()
        super()._start_asgi_task(cycle, self.app)

    def _answer_write(
        self, cycle: RequestResponseCycle, url: bytes, ask: ShortAsk, write: BegunWrite
    ) -> None:
        """What is not a whole answer, or cannot be sent in one piece, goes the ordinary way from
        here."""
        if self.transport.is_closing() or cycle.disconnected:
            write.drop()
            _log_gone(write)
        elif write.answer is not None and cycle.keep_alive and self._may_answer(cycle):
            assert self._shortcut is not None, "it has begun the write"
            extra = self.server_state.default_headers
            self._send_whole(cycle, self._shortcut.written(ask, write.answer, extra))
        else:
            cast(dict[str, Any], cycle.scope)[SETTLED] = (write, ask)
            self._start_task(cycle, url)

    def on_body(self, body: bytes) -> None:
        if self._short is not None:
            self._short.append(body)
            self._unread = 0
            return
        super().on_body(body)
        self._unread = 0
        self._arrived += len(body)
        # A load may bring its records as they come to be.
        if self._arrived >= _BODY_STEP or self.url.partition(b"?")[0].endswith(b"/bulk"):
            self._arrived, self._since = 0, self.loop.time()

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        if self._short is not None:
            assert self._shortcut is not None, "_may_be_short has asked"
            ask = self._read_short()
            if ask is None:
                self._leave_short()
            elif self._shortcut.is_write(ask):
                if not self._begun_shortly(ask):
                    self._leave_short()
            elif self._shortcut.has_room():
                self._answer_short(ask)
            else:
                self._waits = ask
                self._shortcut.when_room(self.client, self._answer_waiting)
            return
        self._complete()

    def _answer_waiting(self) -> None:
        if self._waits is not None and not self.transport.is_closing():
            ask, self._waits = self._waits, None
            self._answer_short(ask)

    def _answer_short(self, ask: ShortAsk) -> None:
        if not self._answered_shortly(ask):
            self._leave_short()

    def _leave_short(self) -> None:
        """The request has come whole, and is answered by the ordinary way."""
        self._go_ordinary()
        self._complete()

    def _complete(self) -> None:
        super().on_message_complete()
        self._unread = 0
        self.cycle.more_body = False

    def on_response_complete(self) -> None:
        self._since = self.loop.time()
        if self.pipeline:
            super().on_response_complete()
        else:
            # As there, without a timer for idle connections: `check_time` ends those.
            self.server_state.total_requests += 1
            if not self.transport.is_closing():
                self.flow.resume_reading()
        if self._refusal is not None and not self._answering():
            self._tell_refusal(self._refusal)
            return
        cycle = self._active
        if cycle is not None and cycle.response_complete and cycle.more_body:
            # Refused before its body had come. What still comes is read and dropped for a
            # moment: closing at once resets the connection before its client has read why.
            self.loop.call_later(_LINGER, self._close_unless_whole, cycle)

    def _close_unless_whole(self, cycle: RequestResponseCycle) -> None:
        if cycle.more_body:
            self._close()

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._active = cycle
        self._arrived, self._since = 0, self.loop.time()
        super()._start_asgi_task(cycle, app)

    # --- refusals -----------------------------------------------------------------------

    def check_time(self, now: float) -> None:
        """Called about once a second: ends a connection that keeps the server waiting for longer
        than a setting allows."""
        if self._refusal is not None or self.transport.is_closing():
            return
        waited, settings = now - self._since, self._settings
        if self._answering():
            if self._body_is_awaited() and waited > settings.body_timeout:
                self._refuse(_too_slow("body", "body_timeout", settings.body_timeout))
        elif self._in_head:
            if waited > settings.head_timeout:
                self._refuse(_too_slow("head", "head_timeout", settings.head_timeout))
        elif waited > settings.keep_alive:
            self.transport.close()

    def _body_is_awaited(self) -> bool:
        """Not of a pipelined request: its body may have to wait for the answers before it."""
        awaited = self._active is self.cycle and self.cycle.more_body
        # What the server does not read is not late.
        return awaited and not self.flow.read_paused

    def _refuse(self, error: CypherdError) -> None:
        """End the connection with `error` for what comes next on it; what has been asked in whole
        is answered first."""
        self._refusal = error
        _log.info("%d %s", error.status, error.message)
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()
        elif self._active is not None and self._body_is_awaited():
            if self._active.response_complete:
                self.loop.call_later(_LINGER, self._close)
                return
            if self._active.response_started:
                self.break_off()
                return
            self._active.disconnected = self._active.response_complete = True
            self._active.message_event.set()
        if not self._answering():
            self._tell_refusal(error)

    def _tell_refusal(self, error: CypherdError) -> None:
        """The connection is closed for writing, and for reading a moment later: a client that is
        still sending would be reset before it has read why."""
        if self.transport.is_closing():
            return
        body = error_body(error)
        lines = [b"HTTP/1.1 ", _REASONS[error.status]]
        lines.append(b"\r\ncontent-type: application/json; charset=utf-8")
        for name, value in COMMON_HEADERS:
            lines += (b"\r\n", name, b": ", value)
        lines.append(b"\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body))
        self.transport.write(b"".join(lines) + body)
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_LINGER, self._close)


def _log_gone(write: BegunWrite) -> None:
    id = write.entry.id
    _log.info("499 query %s: the client went away", id, extra={"about": {"query_id": id}})


def _reason(error: httptools.HttpParserError) -> CypherdError:
    """What a callback of the parser raised, or what there is to say about rubbish."""
    raised = error.__context__
    if isinstance(raised, CypherdError):
        return raised
    return InvalidFormat("this is no HTTP request that can be read")


def _head_too_large(settings: Settings) -> HeadTooLarge:
    return HeadTooLarge(
        f"the head of the request is larger than the {settings.max_head} bytes that the setting "
        "max_head allows"
    )


def _too_slow(part: str, name: str, seconds: float) -> RequestTimeout:
    return RequestTimeout(
        f"the {part} of the request came too slowly; the setting {name} allows "
        f"{format_duration(seconds)}"
    )


def _watch_for_lost_hosts(sock: socket.socket) -> None:
    """A host that vanishes sends no end of file: probes and unacknowledged data find it."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_IDLE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEPALIVE_INTERVAL)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEPALIVE_PROBES)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)
