"""What every front is as a process: its start, its descriptors, garbage and idle connections."""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Protocol

import uvloop

from cypherd.errors import CypherdError
from cypherd.server.logs import start_logging
from cypherd.settings import Settings

EXIT_FAILED = 1
TICK = 0.1
"""Seconds between two calls of `Housekeeping.tick`."""

_CONNECTIONS = 65_536
_YOUNG = 20_000
# Ticks in which all connections are looked at.
_ROUND = 5
# Seconds between full collections, which take 20 us a connection; and while there are many.
_COLLECT_EVERY, _COLLECT_SELDOM = 60.0, 600.0
_FEW = 500


def run_in_loop(settings: Settings, serve: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run `serve` in an event loop; the exit code, that of a failure if it raised CypherdError."""
    start_logging(settings.log_format)
    _collect_seldom()
    _allow_many_connections()
    try:
        return uvloop.run(serve())
    except CypherdError as error:
        print(f"cypherd: {error.message}", file=sys.stderr)
        return EXIT_FAILED


class Timed(Protocol):
    def check_time(self, now: float) -> None:
        """`now` is the loop's clock."""


class Housekeeping:
    """`tick` looks at some of the connections: at all of them within half a second, and not at
    ten thousand in one turn of the loop. Now and then it collects all garbage."""

    def __init__(self, connections: Collection[Timed]) -> None:
        self._connections = connections
        self._left: list[Timed] = []
        self._at_once = 1
        self._collected = 0.0

    def tick(self, now: float) -> None:
        if not self._left:
            self._left = list(self._connections)
            self._at_once = len(self._left) // _ROUND + 1
        for connection in self._left[-self._at_once :]:
            connection.check_time(now)
        del self._left[-self._at_once :]
        self._collected = self._collected or now
        few = len(self._connections) < _FEW
        if now - self._collected >= (_COLLECT_EVERY if few else _COLLECT_SELDOM):
            self._collected = now
            gc.collect()


def _collect_seldom() -> None:
    """Ten thousand connections are half a million objects, and looking at all of them for cycles
    takes 200 ms. What is young is looked at as ever; all of it by `Housekeeping`.

    Hundreds of requests under way are ten thousand objects. With fewer than these counted as young
    they would be looked at again and again, and in the middle generation, which is not to grow
    large either, for 25 ms."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, 2, 1_000_000)


def _allow_many_connections() -> None:
    """A connection is a descriptor, and the usual limit of 1,024 can be raised by anyone."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, _CONNECTIONS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
