"""What a renderer is: a result in, bytes out, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from cypherd.engine import Result

CHUNK_BYTES = 64 * 1024
"""About how much a renderer gathers before it gives a chunk."""

PATIENCE = 0.1
"""Seconds after which rows go out though they do not fill a chunk."""

SPOOL_LIMIT = 1 << 30

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """`rows`: each row as an array or as an object; `integers`: as numbers or as strings.

    `gzip_from`: bytes from which a body is compressed, None: never. `root`: the path under which
    the server's pages stand, for links. `spool_limit`: bytes that a renderer may keep in a file
    when its format wants to know the number of rows first. `notifications`: the least severe that
    are told, or off for none."""

    rows: Literal["arrays", "objects"] = "arrays"
    integers: Literal["number", "string"] = "number"
    gzip_from: int | None = None
    root: str = ""
    spool_limit: int = SPOOL_LIMIT
    notifications: Literal["information", "warning", "off"] = "information"

    def told(self, notifications: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Those of a plan that the client wants to know."""
        if self.notifications == "information":
            return list(notifications)
        if self.notifications == "off":
            return []
        return [one for one in notifications if one["severity"] == "WARNING"]


class Renderer(Protocol):
    """`media_types`: all that `Accept` may name, the usual one first. `is_text`: the body is
    UTF-8, and the Content-Type says so.

    `in_band_errors`: an error after the first chunk is told inside the body. `headers` go with
    every answer. `render` gives nothing before the first batch has come, so that an error until
    then has its own status; on a CypherdError after its first chunk it gives the errors part, if
    it has one, and raises the error again.
    """

    name: ClassVar[str]
    media_types: ClassVar[tuple[str, ...]]
    is_text: ClassVar[bool]
    in_band_errors: ClassVar[bool]
    headers: ClassVar[Headers]

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]: ...
