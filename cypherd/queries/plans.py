"""The front's plans, by text: where a query runs is known before anything is parsed."""

from __future__ import annotations

import time
from collections import OrderedDict

from cypherd.planner.plan import Plan
from cypherd.queries.jobs import Planned, unpack

# A plan that has spent the inline budget this often in a row goes straight to a worker for a
# while: each try costs the loop its budget and gives nothing. One that fits in between was only
# unlucky: the process was preempted, or pages were read from disk.
_SPENT_OFTEN = 3
_SPENT_PAUSE = 10.0


class KnownPlan:
    __slots__ = ("_paused_until", "_plan", "_spent", "planned")

    def __init__(self, planned: Planned) -> None:
        self.planned = planned
        self._plan: Plan | None = None
        self._spent = 0
        self._paused_until = 0.0

    def plan(self) -> Plan:
        """Unpickled when first needed: only plans that run inline are."""
        if self._plan is None:
            self._plan = unpack(self.planned.data)
        return self._plan

    def is_quiet(self) -> bool:
        """Whether it tells its client nothing that has a place in the text."""
        return not self.plan().notifications

    def may_inline(self) -> bool:
        if not self.planned.inline:
            return False
        return not self._paused_until or time.monotonic() >= self._paused_until

    def fitted(self) -> None:
        """It has ended within the budget."""
        self._spent = 0

    def spent(self) -> None:
        """It has used up the budget of an event loop's turn."""
        self._spent += 1
        if self._spent >= _SPENT_OFTEN:
            self._spent = _SPENT_OFTEN - 1
            self._paused_until = time.monotonic() + _SPENT_PAUSE


class PlanCache:
    """The `size` plans used last."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._plans: OrderedDict[str, KnownPlan] = OrderedDict()

    def get(self, text: str) -> KnownPlan | None:
        known = self._plans.get(text)
        if known is not None:
            self._plans.move_to_end(text)
        return known

    def peek(self, text: str) -> KnownPlan | None:
        """As `get`, without its being a use."""
        return self._plans.get(text)

    def put(self, text: str, planned: Planned) -> KnownPlan:
        """A plan just made. A newer schema's replaces an older one's."""
        known = self._plans.get(text)
        if known is None or known.planned.schema_version <= planned.schema_version:
            known = self._plans[text] = KnownPlan(planned)
        self._plans.move_to_end(text)
        while len(self._plans) > self._size:
            self._plans.popitem(last=False)
        return known

    def __len__(self) -> int:
        return len(self._plans)
