"""The one error body, in JSON; NDJSON has it as a line."""

from __future__ import annotations

import logging

from cypherd.errors import CypherdError, InternalError, MethodNotAllowed, Unavailable
from cypherd.render.values import to_json
from cypherd.server.safety import Headers

_log = logging.getLogger("cypherd.server")

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
    headers: Headers = [(b"content-type", media_type + b"; charset=utf-8"), *COMMON_HEADERS]
    if isinstance(error, MethodNotAllowed):
        headers.append((b"allow", b"POST"))
    if isinstance(error, Unavailable):
        headers.append((b"retry-after", RETRY_AFTER))
    return headers


COMMON_HEADERS: Headers = [
    (b"vary", b"Accept, Accept-Encoding, Origin"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]
