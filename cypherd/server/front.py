"""The front: uvicorn's event loop on the supervisor's socket, with a runner beside it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import signal
import socket
import sys
from collections.abc import Generator
from typing import Any

import uvicorn
import uvloop

from cypherd.errors import CypherdError
from cypherd.processes.context import FrontResources
from cypherd.queries.runner import Runner
from cypherd.server.app import Application
from cypherd.server.limits import allow_many_connections, collect_seldom
from cypherd.server.logs import start_logging
from cypherd.server.protocol import Connection
from cypherd.server.side_link import SideLink
from cypherd.server.sockets import adopt
from cypherd.settings import Settings

EXIT_FAILED = 1
# Ticks between full collections, which take 20 us a connection; and while there are many.
_COLLECT_EVERY, _COLLECT_SELDOM = 600, 6000
_FEW = 500
# What connections get to take their last bytes after the drain.
_LAST_BYTES = 2
# Ticks of a tenth of a second in which all connections are looked at.
_LOOK_EVERY = 5


def run_front(settings: Settings, resources: FrontResources) -> int:
    """Serve until SIGTERM; the exit code."""
    start_logging(settings.log_format)
    collect_seldom()
    allow_many_connections()
    try:
        return uvloop.run(_serve(settings, resources))
    except CypherdError as error:
        print(f"cypherd: {error.message}", file=sys.stderr)
        return EXIT_FAILED


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
        self._to_look_at: list[Any] = []
        self._at_once = 1

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
        self._look()
        few = len(self.server_state.connections) < _FEW
        if counter % (_COLLECT_EVERY if few else _COLLECT_SELDOM) == 0:
            gc.collect()
        return await super().on_tick(counter)

    def _look(self) -> None:
        """At some of the connections: at all of them within half a second, and not at ten
        thousand in one turn of the loop."""
        if not self._to_look_at:
            self._to_look_at = list(self.server_state.connections)
            self._at_once = len(self._to_look_at) // _LOOK_EVERY + 1
        now = asyncio.get_running_loop().time()
        for connection in self._to_look_at[-self._at_once :]:
            if isinstance(connection, Connection):
                connection.check_time(now)
        del self._to_look_at[-self._at_once :]

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
