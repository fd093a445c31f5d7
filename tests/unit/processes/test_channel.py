"""Frames over a socketpair: whole whatever the pieces, end-of-file told, no starving."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from cypherd.processes.channel import BlockingChannel, ChannelClosed, FrontChannel, frame


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    front, child = socket.socketpair()
    with front, child:
        yield front, child


def test_a_frame_is_length_kind_payload() -> None:
    assert frame(3, b"ab") == b"\x00\x00\x00\x02\x03ab"


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_000], ids=str)
def test_front_receives_what_the_child_sends(
    pair: tuple[socket.socket, socket.socket], size: int
) -> None:
    payload = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    child = BlockingChannel(pair[1])
    sender = threading.Thread(target=child.send, args=(frame(1, payload), frame(2, b"end")))

    async def receive() -> list[tuple[int, bytes]]:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        sender.start()
        return [await channel.receive(), await channel.receive()]

    assert asyncio.run(receive()) == [(1, payload), (2, b"end")]
    sender.join()


def test_frames_cut_anywhere_are_put_together(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    data = frame(1, b"first") + frame(2, b"") + frame(3, b"third")

    async def receive() -> list[tuple[int, bytes]]:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        for at in range(len(data)):
            pair[1].send(data[at : at + 1])
            await asyncio.sleep(0)
        return [await channel.receive() for _ in range(3)]

    assert asyncio.run(receive()) == [(1, b"first"), (2, b""), (3, b"third")]


def test_child_receives_what_the_front_sends(pair: tuple[socket.socket, socket.socket]) -> None:
    received: list[tuple[int, bytes]] = []
    child = BlockingChannel(pair[1])
    reader = threading.Thread(target=lambda: received.append(child.receive()))

    async def send() -> None:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        reader.start()
        await channel.send(4, b"y" * 2_000_000)

    asyncio.run(send())
    reader.join()
    assert received == [(4, b"y" * 2_000_000)]


def test_what_was_sent_before_the_end_is_still_read(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    """The frames of a child that died are there for the one that settles its work."""
    BlockingChannel(pair[1]).send(frame(1, b"last words"))
    pair[1].close()

    async def receive() -> tuple[int, bytes]:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        last = await channel.receive()
        with pytest.raises(ChannelClosed):
            await channel.receive()
        return last

    assert asyncio.run(receive()) == (1, b"last words")


def test_end_of_file_on_the_child_s_side(pair: tuple[socket.socket, socket.socket]) -> None:
    pair[0].close()
    channel = BlockingChannel(pair[1])
    with pytest.raises(ChannelClosed):
        channel.receive()
    with pytest.raises(ChannelClosed):
        channel.send(frame(1, b"x"))


def test_closing_wakes_the_reader(pair: tuple[socket.socket, socket.socket]) -> None:
    async def run() -> None:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        reading = asyncio.create_task(channel.receive())
        await asyncio.sleep(0)
        channel.close()
        with pytest.raises(ChannelClosed):
            await reading

    asyncio.run(run())


def test_the_front_reads_only_when_asked(pair: tuple[socket.socket, socket.socket]) -> None:
    """Backpressure: a child that sends more than the pipe holds waits until somebody receives."""
    child = BlockingChannel(pair[1])
    sent = threading.Event()

    def send_much() -> None:
        for _ in range(64):
            child.send(frame(1, b"z" * 65_536))
        sent.set()

    async def run() -> None:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        thread = threading.Thread(target=send_much)
        thread.start()
        await channel.receive()
        await asyncio.sleep(0.2)
        assert not sent.is_set()
        for _ in range(63):
            await channel.receive()
        await asyncio.to_thread(thread.join)

    asyncio.run(run())


def test_a_fast_child_does_not_starve_the_loop(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    child = BlockingChannel(pair[1])
    chunks = 400

    def send_much() -> None:
        for _ in range(chunks):
            child.send(frame(1, b"z" * 65_536))

    async def run() -> int:
        channel = FrontChannel(pair[0], asyncio.get_running_loop())
        thread = threading.Thread(target=send_much)
        thread.start()
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(others())
        for _ in range(chunks):
            await channel.receive()
        task.cancel()
        await asyncio.to_thread(thread.join)
        return turns

    # Every receive of 256 KiB at most is followed by a turn for the others.
    assert asyncio.run(run()) >= chunks // 4 - 1
