"""`/schema`: labels, relationship types, properties, indexes and constraints of the graph."""

from __future__ import annotations

import asyncio
import dataclasses

from starlette.requests import Request
from starlette.responses import Response

from cypherd.functions.registry import function_names
from cypherd.queries.runner import Runner
from cypherd.render.values import to_json
from cypherd.server.pages import Pages, wants_page
from cypherd.server.schema_drawing import draw
from cypherd.storage.summary import GraphSummary


class SchemaEndpoint:
    def __init__(self, runner: Runner, pages: Pages) -> None:
        self._runner = runner
        self._pages = pages

    async def show(self, request: Request) -> Response:
        """The page for a browser, else JSON; the editor completes by it."""
        # Up to some thousand records are read: not for the event loop.
        summary = await asyncio.to_thread(self._runner.summarize)
        if wants_page(request):
            return self._pages.render(
                request, "schema.html", summary=summary, drawing=draw(summary)
            )
        headers = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Encoding, Origin"}
        body = to_json(as_json(summary))
        return Response(body, media_type="application/json; charset=utf-8", headers=headers)


def as_json(summary: GraphSummary) -> dict[str, object]:
    value = dataclasses.asdict(summary)
    return {
        "nodes": value["nodes"],
        "relationships": value["relationships"],
        "labels": value["labels"],
        "relationshipTypes": value["types"],
        "propertyKeys": value["property_keys"],
        "rules": value["rules"],
        "functions": sorted(function_names()),
    }
