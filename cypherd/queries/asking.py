"""A worker asks its front about the queries that run, or wants some of them ended.

    worker: running(), terminate(ids)  --ASK-->   front: its registry
                                       <--TOLD--

Asked in the middle of a job, over the channel of its answer; the worker waits meanwhile, and its
query can be ended as at any time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

from cypherd.errors import CypherdError, MethodNotAllowed, QueryCancelled
from cypherd.procedures.running import RunningQuery, Terminated
from cypherd.processes.channel import BlockingChannel, frame
from cypherd.queries.jobs import ASK, pack, unpack
from cypherd.queries.registry import Entry, Registry, kept_parameters, kept_text

HIDDEN = "(hidden)"
_NUMBERED = re.compile(r"(?:query|\w+-transaction)-(\d+)")


class Question(NamedTuple):
    """`terminate`: ids of queries to end; None: which queries run?"""

    terminate: tuple[str, ...] | None = None


class Told(NamedTuple):
    """The answer, or CypherdError.to_wire() of what it failed with."""

    value: Any
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class FrontQueries:
    """RunningQueries (procedures/running.py) as a worker has them."""

    channel: BlockingChannel

    def running(self) -> Sequence[RunningQuery]:
        found: Sequence[RunningQuery] = self._ask(Question())
        return found

    def terminate(self, ids: Sequence[str]) -> Sequence[Terminated]:
        ended: Sequence[Terminated] = self._ask(Question(tuple(ids)))
        return ended

    def _ask(self, question: Question) -> Any:
        self.channel.send(frame(ASK, pack(question)))
        _, payload = self.channel.receive()
        told: Told = unpack(payload)
        if told.error is not None:
            raise CypherdError.from_wire(told.error)
        return told.value


@dataclass(frozen=True, slots=True)
class Registered:
    """The front's answers to one query, `asker`. `hides`: the setting hide_queries."""

    registry: Registry
    asker: Entry
    read_only: bool
    hides: bool

    def told(self, question: Question) -> Told:
        try:
            if question.terminate is None:
                return Told([self._shown(entry) for entry in self.registry.entries()])
            return Told(self._terminate(question.terminate))
        except CypherdError as error:
            return Told(None, error.to_wire())

    def _shown(self, entry: Entry) -> RunningQuery:
        waiting = entry.waiting_for
        hidden = self.hides and _host(entry) != _host(self.asker)
        return RunningQuery(
            number=entry.number,
            id=entry.id,
            text=HIDDEN if hidden else kept_text(entry),
            parameters={} if hidden else kept_parameters(entry),
            client=entry.client,
            user=entry.user or "",
            state=entry.state_now(),
            waiting_for=None if waiting is None else waiting(),
            started=entry.started,
            elapsed=monotonic() - entry.began,
            peak_memory=entry.peak_memory_now(),
        )

    def _terminate(self, ids: tuple[str, ...]) -> list[Terminated]:
        """Raises MethodNotAllowed for a GET, which changes nothing."""
        if self.read_only:
            raise MethodNotAllowed("ending a query needs POST")
        found = _by_any_id(self.registry)
        ended = []
        for id in ids:
            entry = found(id)
            if entry is not None:
                entry.stop(QueryCancelled(f"the query was terminated by {self.asker.id}"))
            ended.append(Terminated(id, None if entry is None else entry.user or ""))
        return ended


def _by_any_id(registry: Registry) -> Callable[[str], Entry | None]:
    """A look for a running query, first by its own id, then by the number in a Neo4j id."""
    entries = registry.entries()
    by_id = {entry.id: entry for entry in entries}
    by_number = {entry.number: entry for entry in entries}

    def look(id: str) -> Entry | None:
        numbered = _NUMBERED.fullmatch(id)
        number = int(numbered[1]) if numbered and len(numbered[1]) < 20 else -1
        return by_id.get(id) or by_number.get(number)

    return look


def _host(entry: Entry) -> str:
    return entry.client.rpartition(":")[0]
