"""What a renderer is: a result in, bytes out, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from cypherd.engine import Result

CHUNK_BYTES = 64 * 1024
"""About how much a renderer gathers before it gives a chunk."""

PATIENCE = 0.1
"""Seconds after which rows go out though they do not fill a chunk."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """`rows`: each row as an array or as an object; `integers`: as numbers or as strings."""

    rows: Literal["arrays", "objects"] = "arrays"
    integers: Literal["number", "string"] = "number"


class Renderer(Protocol):
    """`media_types`: all that `Accept` may name, the first is answered with.

    `in_band_errors`: an error after the first chunk is told inside the body. `render` gives
    nothing before the first batch has come, so that an error until then has its own status;
    on a CypherdError after its first chunk it gives the errors part, if it has one, and raises
    the error again.
    """

    name: ClassVar[str]
    media_types: ClassVar[tuple[str, ...]]
    extension: ClassVar[str]
    in_band_errors: ClassVar[bool]

    @property
    def media_type(self) -> str: ...

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]: ...
