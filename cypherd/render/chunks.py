"""Gathers what a renderer writes into chunks of a good size, without holding slow rows back, and
parts batches whose rows are so large that all of them together would need much memory."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Protocol

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.render.renderer import CHUNK_BYTES, PATIENCE

# A batch of a thousand rows may hold the same text of a megabyte a thousand times: the engine has
# it once, the answer has not. The first piece is small because nothing is known yet.
_FIRST_PIECE = 16
_PIECE_BYTES = 4 * CHUNK_BYTES


class Counted(Protocol):
    """Whatever takes the bytes of rows: `total` is how many it has taken."""

    total: int


def in_pieces(batches: Iterator[Batch], written: Counted) -> Iterator[Batch]:
    """The batches, parted into pieces of about _PIECE_BYTES, as the rows before have been; whole
    ones where rows are small. Whoever iterates writes each piece to `written` before the next."""
    rows = _FIRST_PIECE
    for batch in batches:
        start = 0
        while start < batch.length:
            count = min(rows, batch.length - start)
            before = written.total
            whole = count == batch.length
            yield batch if whole else batch.take(np.arange(start, start + count))
            size = max(1, written.total - before)
            rows = max(1, _PIECE_BYTES * count // size)
            start += count
        if not batch.length:
            yield batch


class ChunkBuffer:
    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._last = monotonic()
        self.total = 0
        self.sent = False
        """Whether a chunk has been taken: from then on an error has no status of its own."""

    def write(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        self.total += len(part)

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
