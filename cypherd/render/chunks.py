"""Gathers what a renderer writes into chunks of a good size, without holding slow rows back."""

from __future__ import annotations

from time import monotonic

from cypherd.render.renderer import CHUNK_BYTES, PATIENCE


class ChunkBuffer:
    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._last = monotonic()
        self.sent = False
        """Whether a chunk has been taken: from then on an error has no status of its own."""

    def write(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)

    def due(self) -> bool:
        """Full, or its first rows have waited long enough."""
        return self._size >= CHUNK_BYTES or monotonic() - self._last >= PATIENCE

    def take(self) -> bytes:
        chunk = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        self._last = monotonic()
        self.sent = True
        return chunk
