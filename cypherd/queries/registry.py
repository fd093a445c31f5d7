"""The registry: every query from the moment its request is read until its last byte is sent.

An `Entry` is also where a query is stopped: whoever has it at the moment (the queue, a worker,
the writer, a stream) sets `stopper`, and `stop` calls it, once.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    QueryCancelled,
    QueryIdInUse,
)
from cypherd.queries.metrics import Metrics
from cypherd.queries.slots import PEAK, ROWS, STATE, STATE_NAMES, Slot

# A finished query keeps at most so much of its text, and its parameters only if they are small.
_KEPT_TEXT = 10_000
_KEPT_VALUES = 100

ENDED = frozenset({"finished", "failed", "cancelled", "disconnected", "timed out"})


class ClientGone(QueryCancelled):
    """The client went away: nobody is left to be answered."""


@dataclass(slots=True, eq=False)
class Entry:
    number: int
    id: str
    text: str
    parameters: Mapping[str, Any]
    client: str
    user: str | None
    started: float
    """time.time()"""
    began: float
    """time.monotonic()"""
    deadline: float
    deadline_message: str
    state: str = "queued"
    place: str | None = None
    slot: Slot | None = None
    rows: int = 0
    peak_memory: int = 0
    waiting_for: Callable[[], str | None] | None = None
    ended: float | None = None
    elapsed: float = 0.0
    error: CypherdError | None = None
    stop_error: CypherdError | None = None
    stop_began: float = 0.0
    cancel_seconds: float | None = None
    stopper: Callable[[CypherdError], None] | None = None

    def stop(self, error: CypherdError) -> bool:
        """Ask the query to end with `error`; False if it has ended or was asked already."""
        if self.ended is not None or self.stop_error is not None:
            return False
        self.stop_error = error
        self.stop_began = time.monotonic()
        if self.stopper is not None:
            self.stopper(error)
        return True

    def check_stopped(self) -> None:
        """Raises the error that the query was stopped with."""
        if self.stop_error is not None:
            raise self.stop_error

    def note_slot(self) -> None:
        """Take over what the slot says before it is given back."""
        if self.slot is not None:
            self.rows = max(self.rows, self.slot.get(ROWS))
            self.peak_memory = max(self.peak_memory, self.slot.get(PEAK))
            self.slot = None

    def state_now(self) -> str:
        if self.ended is not None:
            return self.state
        if self.stop_error is not None:
            return "cancelling"
        if self.state in ("running", "planning") and self.slot is not None:
            started = STATE_NAMES.get(self.slot.get(STATE))
            return started or ("waiting" if self.place == "writer" else self.state)
        return self.state

    def peak_memory_now(self) -> int:
        return self.peak_memory if self.slot is None else self.slot.get(PEAK)

    def to_dict(self) -> dict[str, Any]:
        slot = self.slot
        elapsed = self.elapsed if self.ended is not None else time.monotonic() - self.began
        waiting = self.waiting_for
        error = self.error
        return {
            "id": self.id,
            "query": self.text,
            "parameters": dict(self.parameters),
            "client": self.client,
            "user": self.user,
            "state": self.state_now(),
            "place": self.place,
            "started": _iso(self.started),
            "elapsed_ms": round(elapsed * 1000, 3),
            "rows": self.rows if slot is None else slot.get(ROWS),
            "peak_memory": self.peak_memory_now(),
            "waiting_for": waiting() if waiting is not None and self.ended is None else None,
            "ended": None if self.ended is None else _iso(self.ended),
            "error": None if error is None else {"code": error.code, "message": error.message},
            "cancel_ms": (
                None if self.cancel_seconds is None else round(self.cancel_seconds * 1000, 3)
            ),
        }


@dataclass(frozen=True, slots=True)
class Told:
    """A query that was answered in another front."""

    id: str
    text: str
    parameters: Mapping[str, Any]
    client: str
    started: float
    ended: float
    elapsed: float
    rows: int

    @staticmethod
    def of(entry: Entry) -> Told:
        return Told(
            entry.id, kept_text(entry), kept_parameters(entry), entry.client, entry.started,
            entry.ended or entry.started, entry.elapsed, entry.rows,
        )  # fmt: skip


class Registry:
    """`on_end` is called with every query that has ended, before its text is cut."""

    def __init__(
        self,
        finished_kept: int,
        metrics: Metrics | None = None,
        on_end: Callable[[Entry], None] | None = None,
        front: int = 0,
    ) -> None:
        self._metrics = metrics or Metrics()
        self._on_end = on_end
        self._running: dict[str, Entry] = {}
        self._finished: deque[Entry] = deque(maxlen=finished_kept)
        self._numbers = itertools.count(1)
        # Ids of an earlier run must not name a query of this one.
        self._prefix = f"{int(time.time()):x}{f'.{front}' if front else ''}-"

    def __len__(self) -> int:
        return len(self._running)

    def begin(
        self,
        text: str,
        parameters: Mapping[str, Any],
        *,
        id: str | None = None,
        client: str = "",
        user: str | None = None,
        timeout: float,
        deadline_message: str,
    ) -> Entry:
        """Raises QueryIdInUse."""
        number = next(self._numbers)
        name = id or f"{self._prefix}{number}"
        if name in self._running:
            raise QueryIdInUse(f"a query with the id {name!r} is running")
        now = time.monotonic()
        entry = Entry(
            number, name, text, parameters, client, user, time.time(), now, now + timeout,
            deadline_message,
        )  # fmt: skip
        self._running[name] = entry
        return entry

    def aside(self, text: str, timeout: float) -> Entry:
        """What the server does for itself: an entry that no list has."""
        now = time.monotonic()
        return Entry(
            next(self._numbers), "", text, {}, "", None, time.time(), now, now + timeout, "",
        )  # fmt: skip

    def end(self, entry: Entry, error: CypherdError | None = None) -> None:
        """The query is over: without an error, or with the one that its client gets."""
        if entry.ended is not None:
            return
        entry.note_slot()
        # They refer to the entry, which without them is gone when nobody looks at it any more.
        entry.stopper = entry.waiting_for = None
        entry.ended = time.time()
        now = time.monotonic()
        entry.elapsed = now - entry.began
        entry.state = _end_state(error)
        if error is not None:
            # What was raised holds on to all that ran where it was raised.
            entry.error = copy(error)
        if entry.stop_error is not None:
            entry.stop_error = copy(entry.stop_error)
            entry.cancel_seconds = now - entry.stop_began
        if self._running.get(entry.id) is entry:
            del self._running[entry.id]
        self._metrics.ended(entry.place, entry.state, entry.elapsed)
        if error is not None:
            self._metrics.failed(error)
        if self._on_end is not None:
            self._on_end(entry)
        entry.text = kept_text(entry)
        entry.parameters = kept_parameters(entry)
        self._finished.append(entry)

    def take_over(self, told: Iterable[Told]) -> None:
        """Reads that another front has answered in its loop."""
        for one in told:
            entry = self.aside(one.text, 0.0)
            entry.id, entry.parameters, entry.client = one.id, one.parameters, one.client
            entry.state, entry.place, entry.rows = "finished", "inline", one.rows
            entry.started, entry.ended, entry.elapsed = one.started, one.ended, one.elapsed
            self._finished.append(entry)

    def forget(self, entry: Entry) -> None:
        """It has not been, and begins again."""
        if self._running.get(entry.id) is entry:
            del self._running[entry.id]

    def find(self, id: str) -> Entry | None:
        """The running query of that id, else the last finished one."""
        running = self._running.get(id)
        if running is not None:
            return running
        return next((entry for entry in reversed(self._finished) if entry.id == id), None)

    def entries(self) -> list[Entry]:
        """Those that run, oldest first."""
        return list(self._running.values())

    def ended(self, most: int | None = None) -> list[Entry]:
        """The last `most` that ended, latest first."""
        return list(islice(reversed(self._finished), most))

    def get(self, id: str) -> dict[str, Any] | None:
        entry = self.find(id)
        return None if entry is None else entry.to_dict()


def kept_text(entry: Entry) -> str:
    """Of a long text its beginning."""
    return entry.text[:_KEPT_TEXT]


def kept_parameters(entry: Entry) -> Mapping[str, Any]:
    """The parameters if they are small, else none."""
    parameters = entry.parameters
    if not parameters or _few_numbers(parameters) or _small(parameters):
        return parameters
    return {}


def _few_numbers(parameters: Mapping[str, Any]) -> bool:
    """The commonest case, told quickly."""
    return len(parameters) <= _KEPT_VALUES and _NUMBERS.issuperset(map(type, parameters.values()))


_NUMBERS = frozenset({int, float, bool, type(None)})


def _end_state(error: CypherdError | None) -> str:
    if error is None:
        return "finished"
    if isinstance(error, ClientGone):
        return "disconnected"
    if isinstance(error, QueryCancelled):
        return "cancelled"
    return "timed out" if isinstance(error, DeadlinePassed) else "failed"


def _small(parameters: Mapping[str, Any]) -> bool:
    """Whether parameters are small enough to keep, looking at a bounded number of values."""
    waiting: list[Any] = [parameters]
    room = _KEPT_TEXT
    for _ in range(_KEPT_VALUES):
        if not waiting:
            return True
        value = waiting.pop()
        if isinstance(value, str | bytes):
            room -= len(value)
        elif isinstance(value, dict | list | tuple):
            if len(value) > _KEPT_VALUES:
                return False
            waiting.extend(value.values() if isinstance(value, dict) else value)
        if room < 0:
            return False
    return False


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
