"""A bare Starlette JSON echo under uvicorn: the yardstick for requests per second.

Started as `python -m benchmarks.echo PORT`; `EchoServer` does that and waits for it.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from typing import Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from benchmarks.client import free_port


async def echo(request: Request) -> JSONResponse:
    return JSONResponse(await request.json())


app = Starlette(routes=[Route("/", echo, methods=["POST"])])


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
