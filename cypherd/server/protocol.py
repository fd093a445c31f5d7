"""uvicorn's HTTP protocol, told when a connection is lost.

uvicorn tells only whoever awaits `receive()`, and after pipelined requests, which stop it from
reading, not even then. Here the connection calls back itself, and goes on reading while few
requests are pipelined, so that it sees the end of file.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

CONNECTION = "cypherd.connection"
"""The key of the Connection in an ASGI scope."""

_MAX_PIPELINED = 32
_KEEPALIVE_IDLE, _KEEPALIVE_INTERVAL, _KEEPALIVE_PROBES = 30, 10, 3
_USER_TIMEOUT_MS = 60_000


class Connection(HttpToolsProtocol):
    """`on_lost` collects what to call when the client has gone."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.on_lost: set[Callable[[], None]] = set()
        self._active: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        sock = transport.get_extra_info("socket")
        if sock is not None:
            _watch_for_lost_hosts(sock)

    def connection_lost(self, exc: Exception | None) -> None:
        self.pipeline.clear()
        if self._active is not None and not self._active.response_complete:
            self._active.disconnected = True
            self._active.message_event.set()
        super().connection_lost(exc)
        for call in list(self.on_lost):
            call()
        self.on_lost.clear()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        cast(dict[str, Any], self.scope)[CONNECTION] = self

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self.pipeline and len(self.pipeline) < _MAX_PIPELINED:
            self.flow.resume_reading()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._active = cycle
        super()._start_asgi_task(cycle, app)

    def break_off(self) -> None:
        """End the connection in the middle of an answer, so that no client takes it as whole."""
        if self._active is not None:
            self._active.disconnected = True
        self.transport.abort()


def _watch_for_lost_hosts(sock: socket.socket) -> None:
    """A host that vanishes sends no end of file: probes and unacknowledged data find it."""
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, _KEEPALIVE_IDLE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, _KEEPALIVE_INTERVAL)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, _KEEPALIVE_PROBES)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _USER_TIMEOUT_MS)
