"""A spool: result bytes between a producer and a client, in memory first, then in a file.

First in, first out. Bytes go to memory until `memory` of them are held, from then on to an
unnamed temporary file, whose reads and writes happen in a thread: the event loop never waits for
a disk. Past `limit` bytes in all, `put` refuses.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import deque
from collections.abc import Callable
from typing import IO, TypeVar

_READ = 64 * 1024
_T = TypeVar("_T")


class Spool:
    __slots__ = ("_busy", "_changed", "_chunks", "_closed", "_file", "_held", "_limit", "_memory",
                 "_read", "_written", "finished", "total")  # fmt: skip

    def __init__(self, memory: int, limit: int) -> None:
        self._memory = memory
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._file: IO[bytes] | None = None
        self._read = 0
        self._written = 0
        # Made by the first who waits: of most spools nobody ever does.
        self._changed: asyncio.Event | None = None
        self._busy = 0
        self._closed = False
        self.total = 0
        self.finished = False

    def put_now(self, chunk: bytes) -> bool:
        """Keep a chunk if it may stay in memory; False: `put` must write it to the file."""
        if self._file is not None or self._held + len(chunk) > self._memory:
            return False
        self._chunks.append(chunk)
        self._held += len(chunk)
        self.total += len(chunk)
        self._tell()
        return True

    async def put(self, chunk: bytes) -> bool:
        """Keep a chunk; False if it would pass the limit, and is not kept."""
        if self.total + len(chunk) > self._limit:
            return False
        if not self.put_now(chunk):
            if self._closed:
                return False
            await self._in_thread(self._append, chunk)
            self._written += len(chunk)
            self.total += len(chunk)
            self._tell()
        return True

    def finish(self) -> None:
        """Nothing more will be put."""
        self.finished = True
        self._tell()

    def reopen(self, limit: int) -> None:
        """More will be put, up to another limit."""
        self.finished = False
        self._limit = limit

    def whole(self) -> bytes | None:
        """Everything, taken out, if it is in memory; None if some of it is in the file."""
        if self._file is not None:
            return None
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._held = 0
        return data

    async def get(self) -> bytes | None:
        """The next bytes, waiting for them; None at the end."""
        while True:
            if self._chunks:
                chunk = self._chunks.popleft()
                self._held -= len(chunk)
                return chunk
            if self._file is not None and self._read < self._written:
                size = min(_READ, self._written - self._read)
                data = await self._in_thread(os.pread, self._file.fileno(), size, self._read)
                self._read += len(data)
                return data
            if self.finished:
                return None
            if self._changed is None:
                self._changed = asyncio.Event()
            self._changed.clear()
            await self._changed.wait()

    def close(self) -> None:
        """Forget everything; the file goes as soon as no thread uses it."""
        self.finish()
        self._closed = True
        self._chunks.clear()
        if self._file is not None and not self._busy:
            self._file.close()
            self._file = None

    def _tell(self) -> None:
        if self._changed is not None:
            self._changed.set()

    async def _in_thread(self, act: Callable[..., _T], *arguments: object) -> _T:
        self._busy += 1
        try:
            return await asyncio.shield(asyncio.to_thread(act, *arguments))
        finally:
            self._busy -= 1
            if self._closed:
                self.close()

    def _append(self, data: bytes) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
        offset = self._written
        view = memoryview(data)
        while view:
            written = os.pwrite(self._file.fileno(), view, offset)
            offset += written
            view = view[written:]
