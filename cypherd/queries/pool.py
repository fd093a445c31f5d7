"""A pool of children of one role, the bounded queue before it, and spares behind it.

At most `size` of them run queries at a time; `spare` more are forked ahead, so that one that is
killed is replaced in the time of a hand-over. While queries wait for longer than a moment the size
grows, one by one, up to `most`, and shrinks again when workers have had nothing to do for a while.
A worker that only waits for a slow client is `stalled`: it stays occupied, but does not count as
running, and another one may. Who waits is served client by client.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

from cypherd.errors import CypherdError, Unavailable
from cypherd.processes.forks import Child, ForkFailed, Forks
from cypherd.queries.fair import FairQueue, client_key
from cypherd.queries.metrics import Metrics
from cypherd.queries.registry import Entry

_log = logging.getLogger("cypherd.queries")

_FORK_RETRY = 0.1
# Stalled workers are bounded too: a worker beyond this many counts as running.
_MOST_STALLED = 16
# A process that has grown past this is replaced after its query: memory that malloc keeps is of
# no use to the next one.
_RETIRE_GROWTH = 256 << 20
# How long the queue must not have moved before the pool grows, and how long fewer workers must
# have been enough before it shrinks: each step by one.
_GROW_AFTER = 0.25
_SHRINK_AFTER = 10.0
_LOOK = 0.05


class Worker:
    """A child with its number in the pool; `stalled` is the pool's note."""

    __slots__ = ("base", "child", "number", "stalled")

    def __init__(self, number: int, child: Child) -> None:
        self.number = number
        self.child = child
        self.stalled = False
        self.base: int | None = None


class Pool:
    """`on_death` is called after a process has died, when its locks are free."""

    def __init__(
        self,
        forks: Forks,
        role: str,
        *,
        size: int,
        most: int,
        spare: int,
        queue_limit: int,
        limit_name: str,
        metrics: Metrics,
        on_death: Callable[[], None],
    ) -> None:
        self._forks = forks
        self.role = role
        self.size = size
        self._least = size
        self._most = max(size, most)
        self._spare = spare
        # Since when the queue has stood still, and since when fewer workers would have done.
        self._stuck: float | None = None
        self._slack: float | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._queue_limit = queue_limit
        self._limit_name = limit_name
        self._metrics = metrics
        self._on_death = on_death
        self._loop = asyncio.get_running_loop()
        self._all: set[Worker] = set()
        self._idle: deque[Worker] = deque()
        self._busy: set[Worker] = set()
        self._waiting: FairQueue[asyncio.Future[Worker]] = FairQueue()
        self._forking = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    async def start(self) -> None:
        """Fork the workers. Returns when one is there."""
        self._look()
        self._balance()
        first = next(iter(self._tasks), None)
        if first is not None:
            await asyncio.wait({first})

    def pids(self) -> list[int]:
        return [worker.child.pid for worker in self._all]

    def queued(self) -> int:
        return len(self._waiting)

    def free(self) -> bool:
        """Whether a query would run at once."""
        return bool(self._idle) and self._running() < self.size and not self._waiting

    async def acquire(self, entry: Entry) -> Worker:
        """A worker for a query. Raises Unavailable when the queue is full, and what the entry is
        stopped with while it waits."""
        entry.check_stopped()
        if self.free():
            return self._take()
        client = client_key(entry.client)
        self._make_room(client)
        ticket: asyncio.Future[Worker] = self._loop.create_future()
        self._waiting.push(client, ticket)
        entry.state = "queued"
        entry.place = None

        def stop(error: CypherdError) -> None:
            if not ticket.done():
                ticket.set_exception(error)

        entry.stopper = stop
        entry.waiting_for = self._what_is_waited_for
        try:
            return await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self.release(ticket.result())
            raise
        finally:
            entry.stopper = None
            entry.waiting_for = None
            self._waiting.remove(client, ticket)
            self._hand_over()

    def _make_room(self, client: str) -> None:
        """In a full queue the client that has most in it gives way. Raises Unavailable."""
        if len(self._waiting) < self._queue_limit:
            return
        full = Unavailable(
            f"{len(self._waiting)} queries wait already, as many as the setting "
            f"{self._limit_name} allows"
        )
        last = self._waiting.make_room(client)
        if last is None:
            raise full
        if not last.done():
            last.set_exception(full)

    def _what_is_waited_for(self) -> str:
        return f"a free {self.role}"

    def release(self, worker: Worker, resident: int = 0) -> None:
        """A worker has answered and waits for the next job."""
        if worker not in self._busy:
            return
        self._busy.discard(worker)
        worker.stalled = False
        if worker.base is None:
            worker.base = resident or None
        grown = resident - (worker.base or resident)
        surplus = len(self._all) > self.size + self._spare
        if self._closing or surplus or grown > _RETIRE_GROWTH:
            self._drop(worker)
        else:
            self._rest(worker)
        self._hand_over()

    def discard(self, worker: Worker) -> None:
        """A worker is of no use any more: end it at once, replace it."""
        if worker in self._all:
            self._metrics.lost[self.role] += 1
        worker.child.kill()
        self._drop(worker)
        self._hand_over()

    def stall(self, worker: Worker, stalled: bool) -> None:
        """Note whether a busy worker only waits for its client."""
        if worker in self._busy and worker.stalled != stalled:
            worker.stalled = stalled
            self._balance()
            self._hand_over()

    async def close(self) -> None:
        self._closing = True
        if self._looking is not None:
            self._looking.cancel()
        for task in self._tasks:
            task.cancel()
        for worker in list(self._all):
            worker.child.kill()
            self._drop(worker)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    # --- inside -------------------------------------------------------------------------

    def _look(self) -> None:
        """Now and then: whether the pool should grow or shrink."""
        self._looking = self._loop.call_later(_LOOK, self._look)
        now = self._loop.time()
        self._grow(now)
        self._shrink(now)

    def _grow(self, now: float) -> None:
        if not self._waiting or self.size >= self._most:
            self._stuck = None
        elif self._stuck is None:
            self._stuck = now
        elif now - self._stuck >= _GROW_AFTER:
            self._stuck = None
            self.size += 1
            self._balance()
            self._hand_over()

    def _shrink(self, now: float) -> None:
        if self._waiting or self.size <= self._least or self._running() >= self.size:
            self._slack = None
        elif self._slack is None:
            self._slack = now
        elif now - self._slack >= _SHRINK_AFTER:
            self._slack = None
            self.size -= 1
            if self._idle and len(self._all) > self.size + self._spare:
                worker = self._take()
                worker.child.kill()
                self._drop(worker)

    def _running(self) -> int:
        stalled = sum(worker.stalled for worker in self._busy)
        return len(self._busy) - min(stalled, _MOST_STALLED)

    def _take(self) -> Worker:
        worker = self._idle.popleft()
        self._loop.remove_reader(worker.child.channel.fileno())
        self._busy.add(worker)
        return worker

    def _rest(self, worker: Worker) -> None:
        """An idle worker has nothing to say: if its channel can be read, it has died."""
        self._idle.append(worker)
        self._loop.add_reader(worker.child.channel.fileno(), self._died_idle, worker)

    def _died_idle(self, worker: Worker) -> None:
        self._metrics.lost[self.role] += 1
        _log.warning("idle %s %d (pid %d) died", self.role, worker.number, worker.child.pid)
        self._drop(worker)

    def _hand_over(self) -> None:
        while self._waiting and self._idle and self._running() < self.size:
            ticket = self._waiting.pop()
            if not ticket.done():
                self._stuck = None
                ticket.set_result(self._take())

    def _drop(self, worker: Worker) -> None:
        if worker not in self._all:
            return
        self._all.discard(worker)
        self._busy.discard(worker)
        with contextlib.suppress(ValueError):
            self._idle.remove(worker)
        worker.child.channel.close()
        self._spawn(self._bury(worker))
        self._balance()

    async def _bury(self, worker: Worker) -> None:
        await worker.child.dead()
        self._on_death()

    def _balance(self) -> None:
        """Fork what is missing."""
        if self._closing:
            return
        stalled = min(sum(worker.stalled for worker in self._busy), _MOST_STALLED)
        wanted = self.size + self._spare + stalled
        while len(self._all) + self._forking < wanted:
            self._forking += 1
            self._spawn(self._fork())

    async def _fork(self) -> None:
        try:
            child = await self._fork_until_done()
        finally:
            self._forking -= 1
        used = {worker.number for worker in self._all}
        number = next(n for n in range(1, len(used) + 2) if n not in used)
        worker = Worker(number, child)
        self._all.add(worker)
        self._rest(worker)
        self._hand_over()

    async def _fork_until_done(self) -> Child:
        while True:
            try:
                return await self._forks.fork(self.role)
            except ForkFailed as error:
                _log.warning("%s", error)
                await asyncio.sleep(_FORK_RETRY)

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
