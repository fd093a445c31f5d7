"""Reads a request's body, stopping as early as its size shows that it is too large."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import Receive

from cypherd.errors import BodyTooLarge, RequestError


class ClientDisconnected(Exception):
    """The client went away before its request was whole."""


def header_map(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; repeated ones are joined (RFC 9110, 5.3), so that one that may
    stand there once is refused for its value."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


async def read_body(receive: Receive, headers: Mapping[str, str], limit: int) -> bytes:
    """Raises BodyTooLarge, naming the setting; ClientDisconnected."""
    declared = headers.get("content-length")
    if declared is not None:
        if not declared.isdigit():
            raise RequestError(f"Content-Length {declared!r} is no number")
        if int(declared) > limit:
            raise _too_large(limit)
    message = await receive()
    body: bytes = message.get("body", b"")
    size = len(body)
    parts = [body]
    while message.get("more_body"):
        if size > limit:
            raise _too_large(limit)
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    if size > limit:
        raise _too_large(limit)
    return body if len(parts) == 1 else b"".join(parts)


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(
        f"the body is larger than the {limit} bytes that the setting max_body allows"
    )
