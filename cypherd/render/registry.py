"""The renderers there are; their order breaks ties in negotiation."""

from __future__ import annotations

from cypherd.errors import NotAcceptable
from cypherd.render.json_format import JsonRenderer
from cypherd.render.ndjson import NdjsonRenderer
from cypherd.render.renderer import Renderer

RENDERERS: tuple[Renderer, ...] = (JsonRenderer(), NdjsonRenderer())

_BY_NAME: dict[str, Renderer] = {renderer.name: renderer for renderer in RENDERERS}


def renderer_named(name: str) -> Renderer:
    """Raises NotAcceptable, listing the names."""
    renderer = _BY_NAME.get(name)
    if renderer is None:
        raise NotAcceptable(f"there is no format {name!r}; there are {', '.join(_BY_NAME)}")
    return renderer
