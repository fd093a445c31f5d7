"""What a front counts while it works: plain numbers, as cheap as they can be on the hot path.

How they are shown is the server's affair (server/metrics.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    MemoryLimitExceeded,
    QueryCancelled,
    RowLimitExceeded,
)

SECONDS = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0, 60.0, 300.0,
)  # fmt: skip
LAGS = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04,
    0.05, 0.075, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096)

# The reasons for which the guard ends a query, most particular first.
_VETOES: tuple[tuple[type[CypherdError], str], ...] = (
    (DeadlinePassed, "deadline"),
    (MemoryLimitExceeded, "memory"),
    (RowLimitExceeded, "rows"),
    (QueryCancelled, "cancel"),
)


@dataclass(slots=True)
class Histogram:
    """How many values were up to each of `bounds`, or above all of them; their sum."""

    bounds: Sequence[float]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def add(self, other: Histogram) -> None:
        """`other` has the same bounds."""
        for i, count in enumerate(other.counts):
            self.counts[i] += count
        self.total += other.total

    def clear(self) -> None:
        self.counts = [0] * len(self.counts)
        self.total = 0.0


@dataclass(slots=True)
class Metrics:
    """`seconds` is by where a query ran (inline, worker, planner, writer, none) and how it ended;
    `errors` by code; `vetoes` by what the guard ended a query for, `inline budget` and `group
    share` also where it then ran elsewhere; `lost` are processes that died or were killed, by
    role."""

    seconds: dict[tuple[str, str], Histogram] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    vetoes: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    groups: Histogram = field(default_factory=lambda: Histogram(SIZES))
    syncs: Histogram = field(default_factory=lambda: Histogram(SECONDS))
    lag: Histogram = field(default_factory=lambda: Histogram(LAGS))

    def ended(self, place: str | None, state: str, elapsed: float) -> None:
        """`place` as a query's entry has it: a role, and its number."""
        key = (place, state) if place == "inline" else (_role(place), state)
        histogram = self.seconds.get(key)
        if histogram is None:
            histogram = self.seconds[key] = Histogram(SECONDS)
        histogram.observe(elapsed)

    def add(self, other: Metrics) -> None:
        """What another front has counted."""
        for key, histogram in other.seconds.items():
            self.seconds.setdefault(key, Histogram(SECONDS)).add(histogram)
        for ours, theirs in (
            (self.errors, other.errors), (self.vetoes, other.vetoes), (self.lost, other.lost),
        ):  # fmt: skip
            ours.update(theirs)
        for mine, its in (
            (self.groups, other.groups), (self.syncs, other.syncs), (self.lag, other.lag),
        ):  # fmt: skip
            mine.add(its)

    def take(self) -> Metrics:
        """What has been counted since it was last taken; from here on there is nothing."""
        taken = Metrics()
        taken.add(self)
        for counter in (self.errors, self.vetoes, self.lost):
            counter.clear()
        self.seconds.clear()
        for histogram in (self.groups, self.syncs, self.lag):
            histogram.clear()
        return taken

    def failed(self, error: CypherdError) -> None:
        self.errors[error.code] += 1
        for kind, reason in _VETOES:
            if isinstance(error, kind):
                self.vetoes[reason] += 1
                return


def _role(place: str | None) -> str:
    return "none" if place is None else place.partition(" ")[0]
