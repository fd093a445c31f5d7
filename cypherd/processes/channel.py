"""Frames between a front and one child, over a stream socketpair.

    !IB header: length of the payload, kind     then the payload

A child blocks (`BlockingChannel`): its sends wait until the front reads, which is how a slow
client slows the query down. The front (`FrontChannel`) never blocks: it tries `recv` first, and
only when there is nothing it waits for the loop to say that there is.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable

HEADER = struct.Struct("!IB")
MAX_PAYLOAD = (1 << 32) - 1

_RECEIVE = 256 * 1024
# A fast worker and a fast client could keep one task running for ever: after this many bytes the
# other tasks of the loop get their turn.
_YIELD = 64 * 1024
# From here on a payload goes out as it is, behind its header.
_LARGE = 64 * 1024


class ChannelClosed(Exception):
    """The other process has closed its end, or is dead."""


def frame(kind: int, payload: bytes) -> bytes:
    """One frame as bytes. Raises ValueError past 4 GiB."""
    return _header(kind, payload) + payload


def _header(kind: int, payload: bytes) -> bytes:
    if len(payload) > MAX_PAYLOAD:
        raise ValueError(f"a frame of {len(payload)} bytes does not fit its header")
    return HEADER.pack(len(payload), kind)


class BlockingChannel:
    """A child's side."""

    __slots__ = ("_socket",)

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(True)
        self._socket = sock

    def receive(self) -> tuple[int, bytes]:
        """(kind, payload) of the next frame. Raises ChannelClosed."""
        length, kind = HEADER.unpack(self._exactly(HEADER.size))
        return kind, self._exactly(length)

    def send(self, *frames: bytes) -> None:
        """Send finished frames in one go. Raises ChannelClosed."""
        try:
            self._socket.sendall(b"".join(frames) if len(frames) > 1 else frames[0])
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ChannelClosed from error

    def _exactly(self, size: int) -> bytes:
        buffer = bytearray(size)
        view = memoryview(buffer)
        filled = 0
        while filled < size:
            try:
                got = self._socket.recv_into(view[filled:])
            except ConnectionResetError as error:
                raise ChannelClosed from error
            if not got:
                raise ChannelClosed
            filled += got
        return bytes(buffer)


class FrontChannel:
    """The front's side: one reader at a time."""

    __slots__ = ("_buffer", "_loop", "_socket", "_start", "_unyielded", "_waiter", "closed")

    def __init__(self, sock: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        sock.setblocking(False)
        self._socket = sock
        self._loop = loop
        self._buffer = bytearray()
        self._start = 0
        self._unyielded = 0
        self._waiter: asyncio.Future[None] | None = None
        self.closed = False

    def fileno(self) -> int:
        return self._socket.fileno()

    def buffered(self) -> tuple[int, bytes] | None:
        """The next frame if all of it has been received already."""
        held = len(self._buffer) - self._start
        if held < HEADER.size:
            return None
        length, kind = HEADER.unpack_from(self._buffer, self._start)
        if held < HEADER.size + length:
            return None
        begin = self._start + HEADER.size
        with memoryview(self._buffer) as view:
            payload = bytes(view[begin : begin + length])
        self._start = begin + length
        if self._start == len(self._buffer):
            self._buffer.clear()
            self._start = 0
        return kind, payload

    async def receive(self) -> tuple[int, bytes]:
        """(kind, payload) of the next frame. Raises ChannelClosed."""
        while True:
            found = self.buffered()
            if found is not None:
                return found
            await self._fill()

    async def send(self, kind: int, payload: bytes) -> None:
        """One frame. Raises ChannelClosed, ValueError past 4 GiB."""
        if len(payload) < _LARGE:
            await self._send(frame(kind, payload))
        else:
            await self._send(_header(kind, payload))
            await self._send(payload)

    async def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            if self.closed:
                raise ChannelClosed
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                await self._ready(self._loop.add_writer, self._loop.remove_writer)
            except (BrokenPipeError, ConnectionResetError) as error:
                raise ChannelClosed from error

    def close(self) -> None:
        """The child reads end-of-file and ends."""
        if not self.closed:
            self.closed = True
            self._loop.remove_reader(self._socket.fileno())
            self._loop.remove_writer(self._socket.fileno())
            self._socket.close()
            if self._waiter is not None and not self._waiter.done():
                self._waiter.set_exception(ChannelClosed())

    async def _fill(self) -> None:
        if self._start:
            del self._buffer[: self._start]
            self._start = 0
        if self._unyielded >= _YIELD:
            self._unyielded = 0
            await asyncio.sleep(0)
        while True:
            if self.closed:
                raise ChannelClosed
            try:
                data = self._socket.recv(_RECEIVE)
            except BlockingIOError:
                await self._ready(self._loop.add_reader, self._loop.remove_reader)
                continue
            except ConnectionResetError as error:
                raise ChannelClosed from error
            break
        if not data:
            raise ChannelClosed
        self._buffer += data
        self._unyielded += len(data)

    async def _ready(self, add: Callable[..., None], remove: Callable[[int], object]) -> None:
        """Until the socket is ready for what `add` watches, or is closed."""
        descriptor = self._socket.fileno()
        self._waiter = self._loop.create_future()
        add(descriptor, _set_done, self._waiter)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if not self.closed:
                remove(descriptor)


def _set_done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
