"""Bounded reads in the event loop: turns, and who comes first."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from time import perf_counter

from cypherd.engine import Engine
from cypherd.queries.inline import Inline
from cypherd.queries.metrics import Metrics
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store


def _busy(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


async def _run(store_path: Path, calls: int) -> tuple[list[int], list[int]]:
    """The order in which `calls` run that come at once, each of a third of a turn's budget, and
    how many turns of the loop there have been before each."""
    settings = Settings(inline_budget=0.003)
    store = open_store(store_path, map_size=64 * MIB, create=True)
    inline = Inline(settings, store, Engine(settings), Metrics())
    order: list[int] = []
    turns: list[int] = []
    turn = 0

    def count() -> None:
        nonlocal turn
        turn += 1
        if len(order) < calls:
            asyncio.get_running_loop().call_soon(count)

    def run(number: int) -> None:
        order.append(number)
        turns.append(turn)
        _busy(0.001)

    async def one(number: int) -> None:
        await inline.in_turn("", lambda: run(number))

    asyncio.get_running_loop().call_soon(count)
    await asyncio.gather(*(one(number) for number in range(calls)))
    store.close()
    return order, turns


def test_first_come_first_served_a_few_a_turn(tmp_path: Path) -> None:
    order, turns = asyncio.run(_run(tmp_path / "s", 40))
    assert order == list(range(40))
    most = max(turns.count(turn) for turn in turns)
    assert most <= 3
    assert turns == sorted(turns)


def test_whoever_is_cancelled_meanwhile_is_left_out(tmp_path: Path) -> None:
    async def run() -> list[int]:
        settings = Settings(inline_budget=0.001)
        store = open_store(tmp_path / "s", map_size=64 * MIB, create=True)
        inline = Inline(settings, store, Engine(settings), Metrics())
        done: list[int] = []

        async def one(number: int) -> None:
            def run() -> None:
                _busy(0.002)
                done.append(number)

            await inline.in_turn("", run)

        tasks = [asyncio.create_task(one(number)) for number in range(6)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        store.close()
        return done

    assert asyncio.run(run()) == [0, 1, 2, 4, 5]


def test_what_one_raises_keeps_no_other_waiting(tmp_path: Path) -> None:
    async def run() -> list[int]:
        settings = Settings(inline_budget=0.001)
        store = open_store(tmp_path / "s", map_size=64 * MIB, create=True)
        inline = Inline(settings, store, Engine(settings), Metrics())
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        done: list[int] = []

        def call(number: int) -> None:
            _busy(0.002)
            if number == 2:
                raise RuntimeError("a fault")
            done.append(number)

        for number in range(5):
            inline.later("", partial(call, number))
        async with asyncio.timeout(10):
            while len(done) < 4:
                await asyncio.sleep(0.001)
        store.close()
        return done

    assert asyncio.run(run()) == [0, 1, 3, 4]
