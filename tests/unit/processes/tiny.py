"""A tiny server on the real supervisor and template, driven by lines on standard input.

    python -m tests.unit.processes.tiny PORT

Its front makes children on `fork`, which echo frames, and prints what it knows as JSON lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from cypherd.processes.channel import BlockingChannel, ChannelClosed, frame
from cypherd.processes.context import ChildContext, FrontResources
from cypherd.processes.forks import Child, ForkFailed, Forks
from cypherd.processes.supervisor import serve
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore


def echo(context: ChildContext) -> None:
    channel = BlockingChannel(context.channel)
    about = {
        "session": os.getsid(0),
        "frozen": gc.get_freeze_count() > 0,
        "ignores": [
            signal.getsignal(number) == signal.SIG_IGN for number in (signal.SIGTERM, signal.SIGINT)
        ],
        "sockets": _sockets(),
    }
    with contextlib.suppress(ChannelClosed):
        channel.send(frame(1, json.dumps(about).encode()))
        while True:
            kind, payload = channel.receive()
            channel.send(frame(kind, payload))


def no_store() -> GraphStore:
    raise AssertionError("the tiny server has no store")


def run_front(_settings: Settings, resources: FrontResources) -> int:
    return asyncio.run(Front(resources).run())


class Front:
    def __init__(self, resources: FrontResources) -> None:
        self.resources = resources
        self.children: list[Child] = []

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stopped.set)
        self.forks = Forks(self.resources.template)
        tell(front=os.getpid(), port=self.resources.listener.getsockname()[1])
        lines: asyncio.Queue[str] = asyncio.Queue()
        loop.add_reader(0, lambda: lines.put_nowait(sys.stdin.readline().strip()))
        stop = asyncio.create_task(stopped.wait())
        while True:
            line = asyncio.create_task(lines.get())
            await asyncio.wait({line, stop}, return_when=asyncio.FIRST_COMPLETED)
            if stop.done():
                return 0
            command, *arguments = line.result().split() or ["exit", "0"]
            if command == "exit":
                return int(arguments[0])
            await getattr(self, command)(*arguments)

    async def fork(self) -> None:
        try:
            child = await self.forks.fork("echo", timeout=10)
        except ForkFailed as error:
            tell(failed=str(error))
            return
        self.children.append(child)
        about = json.loads((await child.channel.receive())[1])
        tell(pid=child.pid, **about)

    async def ask(self, index: str) -> None:
        channel = self.children[int(index)].channel
        try:
            await channel.send(7, b"hello")
            async with asyncio.timeout(10):
                tell(answer=(await channel.receive())[1].decode())
        except ChannelClosed:
            tell(closed=True)

    async def close(self, index: str) -> None:
        child = self.children[int(index)]
        child.channel.close()
        await child.dead()
        tell(dead=child.pid)

    async def kill(self, index: str) -> None:
        child = self.children[int(index)]
        child.kill()
        try:
            async with asyncio.timeout(10):
                await child.channel.receive()
        except ChannelClosed:
            tell(closed=True)

    async def after(self, index: str) -> None:
        """Whether a kill after the death of a child is harmless."""
        child = self.children[int(index)]
        await child.dead()
        child.kill()
        tell(dead=child.pid)


def tell(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def _sockets() -> int:
    """Sockets that this process has open."""
    count = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            count += descriptor.readlink().name.startswith("socket:")
    return count


if __name__ == "__main__":
    roles = {"echo": echo}
    sys.exit(serve(Settings(port=int(sys.argv[1])), no_store, run_front, roles, lambda *_: 0))
