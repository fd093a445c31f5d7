"""Text and parameters in, batches out: the parser, binder, planner and executor in a row.

An Engine lives in one process and may serve many transactions, one query at a time each.
Compiled plans are kept by (text, schema version); plans themselves are data and may come from
another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cypherd.batch.columns import Batch
from cypherd.executor.context import Guard, Stats
from cypherd.planner.plan import Plan
from cypherd.settings import Settings
from cypherd.storage.protocols import ReadTransaction


@dataclass(slots=True)
class Result:
    """A query that runs: `batches` is pulled by the renderer, once; each batch has the columns
    in order, under their names. `stats` and `plan_description()` are final when it has ended."""

    columns: tuple[str, ...]
    batches: Iterator[Batch]
    stats: Stats
    plan: Plan

    def plan_description(self) -> dict[str, Any] | None:
        """The operator tree for EXPLAIN and PROFILE, None otherwise."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the generators; safe to call twice."""
        raise NotImplementedError


class Engine:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def plan(self, text: str, transaction: ReadTransaction) -> Plan:
        """Parse, bind and plan. Raises CypherdError, located in the text."""
        raise NotImplementedError

    def run(
        self,
        plan: Plan,
        parameters: Mapping[str, Any],
        transaction: ReadTransaction,
        guard: Guard,
        *,
        batch_size: int | None = None,
    ) -> Result:
        """Start a plan; nothing is computed before the first batch is asked for.

        Raises ParameterMissing, naming the parameter. Errors while batches are pulled are
        CypherdErrors, located in the text.
        """
        raise NotImplementedError
