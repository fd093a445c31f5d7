"""The log of slow queries: text, parameters, plan and how it ended."""

from __future__ import annotations

import logging
from typing import Any

from cypherd.planner.explain import describe, to_text
from cypherd.planner.plan import Plan
from cypherd.queries.jobs import unpack
from cypherd.queries.plans import PlanCache
from cypherd.queries.registry import Entry, kept_parameters, kept_text
from cypherd.render.literals import literal
from cypherd.settings import Settings

_log = logging.getLogger("cypherd.slow")


class SlowLog:
    """Told of every query that has ended; silent unless the setting log_slow_queries is on."""

    def __init__(self, settings: Settings, plans: PlanCache) -> None:
        self._after = settings.slow_query
        self._plans = plans

    def __call__(self, entry: Entry) -> None:
        if entry.elapsed <= self._after:
            return
        told: dict[str, Any] = {
            "query_id": entry.id,
            "query": kept_text(entry),
            "parameters": literal(dict(kept_parameters(entry))),
            "elapsed_ms": round(entry.elapsed * 1000, 1),
            "state": entry.state,
            "place": entry.place,
            "client": entry.client,
            "rows": entry.rows,
            "peak_memory": entry.peak_memory,
            "error": None if entry.error is None else entry.error.message,
            "plan": self._plan(entry.text),
        }
        _log.warning(
            "slow query %s: %s after %.1f ms, %d rows, in %s for %s\n%s\nparameters: %s\n%s",
            entry.id, entry.state, told["elapsed_ms"], entry.rows, entry.place, entry.client,
            told["query"], told["parameters"], told["plan"] or "(no plan is known)",
            extra={"about": told},
        )  # fmt: skip

    def _plan(self, text: str) -> str | None:
        known = self._plans.peek(text)
        if known is None:
            return None
        plan: Plan = unpack(known.planned.data)
        return to_text(describe(plan.root))
