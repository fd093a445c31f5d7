"""The front: uvicorn's event loop on the supervisor's socket, with a runner beside it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import socket
import sys
from collections.abc import Generator
from typing import Any, cast

import uvicorn

from cypherd.processes.context import FrontResources
from cypherd.queries.runner import Runner
from cypherd.server.app import Application
from cypherd.server.process import Housekeeping, run_in_loop
from cypherd.server.protocol import Connection
from cypherd.server.side_link import SideLink
from cypherd.server.sockets import adopt
from cypherd.settings import Settings

# What connections get to take their last bytes after the drain.
_LAST_BYTES = 2


def run_front(settings: Settings, resources: FrontResources) -> int:
    """Serve until SIGTERM; the exit code."""
    return run_in_loop(settings, functools.partial(_serve, settings, resources))


async def _serve(settings: Settings, resources: FrontResources) -> int:
    runner = Runner(settings, resources)
    await runner.start()
    application = Application(settings, runner)
    connection = functools.partial(Connection, settings=settings, shortcut=application.shortcut)
    config = uvicorn.Config(
        application,
        http=connection,  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_keep_alive=max(1, round(settings.keep_alive)),
        timeout_graceful_shutdown=_LAST_BYTES,
        server_header=False,
        proxy_headers=False,
        backlog=2048,
    )
    server = FrontServer(config, runner, settings.shutdown_grace, resources.sides)
    await server.serve(sockets=[resources.listener])
    return 0


class FrontServer(uvicorn.Server):
    """Drains the runner before it closes connections, so that an answer on its way gets out and
    new queries hear that the server is stopping."""

    def __init__(
        self,
        config: uvicorn.Config,
        runner: Runner,
        grace: float,
        sides: tuple[socket.socket, ...] = (),
    ) -> None:
        super().__init__(config)
        self._runner = runner
        self._grace = grace
        self._sides = [SideLink(side, runner, self._take_over) for side in sides]
        self._housekeeping = Housekeeping(cast(set[Connection], self.server_state.connections))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for side in self._sides:
            side.start()
        host, port = sockets[0].getsockname()[:2] if sockets else ("", 0)
        shown = f"[{host}]" if ":" in host else host
        print(f"cypherd: listening on http://{shown}:{port}", file=sys.stderr, flush=True)

    async def _take_over(self, client: tuple[str, int] | None, sock: socket.socket) -> None:
        """A connection that another front hands over."""
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:
            make: Any = self.config.http_protocol_class
            made: asyncio.Protocol = make(
                config=self.config,
                server_state=self.server_state,
                app_state={},
                _loop=loop,
                client=client,
            )
            return made

        await adopt(protocol, sock)

    async def on_tick(self, counter: int) -> bool:
        """uvicorn's, every TICK seconds."""
        self._housekeeping.tick(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._runner.stop(self._grace)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Without uvicorn's raising the signal again at the end: a clean stop exits with 0."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield
