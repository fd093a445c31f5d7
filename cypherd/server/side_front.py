"""A front beside the first one: a second core for what can be answered at once.

    client --- bytes ---> short request, plan known?  --yes--> answered here
                                 |no
                                 '--- tunnel ---> the first front, which answers all else

It has no pool, no writer and no registry of its own: what is not answered in a turn of its loop
goes, byte by byte, through a socket handed over to the first front, as if the client had connected
there; when the answer is out, the connection comes back. So limits, queues, the list of queries and
their cancels are those of the first front, whichever front a client has reached. Plans are asked of
it; what was answered here is told to it, a few times a second.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import socket
from time import monotonic

from cypherd.engine import Engine
from cypherd.processes import links
from cypherd.processes.context import SideResources
from cypherd.queries.immediate import Immediate
from cypherd.queries.inline import Inline
from cypherd.queries.jobs import Planned
from cypherd.queries.metrics import Metrics
from cypherd.queries.plans import PlanCache
from cypherd.queries.registry import Entry, Registry, Told
from cypherd.queries.slow_log import SlowLog
from cypherd.server.process import TICK, Housekeeping, run_in_loop
from cypherd.server.safety import Gate
from cypherd.server.shortcut import Shortcut
from cypherd.server.side_connection import SideConnection
from cypherd.settings import Settings

_TELL_EVERY = 0.2
# A plan that the first front did not know is asked for again after so long.
_ASK_AGAIN = 0.2
_BACKLOG = 2048
_KEPT = 50


def run_side_front(settings: Settings, resources: SideResources) -> int:
    """Serve until killed or told to stop; the exit code."""
    return run_in_loop(settings, functools.partial(_serve, settings, resources))


async def _serve(settings: Settings, resources: SideResources) -> int:
    front = SideFront(settings, resources)
    await front.run()
    return 0


class SideFront:
    def __init__(self, settings: Settings, resources: SideResources) -> None:
        self.settings = settings
        self._resources = resources
        self._loop = asyncio.get_running_loop()
        self._plans = PlanCache(settings.plan_cache)
        self._metrics = Metrics()
        self._store = resources.open_store()
        self._inline = Inline(settings, self._store, Engine(settings), self._metrics)
        self._told: list[Told] = []
        self._slow_log = SlowLog(settings, self._plans) if settings.log_slow_queries else None
        registry = Registry(0, self._metrics, self._ended, resources.number)
        self._immediate = Immediate(settings, self._plans, registry, self._inline)
        root = settings.root_path.strip("/")
        self.shortcut = Shortcut(
            settings, self._immediate, Gate(settings), f"/{root}" if root else ""
        )
        self._asked: dict[str, float] = {}
        self.connections: set[SideConnection] = set()
        self._housekeeping = Housekeeping(self.connections)

    async def run(self) -> None:
        loop, link = self._loop, self._resources.link
        loop.add_reader(self._resources.lifeline, _supervisor_gone)
        loop.add_reader(link.fileno(), self._on_message)
        stopping = asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, stopping.set)
        loop.add_signal_handler(signal.SIGINT, stopping.set)
        # One that was killed before us may have left a snapshot open.
        self._store.reader_check()
        self._inline.start()
        server = await loop.create_server(
            lambda: SideConnection(self), sock=self._resources.listener, backlog=_BACKLOG
        )
        loop.call_later(_TELL_EVERY, self._tell_again)
        loop.call_later(TICK, self._tick)
        await stopping.wait()
        # Whoever asks now hears from the first front that the server is stopping; it ends us.
        self._immediate.stopping = True
        await asyncio.sleep(self.settings.shutdown_grace + 10)
        server.close()

    def _ended(self, entry: Entry) -> None:
        self._told.append(Told.of(entry))
        if self._slow_log is not None:
            self._slow_log(entry)

    # --- the first front --------------------------------------------------------------------

    def hand_over(self, client: tuple[str, int] | None, theirs: socket.socket) -> bool:
        return links.send(self._resources.link, ("connection", client), theirs.fileno())

    def want_plan(self, text: str) -> None:
        """Ask for the plan of a text that could be answered here, now and then."""
        now = monotonic()
        if now - self._asked.get(text, 0.0) < _ASK_AGAIN:
            return
        if len(self._asked) > self.settings.plan_cache:
            self._asked.clear()
        self._asked[text] = now
        links.send(self._resources.link, ("plan", text))

    def _on_message(self) -> None:
        while True:
            message, _ = links.receive(self._resources.link)
            if message is None:
                return
            _, text, planned = message
            if isinstance(planned, Planned) and planned.inline:
                self._plans.put(text, planned)
                self._asked.pop(text, None)

    def _tell_again(self) -> None:
        self.tell()
        self._tell_counts()
        self._loop.call_later(_TELL_EVERY, self._tell_again)

    def tell(self) -> None:
        """Tell the first front what has been answered here since the last time."""
        if self._told:
            told = self._told[-_KEPT:] if self.settings.finished_kept else []
            self._told = []
            self._tell_of(told)
            self._tell_counts()

    def _tell_of(self, told: list[Told]) -> None:
        """In one message, or where that is too long, in more."""
        if told and not links.send(self._resources.link, ("ended", told)) and len(told) > 1:
            half = len(told) // 2
            self._tell_of(told[:half])
            self._tell_of(told[half:])

    def _tell_counts(self) -> None:
        counted = self._metrics.take()
        if not links.send(self._resources.link, ("counted", counted)):
            self._metrics.add(counted)

    def _tick(self) -> None:
        self._housekeeping.tick(self._loop.time())
        self._loop.call_later(TICK, self._tick)


def _supervisor_gone() -> None:
    os._exit(1)
