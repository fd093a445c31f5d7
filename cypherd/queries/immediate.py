"""Answers in this turn of the loop: bounded reads whose plans are known.

What a front does for its short way (server/shortcut.py); a front beside the first one does nothing
else by itself (server/side_front.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cypherd.errors import CypherdError
from cypherd.queries.inline import Inline
from cypherd.queries.lifting import Lifted, lift
from cypherd.queries.plans import KnownPlan, PlanCache
from cypherd.queries.registry import Registry
from cypherd.render.renderer import RenderOptions
from cypherd.settings import Settings


class Immediate:
    def __init__(
        self, settings: Settings, plans: PlanCache, registry: Registry, inline: Inline
    ) -> None:
        self._timeout = settings.default_timeout
        self._plans = plans
        self._registry = registry
        self._inline = inline
        self.stopping = False

    def has_room(self) -> bool:
        """Whether a bounded read may begin in this turn of the loop."""
        return self._inline.has_room()

    def when_room(self, client: tuple[str, int] | None, call: Callable[[], None]) -> None:
        """`call` as soon as one may, client by client."""
        self._inline.later("" if client is None else client[0], call)

    def answer_now(
        self,
        text: str,
        parameters: dict[str, Any],
        format_: str,
        options: RenderOptions,
        client: tuple[str, int] | None,
    ) -> tuple[str, bytes] | None:
        """A bounded read whose plan is known, in this turn of the loop: its id and its answer.

        None where that cannot be, or it failed: nothing has been done then, and the ordinary way
        says why. Call it when the turn has room (`has_room`, `when_room`)."""
        known = self._plans.get(text)
        run, given = text, parameters
        if known is None and (found := self.lifted(text, format_)) is not None:
            known, lifted = found
            run, given = lifted.text, {**parameters, **lifted.parameters}
        if known is None or self.stopping or not known.may_inline() or not self._inline.open():
            return None
        entry = self._registry.begin(
            text,
            parameters,
            client="" if client is None else f"{client[0]}:{client[1]}",
            timeout=self._timeout,
            deadline_message="",
        )
        entry.state, entry.place = "running", "inline"
        try:
            body = self._inline.run(entry, run, given, format_, options, known)
        except CypherdError:
            body = None
        if body is None:
            self._registry.forget(entry)
            return None
        self._registry.end(entry)
        return entry.id, body

    def lifted(self, text: str, format_: str) -> tuple[KnownPlan, Lifted] | None:
        """A plan that is known of the text with its literals lifted. A page shows the text that
        was planned, so it needs the one that was asked."""
        if format_ == "html":
            return None
        lifted = lift(text)
        known = None if lifted is None else self._plans.get(lifted.text)
        if lifted is None or known is None or not known.planned.inline or not known.is_quiet():
            return None
        return known, lifted
