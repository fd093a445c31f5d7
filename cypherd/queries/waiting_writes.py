"""The writes that wait, and which of them make up the next group.

    take_group   the head, and those behind it that may share a transaction with it
    take_short   those that a statement lets by between two of its transactions; what needs a
                 transaction to itself keeps its place

Whether a statement is short only its run tells. One that has spent its share of a group is let by
with twice as much the next time, and so on up to `MOST_SHARES`: it may have been short and the
machine busy, and would otherwise wait for the end of a statement that goes on for hours. What such
tries take of the time of the one that lets by is less than `2 * MOST_SHARES` shares for each.

Clients are served in turn; what has to run again goes before all of them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from cypherd.errors import CypherdError
from cypherd.queries.answer import QueryRequest
from cypherd.queries.fair import FairQueue, client_key
from cypherd.queries.jobs import Ended, Planned
from cypherd.queries.load_records import LoadBatch
from cypherd.queries.registry import Entry
from cypherd.queries.slots import Slot
from cypherd.queries.spool import Spool

MOST_SHARES = 16


class Outcome(Protocol):
    """Where the complete, committed result of a statement goes, or what it failed with: a future,
    or what does with less."""

    def done(self) -> bool: ...
    def set_result(self, result: tuple[Spool, Ended], /) -> None: ...
    def set_exception(self, error: CypherdError, /) -> None: ...


@dataclass(slots=True, eq=False)
class Statement:
    """A write from its arrival until it is settled. `held` and `ended` are what the writer has
    said of it, of no value before it is committed."""

    entry: Entry
    request: QueryRequest
    planned: Planned
    outcome: Outcome
    held: Spool
    ended: Ended | None = None
    sequence: int = 0
    load: LoadBatch | None = None
    slot: Slot | None = None
    tries: int = 0
    shares: int = 1
    """Of a group's time, the next time; doubled whenever it has spent them."""
    alone: bool = False
    abandoned: bool = False
    unkept: str | None = None
    """Why the result could not be spooled."""
    timer: asyncio.TimerHandle | None = field(default=None)

    @property
    def runs_alone(self) -> bool:
        return self.shares > 1 or not self._shares_a_transaction

    @property
    def is_let_by(self) -> bool:
        return self.shares <= MOST_SHARES and self._shares_a_transaction

    @property
    def _shares_a_transaction(self) -> bool:
        planned = self.planned
        by_itself = self.alone or self.load is not None
        return not (by_itself or planned.commits or planned.kind == "schema")


class WaitingWrites:
    def __init__(self) -> None:
        self._queue: FairQueue[Statement] = FairQueue()
        # What has to run again, before all that wait.
        self._again: deque[Statement] = deque()

    def __len__(self) -> int:
        return len(self._queue) + len(self._again)

    def push(self, statement: Statement) -> None:
        self._queue.push(client_key(statement.entry.client), statement)

    def push_again(self, statement: Statement) -> None:
        """Before all others."""
        self._again.appendleft(statement)

    def remove(self, statement: Statement) -> None:
        if statement in self._again:
            self._again.remove(statement)
        else:
            self._queue.remove(client_key(statement.entry.client), statement)

    def make_room(self, client: str) -> Statement | None:
        """See FairQueue.make_room."""
        return self._queue.make_room(client_key(client))

    def take_group(self, most: int) -> list[Statement]:
        """Raises IndexError when none waits."""
        group = [self._take()]
        if not group[0].runs_alone:
            while len(group) < most and len(self) and not self._next().runs_alone:
                group.append(self._take())
        return group

    def take_short(self, most: int) -> tuple[list[Statement], bool]:
        """Perhaps none; and whether there may be more of them. At most one of them has spent its
        share before."""
        group: list[Statement] = []
        kept: list[Statement] = []
        spent = more = False
        while len(group) < most and len(self):
            statement = self._take()
            if not statement.is_let_by or (spent and statement.shares > 1):
                more = more or statement.is_let_by
                kept.append(statement)
            else:
                spent = spent or statement.shares > 1
                group.append(statement)
        more = more or len(self) > 0
        self._again.extendleft(reversed(kept))
        return group, more

    def _take(self) -> Statement:
        return self._again.popleft() if self._again else self._queue.pop()

    def _next(self) -> Statement:
        """What `_take` would give."""
        return self._again[0] if self._again else self._queue.peek()
