"""The three clocks of a statement: its own start, that of its transaction, and the real time."""

from __future__ import annotations

import time
from dataclasses import dataclass

from cypherd.values.temporal.model import NANOS, DateTime, at_instant
from cypherd.values.temporal.zones import UTC, Zone


@dataclass(frozen=True, slots=True)
class Clock:
    """When the statement and its transaction began, in nanoseconds since 1970."""

    statement: int
    transaction: int

    def realtime(self) -> int:
        """Nanoseconds since 1970, read anew each time."""
        return time.time_ns()

    @property
    def statement_seconds(self) -> int:
        return self.statement // NANOS


def shown_in(instant: int, zone: Zone = UTC) -> DateTime:
    """What the clock of `zone` shows at an instant, nanoseconds since 1970."""
    seconds, nanos = divmod(instant, NANOS)
    return at_instant(seconds, nanos, zone)
