"""A client's connection to a side front, and its way to the first front.

    client --- bytes ---> _Requests counts --- short, and room ---> answered here
                                 |else
                                 '--- _Tunnel ---> the first front
           <------------- _Responses counts <----------'

The connection comes back from the tunnel when as many answers have come as requests went: both
streams are parsed for that, and for nothing else. Where counting fails, it stays in the tunnel.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from email.utils import formatdate
from time import monotonic
from typing import TYPE_CHECKING, cast

import httptools

from cypherd.queries.lifting import lift
from cypherd.server.shortcut import LARGEST, asked_text
from cypherd.server.sockets import adopt

if TYPE_CHECKING:
    from cypherd.server.side_front import SideFront

# A connection that the first front has no room to take is handed over again after so long.
_AGAIN = 0.01


class _Requests:
    """Counts the requests in a stream of bytes, and keeps the last one."""

    def __init__(self) -> None:
        self.begun = 0
        self.whole = 0
        self.url = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""
        self.parser = httptools.HttpRequestParser(self)
        self.is_short = False
        self.has_head = False

    def on_message_begin(self) -> None:
        self.begun += 1
        self.url, self.headers, self.body = b"", [], b""
        self.is_short = False

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        parser = self.parser
        method = parser.get_method()
        self.has_head = self.has_head or method == b"HEAD"
        self.is_short = (
            method == b"POST"
            and self.url == b"/cypher"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and all(name != b"transfer-encoding" for name, _ in self.headers)
        )

    def on_body(self, body: bytes) -> None:
        if len(self.body) <= LARGEST:
            self.body += body

    def on_message_complete(self) -> None:
        self.whole += 1


class _Responses:
    """Counts the answers in a stream of bytes. `last`: the connection ends behind the one that came
    last."""

    def __init__(self) -> None:
        self.whole = 0
        self.last = False
        self.parser = httptools.HttpResponseParser(self)

    def on_message_complete(self) -> None:
        # 100 Continue and its kind come before an answer.
        if self.parser.get_status_code() >= 200:
            self.whole += 1
            self.last = not self.parser.should_keep_alive()


class SideConnection(asyncio.Protocol):
    """Answered here while its requests are short, else by the tunnel, once there was need of one.
    `sent` are the requests that the tunnel owes no answer for."""

    def __init__(self, front: SideFront) -> None:
        self._front = front
        self._loop = asyncio.get_running_loop()
        self._requests = _Requests()
        self._transport: asyncio.Transport
        self._client: tuple[str, int] | None = None
        self._tunnel: _Tunnel | None = None
        self.in_tunnel = False
        self._waits: bytes | None = None
        self.paused = False
        self._since = 0.0
        # Where counting has failed, the connection stays in the tunnel.
        self._for_good = False
        self.sent = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        # One that has gone already has no name any more.
        peer = self._transport.get_extra_info("peername")
        self._client = peer[:2] if peer else None
        self._since = self._loop.time()
        self._front.connections.add(self)
        with contextlib.suppress(OSError):
            sock = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc: Exception | None) -> None:
        self._front.connections.discard(self)
        self._waits = None
        if self._tunnel is not None:
            self._tunnel.end()

    def eof_received(self) -> bool:
        """A half-closed connection counts as gone."""
        if self._tunnel is not None:
            self._tunnel.end()
        return False

    def check_time(self, now: float) -> None:
        """Idle for longer than the setting keep_alive; what is in the tunnel, the first front
        looks after. A tunnel that is not used goes before the first front would end it: the client
        may be busy here."""
        idle = self._front.settings.keep_alive
        if self.in_tunnel or self._for_good:
            return
        if now - self._since > idle:
            self._transport.close()
        elif self._tunnel is not None and now - self._tunnel.since > idle / 2:
            self._let_go()

    def _let_go(self) -> None:
        """Of a tunnel that owes nothing."""
        if self._tunnel is not None:
            self._tunnel.end()
            self._tunnel = None
        self.sent = self._requests.whole - (self._waits is not None)

    # --- from the client ----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        requests = self._requests
        waiting, self._waits = self._waits, None
        if waiting is not None:
            # More behind a request that waits for its turn: the tunnel keeps their order.
            self._send(waiting)
        begun, whole = requests.begun, requests.whole
        self._count(data)
        if self.in_tunnel or self._for_good:
            self._send(data)
            return
        alone = requests.begun == begun + 1 and requests.whole == whole + 1
        if not alone or not requests.is_short or len(requests.body) > LARGEST or self.paused:
            self._send(data)
        elif self._front.shortcut.has_room():
            self._answer(data)
        else:
            self._waits = data
            self._front.shortcut.when_room(self._client, self._answer_waiting)

    def _count(self, data: bytes) -> None:
        if self._for_good:
            return
        try:
            self._requests.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._for_good = True
        if self._requests.has_head:
            self._for_good = True

    def _answer_waiting(self) -> None:
        data, self._waits = self._waits, None
        if data is not None and not self._transport.is_closing():
            self._answer(data)

    def _answer(self, data: bytes) -> None:
        requests = self._requests
        shortcut = self._front.shortcut
        ask = shortcut.read(requests.headers, requests.body)
        answer = None if ask is None else shortcut.answer(ask, self._client, _DATED.headers())
        if answer is None:
            text = asked_text(requests.body)
            if text is not None:
                lifted = lift(text)
                self._front.want_plan(text if lifted is None else lifted.text)
            self._send(data)
            return
        # An answer that the tunnel owes nothing for.
        self.sent += 1
        self._since = self._loop.time()
        self._transport.write(answer)

    # --- the tunnel -----------------------------------------------------------------------------

    def _send(self, data: bytes) -> None:
        if self._tunnel is None:
            self._tunnel = _Tunnel(self, self._front, self._client)
        self.in_tunnel = True
        # It may ask what was answered here.
        self._front.tell()
        self._tunnel.write(data)

    def answered(self, data: bytes, whole: int) -> None:
        """Bytes of answers from the first front, `whole` of which have ended so far."""
        self._transport.write(data)
        requests = self._requests
        if self._for_good or requests.begun != requests.whole:
            return
        if whole + self.sent == requests.whole and self._tunnel is not None:
            self.in_tunnel = False
            self._since = self._tunnel.since = self._loop.time()

    def uncounted(self) -> None:
        self._for_good = True

    def broken_off(self, exc: Exception | None) -> None:
        """The first front has ended the connection."""
        if not self.in_tunnel and not self._for_good:
            self._let_go()
        elif exc is None:
            self._transport.close()
        else:
            self._transport.abort()

    # --- backpressure ---------------------------------------------------------------------------

    def pause_writing(self) -> None:
        self.paused = True
        if self._tunnel is not None:
            self._tunnel.pause(True)

    def resume_writing(self) -> None:
        self.paused = False
        if self._tunnel is not None:
            self._tunnel.pause(False)

    def hold(self, held: bool) -> None:
        if not self._transport.is_closing():
            (self._transport.pause_reading if held else self._transport.resume_reading)()


class _Tunnel(asyncio.Protocol):
    """The way to the first front: one end of a pair, the other of which was handed over."""

    def __init__(
        self, connection: SideConnection, front: SideFront, client: tuple[str, int] | None
    ) -> None:
        self._connection = connection
        self._front = front
        self._loop = asyncio.get_running_loop()
        self._responses = _Responses()
        self._transport: asyncio.Transport | None = None
        self._before: list[bytes] = []
        self._ended = False
        self.since = self._loop.time()
        ours, self._theirs = socket.socketpair()
        ours.setblocking(False)
        self._hand_over(client)
        self._task = self._loop.create_task(self._connect(ours))

    def _hand_over(self, client: tuple[str, int] | None) -> None:
        if self._ended or self._front.hand_over(client, self._theirs):
            self._theirs.close()
        else:
            self._loop.call_later(_AGAIN, self._hand_over, client)

    async def _connect(self, ours: socket.socket) -> None:
        await adopt(lambda: self, ours)
        # Its client may not take what it was answered before. uvloop begins to read only behind
        # connection_made, whatever was said there.
        if self._connection.paused:
            self.pause(True)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        if self._ended:
            self._transport.abort()
            return
        for data in self._before:
            self._transport.write(data)
        self._before.clear()

    def write(self, data: bytes) -> None:
        if self._transport is None:
            self._before.append(data)
        else:
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        try:
            self._responses.parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._connection.uncounted()
        if self._responses.last:
            # Its end is the client's.
            self._connection.uncounted()
        self._connection.answered(data, self._responses.whole)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._ended:
            self._ended = True
            self._connection.broken_off(exc)

    def end(self) -> None:
        if not self._ended:
            self._ended = True
            if self._transport is not None:
                self._transport.abort()

    def pause(self, paused: bool) -> None:
        if self._transport is not None and not self._transport.is_closing():
            (self._transport.pause_reading if paused else self._transport.resume_reading)()

    def pause_writing(self) -> None:
        self._connection.hold(True)

    def resume_writing(self) -> None:
        self._connection.hold(False)


class _Dated:
    """The header Date, made anew each second."""

    def __init__(self) -> None:
        self._until = 0.0
        self._headers: list[tuple[bytes, bytes]] = []

    def headers(self) -> list[tuple[bytes, bytes]]:
        now = monotonic()
        if now >= self._until:
            self._until = now + 1.0
            self._headers = [(b"date", formatdate(usegmt=True).encode())]
        return self._headers


_DATED = _Dated()
