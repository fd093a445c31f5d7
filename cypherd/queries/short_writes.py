"""Short writes: known plans, begun in the callback of a connection, answered in the callback of
their settlement.

    begin() -> registry, deadline, the writer's queue ... settled -> in turn -> done(write)

The ordinary way has a task for each, with futures that shield one another: about half of what a
short write costs the front.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any

from cypherd.errors import CypherdError, DeadlinePassed, Unavailable
from cypherd.queries.answer import Answer, QueryRequest
from cypherd.queries.jobs import Ended
from cypherd.queries.plans import PlanCache
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.spool import Spool
from cypherd.queries.stream import HeldStream
from cypherd.queries.writes import Writes
from cypherd.render.gzipping import is_gzip
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings

# Answers in one turn of the event loop.
_AT_ONCE = 32


def whole_answer(registry: Registry, entry: Entry, held: Spool, ended: Ended) -> Answer | None:
    """The answer of a write that is committed, which ends its entry; None: it is not in one piece,
    see `streamed_answer`."""
    body = held.whole()
    if body is None:
        return None
    held.close()
    registry.end(entry)
    return Answer(entry.id, ended.stats, body, None, is_gzip(body))


async def streamed_answer(registry: Registry, entry: Entry, held: Spool, ended: Ended) -> Answer:
    stream = HeldStream(registry, entry, held)
    return Answer(entry.id, ended.stats, None, stream, is_gzip(await stream.first()))


class BegunWrite:
    """A write from when it was begun, and where its outcome goes (waiting_writes.Outcome). When
    `done` is called with it, `answer` is it if it came in one piece; otherwise `outcome` gives it,
    or raises what it failed with."""

    __slots__ = ("_held", "_registry", "_told", "answer", "call_done", "entry", "error", "timer")

    def __init__(
        self,
        registry: Registry,
        entry: Entry,
        done: Callable[[BegunWrite], None],
        told: Callable[[BegunWrite], None],
    ) -> None:
        self._registry = registry
        self._told = told
        self.entry = entry
        self.call_done = done
        self.timer: asyncio.TimerHandle | None = None
        self.answer: Answer | None = None
        self.error: CypherdError | None = None
        self._held: tuple[Spool, Ended] | None = None

    def client_gone(self) -> None:
        self.entry.stop(ClientGone("the client went away"))

    def done(self) -> bool:
        return self._held is not None or self.error is not None

    def set_result(self, result: tuple[Spool, Ended]) -> None:
        self._held = result
        self._told(self)

    def set_exception(self, error: CypherdError) -> None:
        self.error = error
        self._told(self)

    def settle(self) -> None:
        """Its entry ends, unless it is to be streamed."""
        if self.timer is not None:
            self.timer.cancel()
        if self._held is not None:
            held, ended = self._held
            self.answer = whole_answer(self._registry, self.entry, held, ended)
        elif self.error is not None:
            self.error = self.error.located(self.entry.text)
            self._registry.end(self.entry, self.error)

    def drop(self) -> None:
        """Nobody is there to be answered."""
        if self._held is not None and self.answer is None:
            self._held[0].close()
            self._registry.end(self.entry)

    async def outcome(self) -> Answer:
        if self.error is not None:
            raise self.error
        if self.answer is not None:
            return self.answer
        assert self._held is not None, "it is settled"
        return await streamed_answer(self._registry, self.entry, *self._held)


class ShortWrites:
    def __init__(
        self,
        settings: Settings,
        plans: PlanCache,
        registry: Registry,
        writes: Writes,
        deadline_message: str,
    ) -> None:
        self.timeout = settings.default_timeout
        self._plans = plans
        self._registry = registry
        self._writes = writes
        self._deadline_message = deadline_message
        self._loop = asyncio.get_running_loop()
        # Those that are settled and not answered yet.
        self._settled: deque[BegunWrite] = deque()
        self.stopping = False

    def knows(self, text: str) -> bool:
        """Whether `text` is a write that may be begun here."""
        known = self._plans.peek(text)
        return known is not None and known.planned.kind == "write" and not known.planned.commits

    def begin(
        self,
        text: str,
        parameters: dict[str, Any],
        format_: str,
        options: RenderOptions,
        client: tuple[str, int] | None,
        done: Callable[[BegunWrite], None],
    ) -> BegunWrite | None:
        """`done` is called once it is settled, from the event loop. None, with nothing done, where
        it cannot be begun: the ordinary way says why."""
        known = self._plans.get(text)
        if known is None or self.stopping or not self.knows(text):
            return None
        name = "" if client is None else f"{client[0]}:{client[1]}"
        request = QueryRequest(
            text, parameters, format_, options, None, None, read_only=False, client=name, user=None
        )
        entry = self._registry.begin(
            text, parameters, client=name, timeout=self.timeout,
            deadline_message=self._deadline_message,
        )  # fmt: skip
        write = BegunWrite(self._registry, entry, done, self._note_settled)
        try:
            self._writes.begin(entry, request, known.planned, outcome=write)
        except Unavailable:
            self._registry.forget(entry)
            return None
        write.timer = self._loop.call_later(entry.deadline - monotonic(), _expire, entry)
        return write

    def _note_settled(self, write: BegunWrite) -> None:
        if not self._settled:
            self._loop.call_soon(self._answer_some)
        self._settled.append(write)

    def _answer_some(self) -> None:
        """A group of hundreds settles at once: answering all of them in one turn of the loop would
        hold up everyone else for as long."""
        settled = self._settled
        for _ in range(min(_AT_ONCE, len(settled))):
            write = settled.popleft()
            write.settle()
            write.call_done(write)
        if settled:
            self._loop.call_soon(self._answer_some)


def _expire(entry: Entry) -> None:
    entry.stop(DeadlinePassed(entry.deadline_message))
