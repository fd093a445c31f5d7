"""The runner: where each query runs, until when, and how it is stopped.

    text known?  no --> a free worker plans and runs it, or the planner only plans it
         | yes
    a write? --> the writer            bounded? --> inline, on the loop's budget
    any other read (or the budget is spent) --> a worker, from the bounded queue; a bounded one
    whose budget is spent while all workers are busy --> the planner

One runner lives in one front, in its event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from time import monotonic
from typing import Any

from cypherd.engine import Engine
from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    InternalError,
    MethodNotAllowed,
    QueryCancelled,
    Unavailable,
)
from cypherd.processes.context import FrontResources
from cypherd.processes.forks import Forks
from cypherd.queries.answer import Answer, QueryRequest, StreamAborted
from cypherd.queries.fair import client_key
from cypherd.queries.immediate import Immediate
from cypherd.queries.inline import Inline
from cypherd.queries.jobs import Planned
from cypherd.queries.learning import Learning
from cypherd.queries.loads import Loads
from cypherd.queries.metrics import Metrics
from cypherd.queries.plans import KnownPlan, PlanCache
from cypherd.queries.pool import Pool
from cypherd.queries.reads import Reads
from cypherd.queries.registry import ClientGone, Entry, Registry
from cypherd.queries.short_writes import ShortWrites, streamed_answer, whole_answer
from cypherd.queries.slots import SlotTable
from cypherd.queries.slow_log import SlowLog
from cypherd.queries.stream import ReadStream
from cypherd.queries.writes import Writes
from cypherd.render.gzipping import is_gzip
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore, StoreUsage
from cypherd.storage.summary import GraphSummary, summarize

__all__ = ["Answer", "QueryRequest", "Runner", "StreamAborted"]

_log = logging.getLogger("cypherd.queries")

_WATCH_PERIOD = 0.1
# Processes that plan, and run bounded reads, while the pool is full of long ones.
PLANNERS = 2
# What queries that are cancelled at the end of a drain get to say so.
_CANCEL_WAIT = 1.0


class Runner:
    """Make it, `start` it, `submit` queries, `stop` it."""

    def __init__(self, settings: Settings, front: FrontResources) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self._default_message = (
            f"the query ran longer than the {settings.default_timeout:g} s that the setting "
            "default_timeout allows"
        )
        self.plans = PlanCache(settings.plan_cache)
        slow_log = SlowLog(settings, self.plans) if settings.log_slow_queries else None
        self.registry = Registry(settings.finished_kept, self.metrics, slow_log)
        self._front = front
        self._slots = SlotTable(front.shared)
        self._stopping = False
        self._streams: set[ReadStream] = set()
        self._watch_timer: asyncio.TimerHandle | None = None
        self.immediate: Immediate
        """What can be answered in a turn of the loop; once started, as are the others."""
        self.short_writes: ShortWrites
        self.loads: Loads

    async def start(self) -> None:
        """Open the store and fork the children. Raises StoreError."""
        settings = self.settings
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._front.lifeline, _supervisor_gone)
        self._store: GraphStore = self._front.open_store()
        self._store.reader_check()
        self._forks = Forks(self._front.template)
        few, many = worker_counts(settings)
        self._workers = self._pool("worker", few, many, 1, "queue_limit")
        self._planners = self._pool("planner", PLANNERS, PLANNERS, 1, "queue_limit")
        self._writes = Writes(
            settings, self._forks, self._slots, self.plans, self.registry,
            self.metrics, self._on_death,
        )  # fmt: skip
        self._inline = Inline(settings, self._store, Engine(settings), self.metrics)
        self._reads = Reads(settings, self._workers, self._slots, self.plans, self.registry)
        self._plannings = Reads(settings, self._planners, self._slots, self.plans, self.registry)
        self.immediate = Immediate(settings, self.plans, self.registry, self._inline)
        self.short_writes = ShortWrites(
            settings, self.plans, self.registry, self._writes, self._default_message
        )
        self.loads = Loads(settings, self.registry, self._writes, self._store)
        self._learning = Learning(settings, self.plans, self.registry, self._plannings)
        self._writes.start()
        self._inline.start()
        await asyncio.gather(self._workers.start(), self._planners.start())
        self._watch_timer = self._loop.call_later(_WATCH_PERIOD, self._watch)

    def _pool(self, role: str, size: int, most: int, spare: int, limit_name: str) -> Pool:
        return Pool(
            self._forks,
            role,
            size=size,
            most=most,
            spare=spare,
            queue_limit=getattr(self.settings, limit_name),
            limit_name=limit_name,
            metrics=self.metrics,
            on_death=self._on_death,
        )

    async def stop(self, grace: float) -> None:
        """Take no more queries, give those that run `grace` seconds, cancel the rest, and end
        the children."""
        self._stopping = self.immediate.stopping = self.short_writes.stopping = True
        self._learning.stop()
        await self._emptied(grace)
        for entry in self.registry.entries():
            entry.stop(Unavailable("the server is stopping"))
        await self._emptied(_CANCEL_WAIT)
        if self._watch_timer is not None:
            self._watch_timer.cancel()
        self._inline.stop()
        await self._writes.close()
        await asyncio.gather(self._workers.close(), self._planners.close())
        self._forks.close()
        self._loop.remove_reader(self._front.lifeline)
        self._store.close()

    async def _emptied(self, seconds: float) -> None:
        end = monotonic() + seconds
        while len(self.registry) and monotonic() < end:
            await asyncio.sleep(0.01)

    # --- what the server calls ----------------------------------------------------------

    @property
    def stopping(self) -> bool:
        return self._stopping

    @property
    def lag(self) -> float:
        """Seconds by which the event loop was late, at the last look."""
        return self._inline.lag

    def usage(self) -> StoreUsage:
        """Size and use of the store's file; safe in a thread."""
        return self._store.usage()

    def queues(self) -> dict[str, int]:
        """How many queries wait, by what for."""
        return {
            "inline": self._inline.queued(),
            "worker": self._workers.queued(),
            "planner": self._planners.queued(),
            "writer": self._writes.queued(),
        }

    def load(self) -> dict[str, Any]:
        """What the page of the queries tells of the server."""
        return {
            "waiting": self.queues(),
            "processes": {role: len(pids) for role, pids in self.pids().items()},
            "loop_lag_ms": round(self._inline.worst_lag * 1000, 1),
        }

    def state(self) -> dict[str, Any]:
        """What /health may tell."""
        return {
            "running": len(self.registry),
            "queued": self._workers.queued(),
            "writes_queued": self._writes.queued(),
            "workers": len(self._workers.pids()),
            "loop_lag_ms": round(self.lag * 1000, 3),
        }

    def pids(self) -> dict[str, list[int]]:
        """The children, by role."""
        return {
            "worker": self._workers.pids(),
            "planner": self._planners.pids(),
            "writer": self._writes.pids(),
        }

    async def submit(
        self, request: QueryRequest, on_registered: Callable[[str], None] | None = None
    ) -> Answer:
        """Register and run a query; its answer when the first bytes are there, or all of it.

        `on_registered` is called with the id before anything else is done. Raises CypherdError
        for what failed before the first byte."""
        if self._stopping:
            raise Unavailable("the server is stopping")
        entry = self._register(request)
        if on_registered is not None:
            on_registered(entry.id)
        try:
            known = self.plans.get(request.text)
            if known is not None and known.may_inline() and self._inline.open():
                answer = await self._try_inline(entry, request, known)
                if answer is not None:
                    return answer
            if known is None:
                answer = await self._try_lifted(entry, request)
                if answer is not None:
                    return answer
            answer = await self._run_long(entry, request, known)
            if known is None:
                self._learning.note(request.text)
            return answer
        except CypherdError as error:
            self.registry.end(entry, error.located(request.text))
            raise
        except asyncio.CancelledError:
            entry.stop(ClientGone("the client went away"))
            if entry.slot is None and entry.place is None:
                self.registry.end(entry, entry.stop_error)
            raise
        except Exception as error:
            _log.exception(
                "query %s failed by a fault of cypherd",
                entry.id,
                extra={"about": {"query_id": entry.id}},
            )
            failure = InternalError("internal error; the log of the server says more")
            self.registry.end(entry, failure)
            raise failure from error

    async def cancel(self, id: str, reason: str = "cancelled by request") -> dict[str, Any] | None:
        """Ask a query to end; its entry as it is then, None if the id is unknown."""
        entry = self.registry.find(id)
        if entry is None:
            return None
        entry.stop(QueryCancelled(f"the query was {reason}"))
        # One turn of the loop: a query that waited somewhere is over by then.
        await asyncio.sleep(0)
        return entry.to_dict()

    def summarize(self) -> GraphSummary:
        """What is in the graph now. Reads up to some thousand records; safe in a thread."""
        with self._store.read() as transaction:
            return summarize(transaction)

    def client_gone(self, query_id: str) -> None:
        """The connection that asked the query is closed: cancel it."""
        entry = self.registry.find(query_id)
        if entry is not None:
            entry.stop(ClientGone("the client went away"))

    # --- inside -------------------------------------------------------------------------

    def _register(self, request: QueryRequest) -> Entry:
        timeout = request.timeout
        if timeout is None:
            timeout = self.settings.default_timeout
            message = self._default_message
        else:
            message = f"the query ran longer than the timeout of {timeout:g} s that it came with"
        return self.registry.begin(
            request.text,
            request.parameters,
            id=request.id,
            client=request.client,
            user=request.user,
            timeout=timeout,
            deadline_message=message,
        )

    async def _try_inline(
        self, entry: Entry, request: QueryRequest, known: KnownPlan
    ) -> Answer | None:
        def run() -> bytes | None:
            entry.check_stopped()
            entry.state, entry.place = "running", "inline"
            return self._inline.run(
                entry, request.text, request.parameters, request.format, request.options, known
            )

        body = await self._inline.in_turn(client_key(entry.client), run)
        if body is None:
            entry.state = "queued"
            entry.place = None
            return None
        self.registry.end(entry)
        return Answer(entry.id, None, body, None, is_gzip(body))

    async def _try_lifted(self, entry: Entry, request: QueryRequest) -> Answer | None:
        """Inline with a plan that is known of the text without its literals. What goes wrong is
        told by the text itself, so it is tried by that again."""
        found = self.immediate.lifted(request.text, request.format)
        if found is None or not found[0].may_inline() or not self._inline.open():
            return None
        known, lifted = found
        given = {**request.parameters, **lifted.parameters}
        try:
            return await self._try_inline(
                entry, request._replace(text=lifted.text, parameters=given), known
            )
        except CypherdError:
            entry.check_stopped()
            entry.state, entry.place = "queued", None
            return None

    async def _run_long(
        self, entry: Entry, request: QueryRequest, known: KnownPlan | None
    ) -> Answer:
        """With a timer for the deadline; it goes on while the result streams."""
        left = max(0.0, entry.deadline - monotonic())
        timer = self._loop.call_later(left, self._expire, entry)
        try:
            answer = await self._place(entry, request, known)
        except BaseException:
            timer.cancel()
            raise
        if answer.chunks is None:
            timer.cancel()
        return answer

    def _expire(self, entry: Entry) -> None:
        entry.stop(DeadlinePassed(entry.deadline_message))

    async def _place(self, entry: Entry, request: QueryRequest, known: KnownPlan | None) -> Answer:
        planned = None if known is None else known.planned
        if planned is None and not self._workers.free():
            found = await self._plannings.start(entry, request, None, plan_only=True)
            assert isinstance(found, Planned)
            planned = found
            fresh = self.plans.get(request.text)
            if fresh is not None and fresh.may_inline() and self._inline.open():
                answer = await self._try_inline(entry, request, fresh)
                if answer is not None:
                    return answer
        if planned is None or planned.kind == "read":
            reads = self._reads
            bounded = planned is not None and (planned.inline or planned.urgent)
            if bounded and not self._workers.free():
                # The loop had no time for it, or it is to say what the long ones do: it must not
                # wait behind them.
                reads = self._plannings
            found = await reads.start(entry, request, planned, plan_only=False)
            if not isinstance(found, Planned):
                run, first, ended = found
                if ended is not None:
                    self.registry.end(entry)
                    return Answer(entry.id, None, first, None, is_gzip(first))
                stream = ReadStream(self.settings, self.registry, run, first)
                self._streams.add(stream)
                return Answer(entry.id, None, None, stream, is_gzip(first))
            planned = found
        return await self._write(entry, request, planned)

    async def _write(self, entry: Entry, request: QueryRequest, planned: Planned) -> Answer:
        if request.read_only:
            raise MethodNotAllowed("a query that writes needs POST")
        held, ended = await self._writes.run(entry, request, planned)
        answer = whole_answer(self.registry, entry, held, ended)
        return answer or await streamed_answer(self.registry, entry, held, ended)

    def _watch(self) -> None:
        for stream in list(self._streams):
            if stream.over:
                self._streams.discard(stream)
            else:
                stream.watch()
        self._watch_timer = self._loop.call_later(_WATCH_PERIOD, self._watch)

    def _on_death(self) -> None:
        """A process has died: its snapshot would keep pages from being used again."""
        freed = self._store.reader_check()
        if freed:
            _log.info("freed the snapshots of %d dead readers", freed)


def worker_counts(settings: Settings) -> tuple[int, int]:
    """How many long reads run at a time: usually, and at most, while others wait."""
    few = settings.workers or max(2, os.cpu_count() or 1)
    return few, max(few, settings.max_workers or (few if settings.workers else 2 * few))


def _supervisor_gone() -> None:
    os._exit(1)
