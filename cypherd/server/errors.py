"""The one error body: in JSON, as a line of NDJSON, in MessagePack, on a page."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable

from starlette.responses import Response

from cypherd.errors import (
    CypherdError,
    InternalError,
    MethodNotAllowed,
    NotAcceptable,
    Unavailable,
)
from cypherd.render.msgpack_format import error_object
from cypherd.render.negotiation import Choice, negotiate
from cypherd.render.values import to_json
from cypherd.server.safety import Headers

_log = logging.getLogger("cypherd.server")

Page = Callable[[CypherdError], Response]

RETRY_AFTER = b"1"
"""Seconds after which a client may try again what was refused for load."""


def as_cypherd_error(error: Exception) -> CypherdError:
    """Faults of our own are logged and answered without their insides."""
    if isinstance(error, CypherdError):
        return error
    _log.error("a request failed by a fault of cypherd", exc_info=error)
    return InternalError("internal error; the log of the server says more")


def error_body(error: CypherdError) -> bytes:
    return to_json({"errors": [error.to_dict()]}) + b"\n"


def error_headers(error: CypherdError, accept: str | None) -> Headers:
    """`accept` names NDJSON: its line has that media type."""
    ndjson = accept is not None and ("ndjson" in accept or "jsonl" in accept)
    media_type = b"application/x-ndjson" if ndjson else b"application/json"
    return [(b"content-type", media_type + b"; charset=utf-8"), *_further(error)]


def _further(error: CypherdError) -> Headers:
    headers = [*COMMON_HEADERS]
    if isinstance(error, MethodNotAllowed):
        headers.append((b"allow", b"POST"))
    if isinstance(error, Unavailable):
        headers.append((b"retry-after", RETRY_AFTER))
    return headers


def error_answer(
    error: CypherdError, choice: Choice | None, accept: str | None, page: Page
) -> tuple[Headers, bytes]:
    """The error in the format that was chosen, or that `accept` asks for where none was yet; in
    JSON where that format has no form for it. `page` makes the one for browsers."""
    if choice is None:
        with contextlib.suppress(NotAcceptable):
            choice = negotiate(accept, None)
    name = "json" if choice is None else choice.renderer.name
    if name == "html":
        response = page(error)
        headers = [pair for pair in response.raw_headers if pair[0] != b"content-length"]
        return [*headers, *_further(error)[len(COMMON_HEADERS) :]], bytes(response.body)
    if choice is None or name not in _TOLD_AS:
        return [(b"content-type", _JSON), *_further(error)], error_body(error)
    return [(b"content-type", choice.content_type), *_further(error)], _TOLD_AS[name](error)


_JSON = b"application/json; charset=utf-8"
_TOLD_AS: dict[str, Callable[[CypherdError], bytes]] = {
    "ndjson": error_body,
    "msgpack": error_object,
    "msgpack-seq": error_object,
}


COMMON_HEADERS: Headers = [
    (b"vary", b"Accept, Accept-Encoding, Origin"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]
