"""Ctrl-C while a query runs: the first cancels the query, the next ends this program's waiting."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from cypherd.cli.target import Target


class Interrupts:
    """`came`: whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.came = False


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
