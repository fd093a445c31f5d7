"""A read on its way to its client, which stops it at any moment."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from cypherd.errors import CypherdError, QueryCancelled
from cypherd.queries.answer import StreamAborted
from cypherd.queries.jobs import CHUNK, END, Ended
from cypherd.queries.reads import ReadRun
from cypherd.queries.registry import Entry, Registry
from cypherd.queries.stream import ReadStream
from cypherd.settings import Settings


class Run:
    """What a stream asks of a ReadRun, with frames from the test."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.frames: asyncio.Queue[tuple[int, bytes]] = asyncio.Queue()
        self.stopped: CypherdError | None = None

    async def receive(self) -> tuple[int, bytes]:
        return await self.frames.get()

    def end(self, payload: bytes) -> Ended:
        return Ended(error=QueryCancelled("stop").to_wire())

    def failure(self, ended: Ended) -> CypherdError | None:
        return self.stopped

    def stop(self, error: CypherdError) -> None:
        self.stopped = error

    def stall(self, stalled: bool) -> None:
        pass


def made() -> tuple[ReadStream, Run, Entry]:
    registry = Registry(10)
    entry = registry.begin("RETURN 1", {}, timeout=60.0, deadline_message="late")
    run = Run(entry)
    return ReadStream(Settings(), registry, cast(ReadRun, cast(Any, run)), b"first"), run, entry


async def until_over(stream: ReadStream) -> None:
    async with asyncio.timeout(5.0):
        while not stream.over:
            await asyncio.sleep(0.001)


async def _stopped_between_chunks() -> None:
    stream, run, entry = made()
    assert await anext(stream) == b"first"
    entry.stop(QueryCancelled("stop"))
    run.frames.put_nowait((END, b""))
    await until_over(stream)
    assert entry.state == "cancelled"


async def _stopped_while_it_waits_for_a_chunk() -> None:
    """The client does not come for more: the end of the query is not to wait for that."""
    stream, run, entry = made()
    assert await anext(stream) == b"first"
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    entry.stop(QueryCancelled("stop"))
    run.frames.put_nowait((CHUNK, b"second"))
    assert await reading == b"second"
    run.frames.put_nowait((CHUNK, b"third"))
    run.frames.put_nowait((END, b""))
    await until_over(stream)
    assert entry.state == "cancelled"
    # What was on its way comes still, and then why there is no more.
    assert await anext(stream) == b"third"
    with pytest.raises(StreamAborted):
        await anext(stream)


@pytest.mark.parametrize("case", [_stopped_between_chunks, _stopped_while_it_waits_for_a_chunk])
def test_a_stopped_query_ends_whenever_its_client_reads(case: Any) -> None:
    asyncio.run(case())
