"""Bulk loads of a front: registered among the queries, written by the writer, known afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from cypherd.errors import CypherdError, InternalError, QueryIdInUse
from cypherd.queries.answer import QueryRequest
from cypherd.queries.jobs import Planned
from cypherd.queries.load_records import Format, LoadBatch, LoadOptions
from cypherd.queries.loading import Load
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.writes import Writes
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore

# A load may take as long as its stream does.
_NO_DEADLINE = 10 * 365 * 86_400.0


class Loads:
    def __init__(
        self, settings: Settings, registry: Registry, writes: Writes, store: GraphStore
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._writes = writes
        self._store = store

    def begin(
        self, id: str | None, client: str, format_: Format, options: LoadOptions, max_bad: int
    ) -> Load:
        """Register a load: a new one, or one that goes on behind what is stored of it.

        Raises QueryIdInUse, also for one that has ended."""
        totals = {} if id is None else self.state(id) or {}
        if totals.get("finished"):
            raise QueryIdInUse(f"the bulk load {id!r} has ended")
        entry = self._registry.begin(
            "bulk load", {}, id=id, client=client, timeout=_NO_DEADLINE, deadline_message=""
        )
        entry.state, entry.place = "running", "writer"
        return Load(
            self._settings, entry, format_, options, totals, max_bad, self._write,
            lambda: self._writes.statements,
        )  # fmt: skip

    async def run(self, load: Load, chunks: AsyncIterator[bytes], lost: type[Exception]) -> None:
        """Raises CypherdError, and `lost`, which `chunks` raise when the client has gone."""
        error: CypherdError | None = InternalError(
            "internal error; the log of the server says more"
        )
        try:
            await load.run(chunks)
            error = None
        except CypherdError as failure:
            error = failure
            raise
        except (lost, asyncio.CancelledError):
            error = ClientGone("the client went away")
            raise
        finally:
            self._registry.end(load.entry, error)

    def state(self, id: str) -> dict[str, int] | None:
        """What is stored of a load: counts by name, `finished`."""
        with self._store.read() as transaction:
            found = transaction.load_state(id)
        return None if found is None else dict(found)

    async def _write(
        self, entry: Entry, request: QueryRequest, planned: Planned, batch: LoadBatch
    ) -> bytes:
        held, _ = await self._writes.run(entry, request, planned, batch)
        try:
            parts = []
            while (part := await held.get()) is not None:
                parts.append(part)
            return b"".join(parts)
        finally:
            held.close()
