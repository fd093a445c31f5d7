"""Which renderer answers, and whether compressed: `format=` if given, else `Accept`, and
`Accept-Encoding`, all with q-values (RFC 9110, 12.5.1 and 12.5.3)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from cypherd.errors import NotAcceptable
from cypherd.render.gzipping import WORTHWHILE
from cypherd.render.registry import RENDERERS, renderer_named
from cypherd.render.renderer import Renderer


class Choice(NamedTuple):
    """A renderer, and the Content-Type of its answer."""

    renderer: Renderer
    content_type: bytes


class _Fit(NamedTuple):
    """How well a renderer answers: compared from left to right."""

    quality: float
    specificity: int


_NONE = _Fit(0.0, 0)


def negotiate(accept: str | None, format_: str | None) -> Choice:
    """Raises NotAcceptable, listing what there is."""
    if format_ is not None:
        return _choice(renderer_named(format_))
    return _by_accept(accept or "*/*")


@lru_cache(maxsize=256)
def _by_accept(accept: str) -> Choice:
    """The highest quality; of several that named most precisely, then the first in order."""
    ranges = _parsed(accept) or {"*/*": 1.0}
    best, chosen = _NONE, None
    for renderer in RENDERERS:
        for media_type in renderer.media_types:
            fit = _fit(media_type, ranges)
            if fit.quality > 0 and fit > best:
                best, chosen = fit, _choice(renderer, media_type)
    if chosen is None:
        there = tuple(dict.fromkeys(renderer.media_types[0] for renderer in RENDERERS))
        raise NotAcceptable(
            f"nothing in Accept {accept!r} can be answered; there are {', '.join(there)}",
            expected=there,
        )
    return chosen


def _choice(renderer: Renderer, media_type: str | None = None) -> Choice:
    charset = "; charset=utf-8" if renderer.is_text else ""
    return Choice(renderer, f"{media_type or renderer.media_types[0]}{charset}".encode())


def _fit(media_type: str, ranges: dict[str, float]) -> _Fit:
    """The most specific range that covers the type decides."""
    family = media_type.partition("/")[0] + "/*"
    for specificity, wanted in ((3, media_type), (2, family), (1, "*/*")):
        quality = ranges.get(wanted)
        if quality is not None:
            return _Fit(quality, specificity)
    return _NONE


@lru_cache(maxsize=256)
def gzip_from(accept_encoding: str | None) -> int | None:
    """Bytes from which a body is compressed; None: it is not. Raises NotAcceptable when neither
    gzip nor the plain body is acceptable."""
    if not accept_encoding:
        return None
    wanted = _parsed(accept_encoding)
    anything = wanted.get("*")
    plain = wanted.get("identity", 1.0 if anything is None else anything)
    packed = wanted.get("gzip", wanted.get("x-gzip", anything or 0.0))
    if not plain and not packed:
        raise NotAcceptable(
            f"nothing in Accept-Encoding {accept_encoding!r} can be answered; there are gzip "
            "and identity",
            expected=("gzip", "identity"),
        )
    if not plain:
        return 0
    # A client that does not name the plain body has no reason to prefer it.
    preferred = packed > 0 and ("identity" not in wanted or packed >= plain)
    return WORTHWHILE if preferred else None


def _parsed(header: str) -> dict[str, float]:
    """The quality of each range or coding; of one that stands there twice, the first."""
    found: dict[str, float] = {}
    for part in header.split(","):
        if part.strip():
            name, quality = _parse(part)
            found.setdefault(name, quality)
    return found


def _parse(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip().lower() for piece in part.split(";"))
    quality = 1.0
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            quality = _quality(value)
    return name, quality


def _quality(text: str) -> float:
    try:
        quality = float(text)
    except ValueError:
        return 0.0
    return quality if 0.0 <= quality <= 1.0 else float(quality > 1.0)
