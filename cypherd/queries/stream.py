r"""A result on its way to a client that may be slow, or gone.

    worker --frames--> [direct] ----------------------> client
                  \--> [spool: memory, file] ---------> client, at its own pace

Direct: the next frame is read when the client takes more, so the query goes no faster than its
client. When the worker has waited for the client too long, or the query is stopped while it
waits, the rest goes to a bounded spool and the worker is free, snapshot and all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

from cypherd.errors import CypherdError, InternalError, Unavailable
from cypherd.processes.channel import ChannelClosed
from cypherd.queries.answer import StreamAborted
from cypherd.queries.jobs import CHUNK, Ended
from cypherd.queries.reads import ReadRun
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.spool import Spool
from cypherd.settings import Settings

# Below this many bytes a second of waiting, a client is slow.
_MINIMUM_RATE = 1 << 20
_NO_LIMIT = 1 << 62


class ReadStream(AsyncIterator[bytes]):
    """The chunks of one read; `first` is the one already here. Iterating raises StreamAborted
    when the body cannot be completed."""

    def __init__(self, settings: Settings, registry: Registry, run: ReadRun, first: bytes) -> None:
        self._settings = settings
        self._registry = registry
        self._run = run
        self._entry: Entry = run.entry
        self._pending: bytes | None = first
        self._spool: Spool | None = None
        self._filling: asyncio.Task[None] | None = None
        self._carried: bytes | None = None
        self._ended: Ended | None = None
        self._lost = False
        self._discard = False
        self._reading = False
        self._given_at = monotonic()
        self._waited = 0.0
        self._bytes = 0
        self._entry.stopper = self.stop
        self._entry.state = "streaming"

    @property
    def over(self) -> bool:
        return self._entry.ended is not None

    # --- the client ---------------------------------------------------------------------

    def __aiter__(self) -> ReadStream:
        return self

    async def __anext__(self) -> bytes:
        self._waited += monotonic() - self._given_at
        self._reading = True
        self._run.stall(False)
        try:
            chunk = await self._next()
        except asyncio.CancelledError:
            self._reading = False
            self._leave()
            raise
        finally:
            self._reading = False
        if chunk is None:
            raise StopAsyncIteration
        if self._entry.stop_error is not None and self._ended is None and not self._lost:
            # Stopped while this was read: the client may take its time to come for the next.
            self._fill_spool(_NO_LIMIT)
        self._bytes += len(chunk)
        self._given_at = monotonic()
        return chunk

    async def aclose(self) -> None:
        """The client takes no more."""
        self._leave()

    async def _next(self) -> bytes | None:
        if self._pending is not None:
            chunk, self._pending = self._pending, None
            return chunk
        while self._spool is not None:
            spooled = await self._spool.get()
            if spooled is not None:
                return spooled
            self._spool.close()
            self._spool = None
            if self._carried is not None:
                carried, self._carried = self._carried, None
                return carried
        if self._ended is None and not self._lost:
            try:
                kind, payload = await self._run.receive()
            except ChannelClosed:
                self._lose()
            else:
                if kind == CHUNK:
                    return payload
                self._ended = self._run.end(payload)
        self._conclude()
        return None

    def _conclude(self) -> None:
        """The end of the body. Raises StreamAborted unless the body is whole or tells why not."""
        ended = self._ended
        if ended is None:
            error: CypherdError | None = self._entry.stop_error or self._entry.error
            error = error or Unavailable("the process that ran the query was lost")
        else:
            error = self._run.failure(ended)
        self._registry.end(self._entry, error)
        if error is not None and not (ended is not None and ended.told):
            raise StreamAborted(error)

    # --- stopping -----------------------------------------------------------------------

    def stop(self, error: CypherdError) -> None:
        """The worker may be waiting in a send and not see its flag: take what it has to say."""
        if self._ended is not None or self._lost:
            # Only bytes in the spool are left, and they do not say that the query was stopped.
            self._ended = None
            self._lost = True
            self._pending = None
            if self._spool is not None:
                self._spool.close()
            self._registry.end(self._entry, error)
            return
        self._discard = self._discard or isinstance(error, ClientGone)
        self._run.stop(error)
        if not self._reading:
            self._fill_spool(_NO_LIMIT)

    def _leave(self) -> None:
        if self.over:
            return
        error = ClientGone("the client went away")
        self._discard = True
        if not self._entry.stop(error) and not self._reading:
            self._fill_spool(_NO_LIMIT)

    # --- slow clients -------------------------------------------------------------------

    def watch(self) -> None:
        """Called now and then: is the worker waiting for the client?"""
        if self._reading or self._filling is not None or self._ended is not None or self._lost:
            return
        stall = monotonic() - self._given_at
        waited = self._waited + stall
        if stall > self._settings.slow_client:
            self._run.stall(True)
        slow = self._bytes < waited * _MINIMUM_RATE
        if waited > self._settings.slow_client and slow and self._carried is None:
            self._fill_spool(self._settings.spool_limit)

    def _fill_spool(self, limit: int) -> None:
        if self._filling is None:
            if self._spool is None:
                self._spool = Spool(self._settings.spool_memory, limit)
            else:
                self._spool.reopen(limit)
            self._filling = asyncio.get_running_loop().create_task(self._fill(self._spool))

    async def _fill(self, spool: Spool) -> None:
        """Everything up to the END frame, or as much as the spool takes."""
        try:
            if self._carried is not None:
                carried, self._carried = self._carried, None
                await spool.put(carried)
            while self._ended is None:
                kind, payload = await self._run.receive()
                if kind != CHUNK:
                    self._ended = self._run.end(payload)
                elif not self._discard and not await spool.put(payload):
                    if self._entry.stop_error is None:
                        self._carried = payload
                        return
                    self._discard = True
        except ChannelClosed:
            self._lose()
        except OSError as error:
            self._entry.stop(InternalError(f"cannot spool the result: {error.strerror}"))
            self._run.abandon()
            self._lost = True
        finally:
            self._filling = None
            spool.finish()
        if self._ended is not None and self._entry.stop_error is not None:
            self._finish_stopped(self._ended)

    def _finish_stopped(self, ended: Ended) -> None:
        """A stopped query is over when its worker has stopped, whenever its client reads that."""
        self._registry.end(self._entry, self._run.failure(ended))

    def _lose(self) -> None:
        self._lost = True
        self._run.lost()
        if self._entry.stop_error is not None:
            self._registry.end(self._entry, self._entry.stop_error)


class HeldStream(AsyncIterator[bytes]):
    """The result of a write, complete and committed, from its spool."""

    def __init__(self, registry: Registry, entry: Entry, spool: Spool) -> None:
        self._registry = registry
        self._entry = entry
        self._spool = spool
        self._pending: bytes | None = None
        self._stopped: CypherdError | None = None
        entry.stopper = self._stop
        entry.state = "streaming"

    async def first(self) -> bytes:
        """The first bytes; iterating gives them again."""
        try:
            self._pending = await self._spool.get()
        except BaseException:
            await self.aclose()
            raise
        return self._pending or b""

    def __aiter__(self) -> HeldStream:
        return self

    async def __anext__(self) -> bytes:
        chunk, self._pending = self._pending, None
        if chunk is None:
            chunk = await self._spool.get()
        if self._stopped is not None:
            raise StreamAborted(self._stopped)
        if chunk is None:
            await self.aclose()
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        self._spool.close()
        self._registry.end(self._entry)

    def _stop(self, error: CypherdError) -> None:
        """What is written stays written; only the sending ends."""
        self._stopped = error
        self._spool.close()
        self._registry.end(self._entry, error)
