"""A bare Starlette JSON echo under uvicorn: the yardstick for requests per second, and for how late
an event loop is on this machine: it looks at its lag as cypherd's does, and tells it at /metrics.

Started as `python -m benchmarks.echo PORT`; `EchoServer` does that and waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from benchmarks.client import free_port
from cypherd.queries.metrics import LAGS, Histogram

_LAG_PERIOD = 0.01
_lag = Histogram(LAGS)


async def echo(request: Request) -> JSONResponse:
    return JSONResponse(await request.json())


async def metrics(request: Request) -> PlainTextResponse:
    reached = 0
    lines = []
    for bound, count in zip((*LAGS, "+Inf"), _lag.counts, strict=True):
        reached += count
        lines.append(f'cypherd_loop_lag_seconds_bucket{{le="{bound}"}} {reached}\n')
    return PlainTextResponse("# TYPE cypherd_loop_lag_seconds histogram\n" + "".join(lines))


@contextlib.asynccontextmanager
async def looking(app: Starlette) -> AsyncIterator[None]:
    """Look at the lag of the loop, every so often."""

    async def look() -> None:
        while True:
            due = time.monotonic() + _LAG_PERIOD
            await asyncio.sleep(_LAG_PERIOD)
            _lag.observe(max(0.0, time.monotonic() - due))

    looks = asyncio.create_task(look())
    try:
        yield
    finally:
        looks.cancel()


app = Starlette(
    routes=[Route("/", echo, methods=["POST"]), Route("/metrics", metrics)], lifespan=looking
)


class EchoServer:
    def __init__(self) -> None:
        self.port = free_port()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen([sys.executable, "-m", "benchmarks.echo", str(self.port)])
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), timeout=1),
            ):
                return self
            time.sleep(0.05)
        raise RuntimeError("the echo server did not start")

    def __exit__(self, *exception: object) -> None:
        self._process.terminate()
        self._process.wait(10)


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
