"""Slots in the shared map: how a front stops a query in another process, and watches it.

One slot a running statement, nine 64-bit words, written by one side each:

    front    CANCEL    number of the query that is to stop (0: none)
             REASON    why, written before CANCEL
             WAITED    whether others wait for the next commit in its midst
    child    RUNNING   number of the query that runs in the slot
             STATE     planning, running or sending
             ROWS      result rows so far
             PEAK      most bytes its operators held
             FINISHED  number of the query that has ended in it
             COMMITS   transactions that it has committed in its midst

CANCEL holds a number, not a flag: set a moment too late, it cannot stop the next query that uses
the slot. Words are aligned, so reading and writing one is atomic.
"""

from __future__ import annotations

import mmap
from collections import deque
from typing import Final

from cypherd.errors import CypherdError, DeadlinePassed, QueryCancelled, Unavailable

SLOT_WORDS: Final = 9
CANCEL, REASON, RUNNING, STATE, ROWS, PEAK, FINISHED, COMMITS, WAITED = range(9)
PLANNING, EXECUTING, SENDING = 1, 2, 3
STATE_NAMES: Final = {PLANNING: "planning", EXECUTING: "running", SENDING: "streaming"}

CANCELLED, EXPIRED, STOPPING = 1, 2, 3


class Slot:
    """One slot, by the index of its first word."""

    __slots__ = ("base", "words")

    def __init__(self, words: memoryview, number: int) -> None:
        self.words = words
        self.base = number * SLOT_WORDS

    @property
    def number(self) -> int:
        return self.base // SLOT_WORDS

    def get(self, word: int) -> int:
        value: int = self.words[self.base + word]
        return value

    def set(self, word: int, value: int) -> None:
        self.words[self.base + word] = value

    def cancel(self, query: int, reason: int) -> None:
        self.set(REASON, reason)
        self.set(CANCEL, query)

    def begin(self, query: int, state: int) -> None:
        self.set(ROWS, 0)
        self.set(PEAK, 0)
        self.set(COMMITS, 0)
        self.set(STATE, state)
        self.set(RUNNING, query)

    def end(self, query: int) -> None:
        self.set(RUNNING, 0)
        self.set(FINISHED, query)


class SlotTable:
    """The front's list of free slots."""

    def __init__(self, shared: mmap.mmap) -> None:
        self.words = words_of(shared)
        self._free = deque(range(len(self.words) // SLOT_WORDS))

    def take(self) -> Slot:
        """Raises Unavailable when every slot is in use."""
        if not self._free:
            raise Unavailable("too many queries run at once")
        slot = Slot(self.words, self._free.popleft())
        slot.set(CANCEL, 0)
        slot.set(FINISHED, 0)
        slot.set(ROWS, 0)
        slot.set(PEAK, 0)
        slot.set(COMMITS, 0)
        slot.set(WAITED, 0)
        slot.set(STATE, 0)
        slot.set(RUNNING, 0)
        return slot

    def free(self, slot: Slot) -> None:
        # To the end: the slot of a process that is being killed rests before it is used again.
        self._free.append(slot.number)


def words_of(shared: mmap.mmap) -> memoryview:
    return memoryview(shared).cast("Q")


def reason_of(error: CypherdError) -> int:
    """The REASON word for what is going to be answered."""
    if isinstance(error, DeadlinePassed):
        return EXPIRED
    return STOPPING if isinstance(error, Unavailable) else CANCELLED


def error_for(reason: int, deadline_message: str) -> CypherdError:
    """What the child raises for a REASON."""
    if reason == EXPIRED:
        return DeadlinePassed(deadline_message)
    if reason == STOPPING:
        return Unavailable("the server is stopping")
    return QueryCancelled("the query was cancelled")
