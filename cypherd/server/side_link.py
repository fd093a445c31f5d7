"""The first front's end of a pair to a front beside it; see processes/links.py."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from cypherd.processes import links
from cypherd.queries.runner import Runner

_log = logging.getLogger("cypherd.server")

TakeOver = Callable[[tuple[str, int] | None, socket.socket], Awaitable[None]]


class SideLink:
    """`take_over` serves the client whose connection came."""

    def __init__(self, link: socket.socket, runner: Runner, take_over: TakeOver) -> None:
        self._link = link
        self._runner = runner
        self._take_over = take_over
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        asyncio.get_running_loop().add_reader(self._link.fileno(), self._on_message)

    def _on_message(self) -> None:
        while True:
            message, descriptor = links.receive(self._link)
            if message is None:
                return
            kind, *values = message
            if kind == "connection" and descriptor is not None:
                sock = socket.socket(fileno=descriptor)
                sock.setblocking(False)
                task = asyncio.ensure_future(self._take(values[0], sock))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif kind == "plan":
                known = self._runner.plans.peek(values[0])
                planned = None if known is None else known.planned
                links.send(self._link, ("plan", values[0], planned))
            elif kind == "counted":
                self._runner.metrics.add(*values)
            elif kind == "ended":
                self._runner.registry.take_over(*values)

    async def _take(self, client: tuple[str, int] | None, sock: socket.socket) -> None:
        try:
            await self._take_over(client, sock)
        except OSError as error:
            _log.info("a connection that was handed over is gone: %s", error)
