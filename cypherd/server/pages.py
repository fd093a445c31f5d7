"""The pages: Jinja templates over `resources`, own CSS, no scripts."""

from __future__ import annotations

import functools
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Receive, Scope, Send

from cypherd.errors import CypherdError
from cypherd.render.templates import environment
from cypherd.resources import resource_text

_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Encoding, Origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
}


class Pages:
    def __init__(self) -> None:
        self._environment = environment()
        # The page of results is rendered in the event loop, too: not to be compiled there.
        self._environment.get_template("result.html")

    def render(
        self, request: Request, name: str, *, status: int = 200, **context: Any
    ) -> HTMLResponse:
        """`root` in a template leads to the server's own root, also behind a proxy."""
        root = request.scope.get("root_path", "")
        text = self._environment.get_template(name).render(root=root, **context)
        return HTMLResponse(text, status_code=status, headers=_PAGE_HEADERS)

    def error(self, request: Request, error: CypherdError) -> HTMLResponse:
        return self.render(request, "error.html", status=error.status, error=error.to_dict())

    async def index(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The query page, as an ASGI application."""
        response = self.render(Request(scope), "query.html")
        await response(scope, receive, send)


@functools.cache
def _style() -> bytes:
    return resource_text("templates/style.css").encode()


async def style(request: Request) -> Response:
    headers = {"Cache-Control": "max-age=3600", "X-Content-Type-Options": "nosniff"}
    return Response(_style(), media_type="text/css", headers=headers)
