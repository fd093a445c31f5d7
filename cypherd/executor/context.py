"""What a running query is given: its snapshot, parameters, guard and counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Protocol

from cypherd.errors import InternalError
from cypherd.executor.remembering import Remembered
from cypherd.procedures.registry import BUILT_IN, Procedures
from cypherd.procedures.running import OnlyThis, RunningQueries
from cypherd.settings import Settings
from cypherd.storage.protocols import ReadTransaction, WriteTransaction
from cypherd.values.temporal.clock import Clock


class Guard(Protocol):
    """Decides whether a query may go on. `check` costs about 100 ns; call it for every batch and
    inside long loops. It raises a QueryStopped."""

    def check(self) -> None: ...
    def hold(self, nbytes: int) -> None:
        """Account for memory kept by an operator; MemoryLimitExceeded past the limit."""

    def release(self, nbytes: int) -> None: ...
    def emitted(self, rows: int) -> None:
        """Count result rows; RowLimitExceeded past the limit."""

    def committed(self) -> None:
        """A transaction was committed in the middle of the statement, and the next has not begun:
        count it, and let others write."""


class Unguarded:
    """Never stops anything: for tests and the command line."""

    def check(self) -> None:
        return

    def hold(self, nbytes: int) -> None:
        return

    def release(self, nbytes: int) -> None:
        return

    def emitted(self, rows: int) -> None:
        return

    def committed(self) -> None:
        return


@dataclass(slots=True)
class Stats:
    """What a write did, under the names of HTTP.md (Neo4j's)."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    labels_added: int = 0
    labels_removed: int = 0
    indexes_added: int = 0
    indexes_removed: int = 0
    constraints_added: int = 0
    constraints_removed: int = 0
    transactions_committed: int = 0

    def to_dict(self) -> dict[str, int]:
        """Only the counters that moved."""
        values = _counters(self)
        return {name: value for name, value in zip(_COUNTERS, values, strict=True) if value}


_COUNTERS = tuple(each.name for each in fields(Stats))
_counters = attrgetter(*_COUNTERS)


@dataclass(slots=True)
class OperatorProfile:
    rows: int = 0
    seconds: float = 0.0
    store_hits: int = 0


@dataclass(slots=True)
class ExecutionContext:
    """One run of one plan. `argument` stack: see operators/argument.py."""

    transaction: ReadTransaction
    parameters: Mapping[str, Any]
    guard: Guard
    batch_size: int = 1024
    stats: Stats = field(default_factory=Stats)
    profile: dict[int, OperatorProfile] | None = None
    """By operator number, when the query is profiled."""
    first_rows: int | None = None
    """How few rows may be enough: scans begin with so many and read ever more after them."""
    clock: float = 0.0
    """The statement's start, seconds since the epoch: what timestamp() gives."""

    remembered: dict[str, Remembered] = field(default_factory=dict)
    """By variable, what was last read of it; see executor/remembering.py."""
    settings: Settings = field(default_factory=Settings)
    procedures: Procedures = BUILT_IN
    queries: RunningQueries = field(default_factory=lambda: OnlyThis("", {}, 0.0))

    def clocks(self) -> Clock:
        """The statement's clocks; it is a transaction of its own."""
        began = int(self.clock * 1_000_000) * 1_000
        return Clock(began, began)

    def writer(self) -> WriteTransaction:
        """See `writing`."""
        return writing(self.transaction)

    def commit(self) -> None:
        """Make durable what the statement did so far; it goes on in a new transaction."""
        self.writer().checkpoint(self.guard.committed)
        self.stats.transactions_committed += 1


def writing(transaction: ReadTransaction) -> WriteTransaction:
    """The transaction as one that writes.

    Raises InternalError if a write plan was given a read transaction.
    """
    if not hasattr(transaction, "create_nodes"):
        raise InternalError("a plan that writes was run in a read transaction")
    return transaction  # type: ignore[return-value]
