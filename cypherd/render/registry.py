"""The renderers there are; their order breaks ties in negotiation."""

from __future__ import annotations

from collections.abc import Iterator

from cypherd.engine import Result
from cypherd.errors import NotAcceptable
from cypherd.render.csv_format import CsvRenderer, ExcelCsvRenderer
from cypherd.render.gzipping import gzip_stream
from cypherd.render.html import HtmlRenderer
from cypherd.render.json_format import JsonRenderer
from cypherd.render.msgpack_format import MsgpackRenderer, MsgpackSequenceRenderer
from cypherd.render.ndjson import NdjsonRenderer
from cypherd.render.renderer import Renderer, RenderOptions
from cypherd.render.text import TextRenderer

RENDERERS: tuple[Renderer, ...] = (
    JsonRenderer(),
    NdjsonRenderer(),
    TextRenderer(),
    CsvRenderer(),
    ExcelCsvRenderer(),
    HtmlRenderer(),
    MsgpackRenderer(),
    MsgpackSequenceRenderer(),
)

_BY_NAME: dict[str, Renderer] = {renderer.name: renderer for renderer in RENDERERS}


def renderer_named(name: str) -> Renderer:
    """Raises NotAcceptable, listing the names."""
    renderer = _BY_NAME.get(name)
    if renderer is None:
        names = tuple(_BY_NAME)
        raise NotAcceptable(
            f"there is no format {name!r}; there are {', '.join(names)}", expected=names
        )
    return renderer


def rendered(name: str, result: Result, options: RenderOptions) -> Iterator[bytes]:
    """A result as the bytes that go out, compressed where that was asked for."""
    renderer = renderer_named(name)
    return gzip_stream(
        renderer.render(result, options),
        options.gzip_from,
        in_band_errors=renderer.in_band_errors,
    )
