"""gzip on the way out: in the process that renders, never a large body in the event loop.

The first bytes of a gzip stream are those of no format there is (they are no UTF-8, and no map in
MessagePack), so whoever passes a body on knows by them what was done to it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain
from time import monotonic

from cypherd.errors import CypherdError
from cypherd.render.renderer import CHUNK_BYTES, PATIENCE

WORTHWHILE = 1400
"""Bytes below which compressing saves no packet."""

# The second level: 3 times as fast as zlib's default, for a tenth more bytes.
_LEVEL = 2
_GZIP_WINDOW = 31
_MAGIC = b"\x1f\x8b"
# Compressed chunks are smaller than those that come in: more would hold the first rows back.
_ENOUGH = CHUNK_BYTES // 2


def is_gzip(body: bytes) -> bool:
    """Whether a body, or the first chunk of one, has been compressed."""
    return body.startswith(_MAGIC)


def gzip_whole(body: bytes, least: int | None, most: int) -> bytes:
    """A whole body, compressed if it has at least `least` bytes (None: never). One above `most`
    is left alone, unless nothing else is acceptable (`least` is 0)."""
    if least is None or len(body) < least or (least and len(body) > most):
        return body
    return b"".join(_compressed(iter((body,)), in_band_errors=False))


def gzip_stream(
    chunks: Iterator[bytes], least: int | None, *, in_band_errors: bool
) -> Iterator[bytes]:
    """`chunks`, compressed if the first has at least `least` bytes. Raises what they raise; with
    `in_band_errors` the compressed body is completed first."""
    if least is None:
        yield from chunks
        return
    first = next(chunks, None)
    if first is None:
        return
    whole = chain((first,), chunks)
    if len(first) < least:
        yield from whole
    else:
        yield from _compressed(whole, in_band_errors=in_band_errors)


def _compressed(chunks: Iterator[bytes], *, in_band_errors: bool) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
    ready: list[bytes] = []
    size = 0
    last = monotonic()
    try:
        for chunk in chunks:
            ready.append(packer.compress(chunk))
            if len(chunk) < CHUNK_BYTES or monotonic() - last >= PATIENCE:
                # Rows that come slowly must not wait in the compressor's window.
                ready.append(packer.flush(zlib.Z_SYNC_FLUSH))
                last -= PATIENCE
            size += len(ready[-1])
            if size >= _ENOUGH or monotonic() - last >= PATIENCE:
                yield b"".join(ready)
                ready.clear()
                size, last = 0, monotonic()
    except CypherdError:
        if in_band_errors:
            yield b"".join(ready) + packer.flush()
        raise
    yield b"".join(ready) + packer.flush()
