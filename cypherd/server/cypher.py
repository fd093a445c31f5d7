"""`/cypher` as a plain ASGI application: the hot path, without middleware between.

headers -> who asks -> body -> what is asked -> renderer -> runner -> bytes
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from cypherd.errors import (
    CypherdError,
    RequestError,
    UnsupportedMediaType,
)
from cypherd.queries.runner import Answer, QueryRequest, Runner, StreamAborted
from cypherd.render.negotiation import Choice, gzip_from, negotiate
from cypherd.render.renderer import RenderOptions
from cypherd.server.bodies import ClientDisconnected, header_map, read_body
from cypherd.server.errors import COMMON_HEADERS, Page, as_cypherd_error, error_answer
from cypherd.server.pages import Pages
from cypherd.server.protocol import CONNECTION, SETTLED, Connection
from cypherd.server.requests import ACCEPT_POST, Ask, check_coding, read_get, read_post
from cypherd.server.safety import Gate, Headers
from cypherd.settings import Settings, format_duration

_log = logging.getLogger("cypherd.server")

_ALLOW = (b"allow", b"GET, HEAD, POST, OPTIONS")
_GZIP = (b"content-encoding", b"gzip")
_SMALL_BODY = 64 * 1024


class CypherEndpoint:
    def __init__(self, settings: Settings, runner: Runner, gate: Gate, pages: Pages) -> None:
        self._settings = settings
        self._runner = runner
        self._gate = gate
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = header_map(scope["headers"])
        cors = self._gate.cors_headers(headers)
        query = _Query(scope, send, cors)
        try:
            if SETTLED in scope:
                await self._answer_settled(query)
            else:
                await self._respond(query, scope["method"], headers, receive)
        except ClientDisconnected:
            _log.info("499 client went away before its request was whole")
        except Exception as error:
            await self._fail(query, as_cypherd_error(error), headers)
        finally:
            query.forget()

    async def _respond(
        self, query: _Query, method: str, headers: Mapping[str, str], receive: Receive
    ) -> None:
        self._gate.check_host(headers)
        if method == "OPTIONS":
            allowed = [_ALLOW, ACCEPT_POST, *self._gate.preflight_headers(headers)]
            return await query.send_whole(204, [*COMMON_HEADERS, *allowed], b"")
        if method not in ("GET", "HEAD", "POST"):
            error = RequestError(f"{method} is not answered here; there are GET and POST")
            told, body = error_answer(error, None, headers.get("accept"), self._page(query))
            return await query.fail(405, [*told, _ALLOW], body)
        query_string = query.scope["query_string"]
        if method == "POST":
            self._gate.check_origin(headers)
            ask = await self._read_post(query_string, headers, receive)
        else:
            ask = read_get(query_string, headers, self._settings)
            if ask.text is None and _wants_page(headers):
                return await self._pages.index(query.scope, receive, query.raw_send)
            self._gate.check_origin(headers)
        await self._run(query, ask, headers, read_only=method != "POST")
        return None

    async def _answer_settled(self, query: _Query) -> None:
        """A write that has gone the short way, and is answered by this one."""
        write, ask = query.scope[SETTLED]
        query.choice, query.timeout = ask.choice, self._settings.default_timeout
        query.registered(self._runner, write.entry.id)
        await query.answer(await write.outcome())

    async def _read_post(
        self, query_string: bytes, headers: Mapping[str, str], receive: Receive
    ) -> Ask:
        check_coding(headers)
        body = await read_body(receive, headers, self._settings.max_body)
        read = partial(
            read_post, headers.get("content-type"), body, query_string, headers, self._settings
        )
        # Walking the values of a large body would hold up everyone else in the event loop.
        return read() if len(body) <= _SMALL_BODY else await asyncio.to_thread(read)

    async def _run(
        self, query: _Query, ask: Ask, headers: Mapping[str, str], *, read_only: bool
    ) -> None:
        if ask.text is None or not ask.text.strip():
            raise RequestError("there is no query; give it as 'query'")
        query.choice = choice = negotiate(headers.get("accept"), ask.format)
        client = query.scope["client"]
        request = QueryRequest(
            text=ask.text,
            parameters=ask.parameters,
            format=choice.renderer.name,
            options=_options(
                ask.rows,
                ask.integers,
                ask.notifications or self._settings.notifications,
                headers.get("accept-encoding"),
                query.scope.get("root_path", ""),
                self._settings.spool_limit,
            ),
            id=ask.id,
            timeout=ask.timeout,
            read_only=read_only,
            client="" if client is None else f"{client[0]}:{client[1]}",
            user=None,
        )
        on_registered = partial(query.registered, self._runner)
        query.timeout = self._settings.default_timeout if ask.timeout is None else ask.timeout
        answer = await self._runner.submit(request, on_registered)
        await query.answer(answer)

    async def _fail(self, query: _Query, error: CypherdError, headers: Mapping[str, str]) -> None:
        if query.over(error):
            return
        accept = headers.get("accept")
        told, body = error_answer(error, query.choice, accept, self._page(query))
        if isinstance(error, UnsupportedMediaType):
            told.append(ACCEPT_POST)
        await query.fail(error.status, told, body)

    def _page(self, query: _Query) -> Page:
        return partial(self._pages.error, Request(query.scope))


@functools.lru_cache(maxsize=256)
def _options(
    rows: Any,
    integers: Any,
    notifications: Any,
    accept_encoding: str | None,
    root: str,
    spool_limit: int,
) -> RenderOptions:
    """Raises NotAcceptable."""
    return RenderOptions(
        rows, integers, gzip_from(accept_encoding), root, spool_limit, notifications
    )


def _wants_page(headers: Mapping[str, str]) -> bool:
    accept = headers.get("accept", "")
    return "text/html" in accept and negotiate(accept, None).renderer.name == "html"


class _Query:
    """One request's answer on its way out."""

    def __init__(self, scope: Scope, send: Send, cors: Headers) -> None:
        self.scope = scope
        self.raw_send = send
        self.timeout = 0.0
        self.choice: Choice | None = None
        self._cors = cors
        self._id: str | None = None
        self._connection: Connection | None = scope.get(CONNECTION)
        self._on_lost: partial[None] | None = None
        self._started = False

    def registered(self, runner: Runner, id: str) -> None:
        """From now on a lost connection cancels the query."""
        self._id = id
        if self._connection is not None:
            self._on_lost = partial(runner.client_gone, id)
            self._connection.on_lost.add(self._on_lost)
            if self._connection.transport.is_closing():
                self._on_lost()

    def forget(self) -> None:
        if self._connection is not None and self._on_lost is not None:
            self._connection.on_lost.discard(self._on_lost)

    def _query_headers(self) -> Headers:
        headers = [*COMMON_HEADERS, *self._cors]
        if self._id is not None:
            headers.append((b"cypher-query-id", self._id.encode("latin-1")))
            headers.append((b"cypher-timeout", format_duration(self.timeout).encode()))
        return headers

    async def send_whole(self, status: int, headers: Headers, body: bytes) -> None:
        length = (b"content-length", b"%d" % len(body))
        headers = [*headers, length] if status != 204 else headers
        self._started = True
        if self._connection is not None and self._connection.answer(status, headers, body):
            return
        await self._start(status, headers)
        await self.raw_send({"type": "http.response.body", "body": body})

    async def _start(self, status: int, headers: Headers) -> None:
        self._started = True
        await self.raw_send({"type": "http.response.start", "status": status, "headers": headers})

    async def answer(self, answer: Answer) -> None:
        assert self.choice is not None, "it was chosen before the query ran"
        content_type = (b"content-type", self.choice.content_type)
        headers = [content_type, *self.choice.renderer.headers, *self._query_headers()]
        if answer.gzip:
            headers.append(_GZIP)
        if answer.stats:
            headers.append((b"cypher-stats", orjson.dumps(answer.stats)))
        if answer.chunks is None:
            return await self.send_whole(200, headers, answer.body or b"")
        await self._start(200, headers)
        await self._stream(answer)
        return None

    async def _stream(self, answer: Answer) -> None:
        assert answer.chunks is not None
        wanted = self.scope["method"] != "HEAD"
        try:
            async for chunk in answer.chunks:
                if not wanted:
                    break
                await self.raw_send(
                    {"type": "http.response.body", "body": chunk, "more_body": True}
                )
        except StreamAborted as aborted:
            self._log_end(answer.id, aborted.error)
            self._break_off()
            return
        finally:
            close = getattr(answer.chunks, "aclose", None)
            if close is not None:
                await close()
        await self.raw_send({"type": "http.response.body", "body": b"", "more_body": False})

    def _break_off(self) -> None:
        if self._connection is None:
            raise RuntimeError("the answer is broken off")
        self._connection.break_off()

    def _log_end(self, id: str | None, error: CypherdError) -> None:
        gone = self._connection is not None and self._connection.transport.is_closing()
        if gone:
            _log.info("499 query %s: the client went away", id, extra={"about": {"query_id": id}})
        else:
            _log.info(
                "query %s broken off: %s", id, error.message, extra={"about": {"query_id": id}}
            )

    def over(self, error: CypherdError) -> bool:
        """Whether nothing can be answered any more: the client has gone, or bytes have been sent;
        these are then broken off."""
        if self._connection is not None and self._connection.transport.is_closing():
            self._log_end(self._id, error)
            return True
        if self._started:
            self._break_off()
        return self._started

    async def fail(self, status: int, headers: Headers, body: bytes) -> None:
        headers = [*headers, *self._cors]
        if self._id is not None:
            headers.append((b"cypher-query-id", self._id.encode("latin-1")))
        await self.send_whole(status, headers, body)
