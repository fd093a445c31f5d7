"""Ctrl-C: while a query runs, the first cancels the query, the next ends this program's waiting;
while this program looks on, it ends the looking.

KeyboardInterrupt is raised wherever the program stands, and is lost where nothing may be raised, as
in a finalizer. So the first Ctrl-C is only noted.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cypherd.cli.target import Target

_STEP = 0.1
"""Seconds; a sleep goes on after a signal."""


class Interrupts:
    """`came`: whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.came = False

    def pause(self, seconds: float) -> None:
        """Sleep, until then or until Ctrl-C at the longest."""
        end = time.monotonic() + seconds
        while not self.came and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _STEP))


@contextmanager
def noting() -> Iterator[Interrupts]:
    """Within it, the first SIGINT is noted; another one raises KeyboardInterrupt."""
    interrupts = Interrupts()

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if interrupts.came:
            raise KeyboardInterrupt
        interrupts.came = True

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def cancelling(target: Target) -> Iterator[Interrupts]:
    """Within it, the first SIGINT cancels what `target` runs, whose answer then comes to its end
    in the ordinary way; another one raises KeyboardInterrupt."""
    interrupts = Interrupts()

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        if interrupts.came:
            raise KeyboardInterrupt
        interrupts.came = True
        # In a thread: the handler may stand in the middle of anything, a lock in its hands.
        threading.Thread(target=target.cancel, daemon=True).start()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
