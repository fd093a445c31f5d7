"""The pages: Jinja templates over `resources`, own style, own scripts.

Every page works without scripts; with them it does more. Nothing comes from another host and
no script stands in a page: the Content-Security-Policy says so. The editor adds its style when it
starts, which needs the nonce of the page.
"""

from __future__ import annotations

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from cypherd.errors import CypherdError
from cypherd.render.registry import RENDERERS
from cypherd.render.templates import environment
from cypherd.resources import resource_path

_PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Encoding, Origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
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
        nonce = secrets.token_urlsafe(16)
        text = self._environment.get_template(name).render(root=root, nonce=nonce, **context)
        headers = {**_PAGE_HEADERS, "Content-Security-Policy": content_security_policy(nonce)}
        return HTMLResponse(text, status_code=status, headers=headers)

    def error(self, request: Request, error: CypherdError) -> HTMLResponse:
        return self.render(request, "error.html", status=error.status, error=error.to_dict())

    async def index(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The query page, as an ASGI application."""
        await self.query_page(Request(scope))(scope, receive, send)

    def query_page(self, request: Request) -> HTMLResponse:
        return self.render(request, "query.html", formats=[one.name for one in RENDERERS])


def wants_page(request: Request) -> bool:
    """Whether a browser asks: it names text/html, which no program's default does."""
    accept = request.headers.get("accept", "")
    return "text/html" in accept and request.query_params.get("format") != "json"


def content_security_policy(nonce: str) -> str:
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )


class Assets(StaticFiles):
    """templates/static: style and scripts, asked for again by their ETag after a change."""

    def __init__(self) -> None:
        super().__init__(directory=resource_path("templates/static"))

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
