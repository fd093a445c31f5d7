"""What a query is asked with, and what it is answered with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from cypherd.errors import CypherdError
from cypherd.render.renderer import RenderOptions


class QueryRequest(NamedTuple):
    """`timeout` in seconds, None: the setting default_timeout. `read_only`: a write is refused
    (GET). `id`: the client's own, None: one is made."""

    text: str
    parameters: dict[str, Any]
    format: str
    options: RenderOptions
    id: str | None
    timeout: float | None
    read_only: bool
    client: str
    user: str | None


class Answer(NamedTuple):
    """Either `body`, the whole answer, or `chunks`, to be iterated to the end or closed
    (`aclose`). `stats` is what a write did, None for a read. `gzip`: the bytes are compressed."""

    id: str
    stats: dict[str, int] | None
    body: bytes | None
    chunks: AsyncIterator[bytes] | None
    gzip: bool


class StreamAborted(Exception):
    """The body must be broken off: `error` came after its first byte and cannot be told in it."""

    def __init__(self, error: CypherdError) -> None:
        super().__init__(error.message)
        self.error = error
