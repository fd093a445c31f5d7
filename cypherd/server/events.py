"""Server-sent events of the queries: a list at once, then one whenever it has changed.

The registry is looked at several times a second while somebody watches: the state of a query
changes in the process that runs it, which tells nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from cypherd.errors import Unavailable
from cypherd.queries.runner import Runner
from cypherd.render.values import to_json
from cypherd.settings import Settings

_LOOK = 0.2
# A line that says nothing keeps proxies from closing a stream on which nothing happens.
_IDLE = 15.0

Listed = Callable[[], Awaitable[dict[str, Any]]]


class QueryEvents:
    def __init__(self, settings: Settings, runner: Runner) -> None:
        self._settings = settings
        self._runner = runner
        self._watchers = 0

    def stream(self, request: Request, listed: Listed) -> Response:
        """Raises Unavailable."""
        if self._watchers >= self._settings.max_watchers:
            raise Unavailable(
                f"{self._watchers} browsers watch the queries already; the setting max_watchers "
                "allows no more"
            )
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=headers)
        events = self._events(request, listed)
        return StreamingResponse(events, media_type="text/event-stream", headers=headers)

    async def _events(self, request: Request, listed: Listed) -> AsyncIterator[bytes]:
        self._watchers += 1
        try:
            before: object = None
            quiet = 0.0
            while not self._runner.stopping:
                now = await listed()
                seen = _what_matters(now)
                if seen != before:
                    before, quiet = seen, 0.0
                    yield b"data: " + to_json(now) + b"\n\n"
                elif quiet >= _IDLE:
                    quiet = 0.0
                    yield b": nothing new\n\n"
                await asyncio.sleep(_LOOK)
                quiet += _LOOK
                if await request.is_disconnected():
                    return
        finally:
            self._watchers -= 1


def _what_matters(listed: dict[str, Any]) -> object:
    """All but the time that has passed: pages count that themselves."""
    running = [
        (entry["id"], entry["state"], entry["rows"], entry["place"], entry["waiting_for"],
         entry["slow"])
        for entry in listed["running"]
    ]  # fmt: skip
    server = {**listed["server"], "loop_lag_ms": round(listed["server"]["loop_lag_ms"])}
    return server, running, [(entry["id"], entry["ended"]) for entry in listed["finished"]]
