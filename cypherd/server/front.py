"""The front: uvicorn's event loop on the supervisor's socket, with a runner beside it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import resource
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
from cypherd.server.logs import start_logging
from cypherd.server.protocol import Connection
from cypherd.settings import Settings

EXIT_FAILED = 1
_YOUNG = 5000
# Ticks between full collections, which take 20 us a connection; and while there are many.
_COLLECT_EVERY, _COLLECT_SELDOM = 600, 6000
_FEW = 500
# What connections get to take their last bytes after the drain.
_LAST_BYTES = 2
_CONNECTIONS = 65_536
# Ticks of a tenth of a second in which all connections are looked at.
_LOOK_EVERY = 5


def run_front(settings: Settings, resources: FrontResources) -> int:
    """Serve until SIGTERM; the exit code."""
    start_logging(settings.log_format)
    _collect_seldom()
    _allow_many_connections()
    try:
        return uvloop.run(_serve(settings, resources))
    except CypherdError as error:
        print(f"cypherd: {error.message}", file=sys.stderr)
        return EXIT_FAILED


def _collect_seldom() -> None:
    """Ten thousand connections are half a million objects, and looking at all of them for cycles
    takes 200 ms. What is young is looked at as ever; all of it now and then (see `FrontServer`)."""
    gc.set_threshold(_YOUNG, 20, 1_000_000)


def _allow_many_connections() -> None:
    """A connection is a descriptor, and the usual limit of 1,024 can be raised by anyone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, _CONNECTIONS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


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
    server = FrontServer(config, runner, settings.shutdown_grace)
    await server.serve(sockets=[resources.listener])
    return 0


class FrontServer(uvicorn.Server):
    """Drains the runner before it closes connections, so that an answer on its way gets out and
    new queries hear that the server is stopping."""

    def __init__(self, config: uvicorn.Config, runner: Runner, grace: float) -> None:
        super().__init__(config)
        self._runner = runner
        self._grace = grace
        self._to_look_at: list[Any] = []
        self._at_once = 1

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = sockets[0].getsockname()[:2] if sockets else ("", 0)
        shown = f"[{host}]" if ":" in host else host
        print(f"cypherd: listening on http://{shown}:{port}", file=sys.stderr, flush=True)

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
