"""The spool: order kept, memory bounded, the rest in a file, refused past its limit."""

from __future__ import annotations

import asyncio
import random

import pytest

from cypherd.queries.spool import Spool


@pytest.mark.parametrize("memory", [0, 10, 1000, 1 << 20], ids=str)
def test_bytes_come_out_as_they_went_in(memory: int) -> None:
    async def run() -> None:
        chance = random.Random(memory)
        chunks = [chance.randbytes(chance.randint(1, 2000)) for _ in range(200)]
        spool = Spool(memory, 1 << 30)
        for chunk in chunks:
            assert await spool.put(chunk)
        spool.finish()
        assert spool.total == sum(map(len, chunks))
        received = b""
        while (part := await spool.get()) is not None:
            received += part
        assert received == b"".join(chunks)
        spool.close()

    asyncio.run(run())


@pytest.mark.parametrize("memory", [0, 1500], ids=str)
def test_reading_while_writing(memory: int) -> None:
    async def run() -> None:
        chunks = [bytes([i]) * 700 for i in range(100)]
        spool = Spool(memory, 1 << 30)

        async def write() -> None:
            for chunk in chunks:
                await spool.put(chunk)
                await asyncio.sleep(0)
            spool.finish()

        writing = asyncio.create_task(write())
        received = b""
        while (part := await spool.get()) is not None:
            received += part
        await writing
        assert received == b"".join(chunks)
        spool.close()

    asyncio.run(run())


def test_past_its_limit_it_refuses_whole_chunks() -> None:
    async def run() -> None:
        spool = Spool(100, 1000)
        assert await spool.put(b"a" * 900)
        assert not await spool.put(b"b" * 200)
        assert await spool.put(b"c" * 100)
        spool.finish()
        received = b""
        while (part := await spool.get()) is not None:
            received += part
        assert received == b"a" * 900 + b"c" * 100
        spool.close()

    asyncio.run(run())


def test_whole_only_from_memory() -> None:
    async def run() -> None:
        spool = Spool(100, 1000)
        await spool.put(b"ab")
        await spool.put(b"cd")
        assert spool.whole() == b"abcd"
        await spool.put(b"e" * 200)
        assert spool.whole() is None
        spool.close()

    asyncio.run(run())


def test_closing_in_the_middle_of_a_write_ends_quietly() -> None:
    async def run() -> None:
        spool = Spool(0, 1 << 30)
        writing = asyncio.create_task(spool.put(b"x" * (8 << 20)))
        await asyncio.sleep(0)
        spool.close()
        await writing
        assert await spool.get() is None

    asyncio.run(run())
