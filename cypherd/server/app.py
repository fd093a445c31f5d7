"""The application: `/cypher` by a plain ASGI callable, everything else by Starlette."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from cypherd.errors import CypherdError, MethodNotAllowed, NotFound, RequestError
from cypherd.queries.runner import Runner
from cypherd.render.values import to_json
from cypherd.server.bodies import header_map
from cypherd.server.bulk import BulkEndpoint
from cypherd.server.cypher import CypherEndpoint
from cypherd.server.errors import COMMON_HEADERS, as_cypherd_error, error_body, error_headers
from cypherd.server.metrics import MetricsEndpoint
from cypherd.server.openapi import openapi
from cypherd.server.pages import Assets, Pages, wants_page
from cypherd.server.queries import QueriesEndpoints
from cypherd.server.safety import Gate
from cypherd.server.schema import SchemaEndpoint
from cypherd.server.shortcut import Shortcut
from cypherd.settings import Settings

_CHANGING = ("POST", "DELETE", "PUT", "PATCH")

ENDPOINTS: tuple[tuple[str, str, str], ...] = (
    ("GET", "/", "the query page"),
    ("GET", "/cypher", "run a query that reads"),
    ("POST", "/cypher", "run a query"),
    ("GET", "/queries", "running and finished queries"),
    ("GET", "/runningQueries", "redirects to /queries"),
    ("GET", "/queries/events", "the same, told again whenever it changes (server-sent events)"),
    ("GET", "/queries/{id}", "one query"),
    ("DELETE", "/queries/{id}", "cancel a query"),
    ("POST", "/queries/{id}/cancel", "cancel a query and go back to the page"),
    ("GET", "/health", "whether the server answers"),
    ("POST", "/bulk", "load a stream of nodes and relationships"),
    ("GET", "/bulk/{id}", "how far a load has got"),
    ("GET", "/metrics", "figures for Prometheus"),
    ("GET", "/schema", "labels, relationship types, properties, indexes and constraints"),
    ("GET", "/openapi.json", "this interface as OpenAPI 3.1"),
    ("GET", "/static/{path}", "style and scripts of the pages"),
)
"""Every endpoint: method, path, what it does; docs/http.md must name each."""


class Application:
    """Checks who asks, answers errors in the one form, and passes `/cypher` on directly."""

    def __init__(self, settings: Settings, runner: Runner) -> None:
        pages = Pages()
        self._gate = Gate(settings)
        self._root = _root_path(settings)
        self._cypher = CypherEndpoint(settings, runner, self._gate, pages)
        self.shortcut = Shortcut(
            settings, runner.immediate, self._gate, self._root, runner.short_writes
        )
        """For the connections: what the front can answer at once."""
        self._rest = _starlette(settings, runner, pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if self._root:
            path = self._mount(scope)
        if path == "/cypher":
            await self._cypher(scope, receive, send)
        else:
            await self._guarded(scope, receive, send)

    def _mount(self, scope: Scope) -> str:
        """The path below root_path: some proxies cut it off, some pass it on."""
        path: str = scope["path"]
        if path == self._root or path.startswith(f"{self._root}/"):
            path = path[len(self._root) :] or "/"
        scope["root_path"] = self._root
        scope["path"] = self._root + path
        return path

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = header_map(scope["headers"])
        cors = self._gate.cors_headers(headers)
        try:
            self._gate.check_host(headers)
            if scope["method"] in _CHANGING:
                self._gate.check_origin(headers)
        except CypherdError as error:
            return await _send_error(error, headers.get("accept"), cors, send)
        if scope["method"] == "OPTIONS":
            allow = [*COMMON_HEADERS, *self._gate.preflight_headers(headers)]
            await send({"type": "http.response.start", "status": 204, "headers": allow})
            return await send({"type": "http.response.body", "body": b""})

        async def send_with_cors(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start" and cors:
                message = {**message, "headers": [*message["headers"], *cors]}  # type: ignore[misc]
            await send(message)

        await self._rest(scope, receive, send_with_cors)  # type: ignore[arg-type]
        return None


def _root_path(settings: Settings) -> str:
    """`/path`, or nothing."""
    path = settings.root_path.strip("/")
    return f"/{path}" if path else ""


async def _send_error(
    error: CypherdError, accept: str | None, extra: list[tuple[bytes, bytes]], send: Send
) -> None:
    headers = [*error_headers(error, accept), *extra]
    body = error_body(error)
    headers.append((b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _starlette(settings: Settings, runner: Runner, pages: Pages) -> ASGIApp:
    queries = QueriesEndpoints(settings, runner, pages)
    schema = SchemaEndpoint(runner, pages)
    metrics = MetricsEndpoint(runner)
    bulk = BulkEndpoint(runner)

    async def index(request: Request) -> Response:
        return pages.query_page(request)

    async def running_queries(request: Request) -> Response:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/queries", status_code=308)

    async def interface(request: Request) -> Response:
        document = to_json(openapi(settings, request.scope.get("root_path", "")))
        return Response(document, media_type="application/json; charset=utf-8")

    async def health(request: Request) -> Response:
        """200 when it can answer, 503 while stopping."""
        status = "stopping" if runner.stopping else "ok"
        body = to_json({"status": status, **runner.state()})
        return Response(
            body,
            status_code=503 if runner.stopping else 200,
            media_type="application/json; charset=utf-8",
            headers={"Cache-Control": "no-store"},
        )

    async def on_error(request: Request, error: Exception) -> Response:
        response = _error_response(request, pages, _translated(request, error))
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        return response

    application = Starlette(
        routes=[
            Route("/", index),
            Route("/queries", queries.list),
            Route("/runningQueries", running_queries),
            Route("/queries/events", queries.events),
            Route("/queries/{id}", queries.get, methods=["GET"]),
            Route("/queries/{id}", queries.delete, methods=["DELETE"]),
            Route("/queries/{id}/cancel", queries.press, methods=["POST"]),
            Route("/health", health),
            Route("/schema", schema.show),
            Route("/metrics", metrics.show),
            Route("/bulk", bulk.load, methods=["POST"]),
            Route("/bulk/{id}", bulk.show),
            Route("/openapi.json", interface),
            Mount("/static", Assets()),
        ],
        exception_handlers={HTTPException: on_error, CypherdError: on_error, Exception: on_error},
    )
    # Its redirects name the host and scheme that the client gave, which behind a proxy are wrong.
    application.router.redirect_slashes = False
    return application


def _translated(request: Request, error: Exception) -> CypherdError:
    if not isinstance(error, HTTPException):
        return as_cypherd_error(error)
    # Not request.url: making one of a Host that is no host raises ValueError.
    path = request.scope["path"]
    if error.status_code == 404:
        return NotFound(f"there is nothing at {path}")
    if error.status_code == 405:
        return MethodNotAllowed(f"{request.method} is not answered at {path}")
    return RequestError(error.detail)


def _error_response(request: Request, pages: Pages, error: CypherdError) -> Response:
    if wants_page(request):
        return pages.error(request, error)
    response = Response(error_body(error), status_code=error.status)
    for name, value in error_headers(error, request.headers.get("accept")):
        response.headers[name.decode()] = value.decode()
    return response
