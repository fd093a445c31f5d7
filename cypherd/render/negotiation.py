"""Which renderer answers: `format=` if given, else `Accept` with q-values (RFC 9110, 12.5.1)."""

from __future__ import annotations

from functools import lru_cache

from cypherd.errors import NotAcceptable
from cypherd.render.registry import RENDERERS, renderer_named
from cypherd.render.renderer import Renderer


def negotiate(accept: str | None, format_: str | None) -> Renderer:
    """Raises NotAcceptable, listing what there is."""
    if format_ is not None:
        return renderer_named(format_)
    return _by_accept(accept or "*/*")


@lru_cache(maxsize=256)
def _by_accept(accept: str) -> Renderer:
    ranges = [_parse(part) for part in accept.split(",") if part.strip()]
    best: tuple[float, Renderer] | None = None
    for renderer in RENDERERS:
        quality = max(_quality(media_type, ranges) for media_type in renderer.media_types)
        if quality > 0 and (best is None or quality > best[0]):
            best = (quality, renderer)
    if best is None:
        there = ", ".join(renderer.media_types[0] for renderer in RENDERERS)
        raise NotAcceptable(f"nothing in Accept {accept!r} can be answered; there are {there}")
    return best[1]


def _parse(part: str) -> tuple[str, float]:
    media_range, *parameters = (piece.strip().lower() for piece in part.split(";"))
    quality = 1.0
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                quality = min(1.0, max(0.0, float(value)))
            except ValueError:
                quality = 0.0
    return media_range, quality


def _quality(media_type: str, ranges: list[tuple[str, float]]) -> float:
    """The most specific range that covers the type decides."""
    family = media_type.partition("/")[0] + "/*"
    for wanted in (media_type, family, "*/*"):
        for media_range, quality in ranges:
            if media_range == wanted:
                return quality
    return 0.0
