"""Which texts are worth a plan without their literals: those that have come twice but for these.

That plan is made by a planner, aside, while the texts themselves are answered as ever.
"""

from __future__ import annotations

import asyncio
import logging

from cypherd.errors import CypherdError
from cypherd.queries.answer import QueryRequest
from cypherd.queries.lifting import lift
from cypherd.queries.plans import PlanCache
from cypherd.queries.reads import Reads
from cypherd.queries.registry import Registry
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings

_log = logging.getLogger("cypherd.queries")


class Learning:
    def __init__(
        self, settings: Settings, plans: PlanCache, registry: Registry, plannings: Reads
    ) -> None:
        self._settings = settings
        self._plans = plans
        self._registry = registry
        self._plannings = plannings
        # Texts with their literals lifted that have come once.
        self._seen: dict[str, None] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, text: str) -> None:
        """A text has just been planned and answered."""
        known = self._plans.peek(text)
        lifted = lift(text) if known is not None and known.planned.inline else None
        if known is None or lifted is None:
            return
        there = self._plans.peek(lifted.text)
        if there is None and lifted.text not in self._seen:
            self._seen[lifted.text] = None
            while len(self._seen) > self._settings.plan_cache:
                del self._seen[next(iter(self._seen))]
            return
        # One of an older schema is of no use any more.
        old = there is None or there.planned.schema_version < known.planned.schema_version
        if old and (self._task is None or self._task.done()):
            self._task = asyncio.ensure_future(self._plan(lifted.text))

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _plan(self, text: str) -> None:
        request = QueryRequest(text, {}, "json", RenderOptions(), None, None, True, "", None)
        entry = self._registry.aside(text, self._settings.default_timeout)
        try:
            await self._plannings.start(entry, request, None, plan_only=True)
        except CypherdError as error:
            _log.info("a text cannot be planned with its literals lifted: %s", error.message)
