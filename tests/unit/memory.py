"""Memory of this process's own, for tests of what counts it."""

from __future__ import annotations

import mmap


def private_memory(size: int) -> mmap.mmap:
    """`size` bytes, resident, that no heap had before."""
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, mmap.PAGESIZE):
        memory[at] = 1
    return memory
