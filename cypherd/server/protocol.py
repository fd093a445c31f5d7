"""uvicorn's HTTP protocol, told when a connection is lost.

uvicorn tells only whoever awaits `receive()`, and after pipelined requests, which stop it from
reading, not even then. Here the connection calls back itself, and goes on reading while few
requests are pipelined, so that it sees the end of file.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from cypherd.errors import InvalidFormat
from cypherd.server.errors import error_body
from cypherd.server.safety import Headers

CONNECTION = "cypherd.connection"
"""The key of the Connection in an ASGI scope."""

_MAX_PIPELINED = 32
_KEEPALIVE_IDLE, _KEEPALIVE_INTERVAL, _KEEPALIVE_PROBES = 30, 10, 3
_USER_TIMEOUT_MS = 60_000
_LINGER = 2.0
_REASONS = {status.value: b"%d %s" % (status, status.phrase.encode()) for status in HTTPStatus}


class Connection(HttpToolsProtocol):
    """`on_lost` collects what to call when the client has gone."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.on_lost: set[Callable[[], None]] = set()
        self._active: RequestResponseCycle | None = None

    # --- the connection -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
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
        if cycle is None or cycle.response_started or cycle.disconnected or self.flow.write_paused:
            return False
        lines = [b"HTTP/1.1 ", _REASONS[status]]
        for name, value in (*cycle.default_headers, *headers):
            lines += (b"\r\n", name, b": ", value)
        lines.append(b"\r\n\r\n" if cycle.keep_alive else b"\r\nconnection: close\r\n\r\n")
        if cycle.scope["method"] != "HEAD":
            lines.append(body)
        self.transport.write(b"".join(lines))
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()
        return True

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

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast(dict[str, Any], self.scope)[CONNECTION] = self

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self.pipeline and len(self.pipeline) < _MAX_PIPELINED:
            self.flow.resume_reading()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self.cycle.more_body = False

    def on_response_complete(self) -> None:
        super().on_response_complete()
        cycle = self._active
        if cycle is not None and cycle.response_complete and cycle.more_body:
            # Refused before its body had come. What still comes is read and dropped for a
            # moment: closing at once resets the connection before its client has read why.
            self.loop.call_later(_LINGER, self._close_unless_whole, cycle)

    def _close_unless_whole(self, cycle: RequestResponseCycle) -> None:
        if cycle.more_body and not self.transport.is_closing():
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._active = cycle
        super()._start_asgi_task(cycle, app)

    def send_400_response(self, msg: str) -> None:
        """In the one form of all errors; never into the middle of another answer."""
        if self._answering():
            self.break_off()
            return
        body = error_body(InvalidFormat("this is no HTTP request that can be read"))
        head = (
            "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def _watch_for_lost_hosts(sock: socket.socket) -> None:
    """A host that vanishes sends no end of file: probes and unacknowledged data find it."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_IDLE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEPALIVE_INTERVAL)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEPALIVE_PROBES)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)
