"""A side front's connection between a client that does not read and the first front."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, cast

import uvloop

from cypherd.server.side_connection import SideConnection

HEALTH = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n" + b"y" * 100_000


class _Client(asyncio.Transport):
    """What has been written to it."""

    def __init__(self) -> None:
        self.socket = socket.socket()
        super().__init__({"peername": ("127.0.0.1", 1), "socket": self.socket})
        self.written = b""

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        self.socket.close()


class _Front:
    """Keeps what is handed over."""

    def __init__(self) -> None:
        self.connections: set[SideConnection] = set()
        self.first: socket.socket

    def hand_over(self, client: Any, theirs: socket.socket) -> bool:
        self.first = theirs.dup()
        return True

    def tell(self) -> None:
        return


async def _turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0.005)


def test_a_tunnel_for_a_client_that_does_not_read_waits() -> None:
    """Also where the client had stopped to read before there was a tunnel."""

    async def run() -> None:
        front, client = _Front(), _Client()
        connection = SideConnection(cast(Any, front))
        connection.connection_made(client)
        connection.pause_writing()
        connection.data_received(HEALTH)
        await _turns()
        with front.first:
            assert front.first.recv(1000) == HEALTH
            front.first.sendall(ANSWER)
            await _turns()
            assert client.written == b""
            connection.resume_writing()
            await _turns()
            assert client.written == ANSWER
            connection.connection_lost(None)
            client.close()

    uvloop.run(run())


def test_pipelined_requests_are_counted() -> None:
    """The connection comes back when as many answers have come, in whatever pieces."""

    async def run() -> None:
        front, client = _Front(), _Client()
        connection = SideConnection(cast(Any, front))
        connection.connection_made(client)
        connection.data_received(HEALTH + HEALTH[:10])
        connection.data_received(HEALTH[10:])
        await _turns()
        with front.first:
            assert front.first.recv(1000) == HEALTH * 2
            front.first.sendall(ANSWER + ANSWER[:50])
            await _turns()
            assert connection.in_tunnel
            front.first.sendall(ANSWER[50:])
            await _turns()
            assert not connection.in_tunnel
            assert client.written == ANSWER * 2
            # Its end is no end of the client's connection.
            front.first.close()
            await _turns()
            connection.data_received(HEALTH)
            await _turns()
            with front.first:
                assert front.first.recv(1000) == HEALTH
            connection.connection_lost(None)
            client.close()

    uvloop.run(run())
