"""A bulk load, seen from the front: a stream of records, batch by batch to the writer.

    bytes -> Splitter: whole records -> batch -> writer: one transaction, noted how far it got
             ^ nothing is read while a batch waits and another is full

A batch takes its turn among the other writes, so a load holds nobody up for longer than that. What
the store notes with each batch says after a crash, or after the client was lost, which records are
in it; the same stream under the same id goes on behind them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgpack

from cypherd.errors import BodyTooLarge, CypherdError, RequestError
from cypherd.queries.answer import QueryRequest
from cypherd.queries.jobs import Planned, unpack
from cypherd.queries.load_records import BadRecord, Format, LoadBatch, LoadOptions
from cypherd.queries.registry import Entry
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings

_PLANNED = Planned("write", False, -1, b"")
# A batch that is not full goes to the store after so long.
_PATIENCE = 0.5
# While no other write comes, batches grow to so many times the setting load_batch.
_GROWTH = 8

Write = Callable[[Entry, QueryRequest, Planned, LoadBatch], Awaitable[bytes]]


class TooManyBadRecords(RequestError):
    status = 422


class Splitter:
    """Bytes in, whole records out, with their number. Raises BodyTooLarge for a record beyond
    `largest` bytes, RequestError for bytes that are no records."""

    def __init__(self, format_: Format, largest: int) -> None:
        self._lines = format_ == "ndjson"
        self._largest = largest
        self._data = bytearray()

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, chunk: bytes) -> None:
        self._data += chunk

    def take(self, *, at_end: bool = False) -> tuple[bytes, int]:
        """All whole records that have come; `at_end`: nothing more comes, so a last line needs
        no end, and half a record is an error."""
        cut, count = self._cut_lines(at_end) if self._lines else self._cut_values(at_end)
        with memoryview(self._data) as view:
            data = bytes(view[:cut])
        del self._data[:cut]
        if len(self._data) > self._largest:
            raise BodyTooLarge(
                f"a record is larger than the {self._largest} bytes that the setting max_body "
                "allows"
            )
        return data, count

    def _cut_lines(self, at_end: bool) -> tuple[int, int]:
        data = self._data
        cut = data.rfind(b"\n") + 1
        count = data.count(b"\n", 0, cut)
        if at_end and cut < len(data):
            return len(data), count + 1
        return cut, count

    def _cut_values(self, at_end: bool) -> tuple[int, int]:
        unpacker = msgpack.Unpacker(max_buffer_size=0)
        unpacker.feed(bytes(self._data))
        cut = count = 0
        while cut < len(self._data):
            try:
                unpacker.skip()
            except msgpack.OutOfData:
                if at_end:
                    raise RequestError("the body ends in the middle of a record") from None
                break
            except (ValueError, msgpack.UnpackException) as error:
                reason = str(error) or type(error).__name__
                raise RequestError(f"the body is not MessagePack: {reason}") from error
            cut, count = unpacker.tell(), count + 1
        return cut, count


class Load:
    """One load. `totals` is what is in the store of it; `bad` are the records left out since
    this request began, at most `max_bad`."""

    def __init__(
        self,
        settings: Settings,
        entry: Entry,
        format_: Format,
        options: LoadOptions,
        totals: dict[str, int],
        max_bad: int,
        write: Write,
        other_writes: Callable[[], int],
    ) -> None:
        self._settings = settings
        self._format: Format = format_
        self._options = options
        self._write = write
        self._other_writes = other_writes
        self._writes_seen = other_writes()
        self._batch = settings.load_batch
        self._splitter = Splitter(format_, settings.max_body)
        self._max_bad = max_bad
        self._behind = totals.get("records", 0)
        self._next = 1
        self._request = QueryRequest(
            entry.text, {}, "json", RenderOptions(), entry.id, None, False, entry.client, None
        )
        self._writing: asyncio.Task[bytes] | None = None
        self._stop = asyncio.Event()
        self.id = entry.id
        self.entry = entry
        self.totals = dict(totals)
        self.bad: list[BadRecord] = []

    async def run(self, chunks: AsyncIterator[bytes]) -> None:
        """To the end of the stream. Raises CypherdError; ClientDisconnected and the like when the
        client is lost: whole records that had come by then are stored."""
        try:
            await self._read(chunks)
        except asyncio.CancelledError:
            await self._settle()
            raise
        except CypherdError:
            await self._settle()
            raise
        except Exception:
            await self._store(*self._splitter.take(), last=False)
            await self._settle()
            raise
        await self._store(*self._splitter.take(at_end=True), last=True)
        await self._settle()

    async def _read(self, chunks: AsyncIterator[bytes]) -> None:
        following: asyncio.Task[bytes | None] | None = None
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            while True:
                if following is None:
                    following = asyncio.ensure_future(_next(chunks))
                if self.entry.stopper is None:
                    self.entry.stopper = lambda _: self._stop.set()
                done, _ = await asyncio.wait(
                    {following, stopped}, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED
                )
                self.entry.check_stopped()
                if not done:
                    await self._store(*self._splitter.take(), last=False)
                    continue
                chunk = following.result()
                following = None
                if chunk is None:
                    return
                self._splitter.feed(chunk)
                if len(self._splitter) >= self._batch:
                    await self._store(*self._splitter.take(), last=False)
        finally:
            stopped.cancel()
            if following is not None:
                following.cancel()

    async def _store(self, data: bytes, count: int, *, last: bool) -> None:
        """Hand a batch to the writer, when the one before it is in the store."""
        first = self._next
        self._next += count
        skipped = min(count, max(0, self._behind - first + 1))
        if skipped == count and not last:
            return
        if skipped:
            data = _without(data, skipped, self._format)
        await self._settle()
        self.entry.check_stopped()
        # Relationships touch pages everywhere, and a larger batch writes each of them less often;
        # but nobody is to wait for one: they grow while nobody else writes.
        least, seen = self._settings.load_batch, self._other_writes()
        quiet = seen == self._writes_seen
        self._batch = min(2 * self._batch, _GROWTH * least) if quiet else least
        self._writes_seen = seen
        batch = LoadBatch(
            self.entry.id, self._format, first + skipped, count - skipped, data, self._options,
            last,
        )  # fmt: skip
        self._writing = asyncio.ensure_future(
            self._write(self.entry, self._request, _PLANNED, batch)
        )

    async def _settle(self) -> None:
        """Until the batch at the writer is in the store. Raises what it failed with."""
        writing, self._writing = self._writing, None
        if writing is None:
            return
        told: dict[str, Any] = unpack(await writing)
        self.bad += told.pop("bad")
        self.totals = told
        self.entry.rows = told["records"]
        if len(self.bad) > self._max_bad:
            del self.bad[self._max_bad :]
            raise TooManyBadRecords(
                f"more than {self._max_bad} records are wrong, as many as max_bad allows; what is "
                "right of those before is stored"
            )


async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
    async for chunk in chunks:
        return chunk
    return None


def _without(data: bytes, records: int, format_: Format) -> bytes:
    """`data` without its first records, which are stored already."""
    if format_ == "ndjson":
        cut = 0
        for _ in range(records):
            cut = data.find(b"\n", cut) + 1 or len(data)
        return data[cut:]
    unpacker = msgpack.Unpacker(max_buffer_size=0)
    unpacker.feed(data)
    for _ in range(records):
        unpacker.skip()
    return data[unpacker.tell() :]
