"""`/queries`: what runs, what ran, and the button that stops one."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cypherd.errors import NotFound
from cypherd.queries.runner import Runner
from cypherd.render.values import encode_value, to_json
from cypherd.server.events import QueryEvents
from cypherd.server.pages import Pages, wants_page
from cypherd.settings import Settings

_HIDDEN = "(hidden)"
_JSON_HEADERS = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Encoding, Origin"}
# What a page shows of those that ended; JSON has all that are kept.
_ON_PAGE = 50
# Queries of a list that are described in one turn of the loop, 60 us each.
_A_TURN = 16
# A query that ends at once should show its end on the page one comes back to.
_ENDED = ("finished", "failed", "cancelled", "disconnected", "timed out")


class QueriesEndpoints:
    def __init__(self, settings: Settings, runner: Runner, pages: Pages) -> None:
        self._settings = settings
        self._runner = runner
        self._pages = pages
        self._events = QueryEvents(settings, runner)

    async def list(self, request: Request) -> Response:
        """`{"running": [...], "finished": [...], "server": {...}}`, or the page for a browser."""
        if wants_page(request):
            message = request.query_params.get("message", "")[:200]
            return self._pages.render(
                request, "queries.html", **await self._listed(request, _ON_PAGE), message=message
            )
        return _json(await self._listed(request, None))

    async def events(self, request: Request) -> Response:
        """The same as server-sent events, whenever something has changed.

        Raises Unavailable."""
        return self._events.stream(request, lambda: self._listed(request, _ON_PAGE))

    async def _listed(self, request: Request, most: int | None) -> dict[str, Any]:
        """Everything that runs, and the last `most` that ended, ready for `to_json`.

        A few in a turn of the loop: hundreds would hold it up for tens of milliseconds. What ends
        meanwhile is listed once, with those that ended."""
        registry = self._runner.registry
        entries, ended = registry.entries(), registry.ended(most)
        running: list[Any] = []
        finished: list[Any] = []
        for number, entry in enumerate(entries + ended):
            if number % _A_TURN == _A_TURN - 1:
                await asyncio.sleep(0)
            listed = running if entry.ended is None else finished
            listed.append(encode_value(self._shown(entry.to_dict(), request)))
        return {"running": running, "finished": finished[:most], "server": self._runner.load()}

    async def get(self, request: Request) -> Response:
        """Raises NotFound."""
        entry = self._runner.registry.get(request.path_params["id"])
        return _json(encode_value(self._shown(_found(entry, request), request)))

    async def delete(self, request: Request) -> Response:
        """Raises NotFound. The state says whether it was running: `cancelling` or an end."""
        return _json(encode_value(self._shown(await self._cancel(request), request)))

    async def press(self, request: Request) -> Response:
        """The button: cancels and leads back to the page. Raises NotFound."""
        entry = await self._cancel(request)
        told = _message(entry)
        root = request.scope.get("root_path", "")
        return RedirectResponse(f"{root}/queries?message={quote(told)}", status_code=303)

    async def _cancel(self, request: Request) -> dict[str, Any]:
        client = request.client
        who = "cancelled by a request" + (f" from {client.host}" if client else "")
        return _found(await self._runner.cancel(request.path_params["id"], who), request)

    def _shown(self, entry: dict[str, Any], request: Request) -> dict[str, Any]:
        """With hide_queries, only a client's own host sees its texts. `slow`: it took, or takes,
        longer than the setting slow_query."""
        entry = {**entry, "slow": entry["elapsed_ms"] > self._settings.slow_query * 1000}
        if not self._settings.hide_queries:
            return entry
        host = request.client.host if request.client else ""
        if entry["client"].rpartition(":")[0] == host:
            return entry
        return {**entry, "query": _HIDDEN, "parameters": {}}


def _message(entry: dict[str, Any]) -> str:
    if entry["state"] == "cancelling":
        return f"Query {entry['id']} is being cancelled."
    if entry["state"] == "cancelled":
        return f"Query {entry['id']} was cancelled."
    return f"Query {entry['id']} had already ended: {entry['state']}."


def _found(entry: dict[str, Any] | None, request: Request) -> dict[str, Any]:
    if entry is None:
        raise NotFound(f"there is no query with the id {request.path_params['id']!r}")
    return entry


def _json(value: dict[str, Any]) -> Response:
    return Response(
        to_json(value), media_type="application/json; charset=utf-8", headers=_JSON_HEADERS
    )
