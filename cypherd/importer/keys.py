"""From the keys of the files to node ids: a hash table in arrays.

    keys of a batch -> one array of bytes and their ends -> kernel -> entries -> node ids

For a key, the table takes its bytes (8 for an integer), 8 for its end, 8 for the node and 6 to 16
for its slots: 10 million integers take about 350 MB, where a dict would take 1.5 GB.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.errors import ImportFailed

ABSENT, AMBIGUOUS = -1, -2
"""What stands for a node where there is none of a key, or more than one."""

Keys = Sequence[Any]
"""Strings, or integers of 64 bits."""

_MOST = (1 << 31) - 1
_Bytes = NDArray[np.uint8]


class KeyMap:
    """Node ids by key. All keys are integers of 64 bits, or all are strings."""

    def __init__(self, integers: bool) -> None:
        self.integers = integers
        self._kernels = _kernels()
        self._count = 0
        self._slots = np.full(1 << 10, self._kernels.FREE, dtype=np.int32)
        self._data = np.empty(1 << 12, dtype=np.uint8)
        self._ends = np.empty(1 << 10, dtype=np.int64)
        self._nodes = np.empty(1 << 10, dtype=np.int64)

    def __len__(self) -> int:
        return self._count

    def add(self, keys: Keys, first_node: int) -> NDArray[np.bool_]:
        """Which of the keys are new: they get the nodes from `first_node` on, in order."""
        before = self._count
        new: NDArray[np.bool_] = self._insert(keys) == self._kernels.FREE
        self._nodes[before : self._count] = np.arange(first_node, first_node + new.sum())
        return new

    def also(self, keys: Keys, nodes: IntArray) -> None:
        """Add keys that may be there already: these then stand for several nodes."""
        before = self._count
        found = self._insert(keys)
        there = found != self._kernels.FREE
        self._nodes[before : self._count] = nodes[~there]
        entries = found[there]
        self._nodes[entries[self._nodes[entries] != nodes[there]]] = AMBIGUOUS

    def find(self, keys: Keys) -> IntArray:
        """Nodes, ABSENT or AMBIGUOUS."""
        data, ends = self._pack(keys)
        found = np.empty(len(keys), dtype=np.int64)
        self._kernels.find(self._slots, self._data, self._ends, data, ends, found)
        return np.where(found >= 0, self._nodes[found], ABSENT)

    def _insert(self, keys: Keys) -> IntArray:
        data, ends = self._pack(keys)
        self._make_room(len(keys), len(data))
        found = np.empty(len(keys), dtype=np.int64)
        self._count = self._kernels.insert(
            self._slots, self._data, self._ends, self._count, data, ends, found
        )
        return found

    def _pack(self, keys: Keys) -> tuple[_Bytes, IntArray]:
        """One array of all keys, and their ends. The kernels take writable arrays only."""
        if self.integers:
            data = np.array(keys, dtype=np.int64).view(np.uint8)
            return data, np.arange(8, 8 * len(keys) + 8, 8, dtype=np.int64)
        encoded = [str(key).encode() for key in keys]
        ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        return np.frombuffer(bytearray().join(encoded), dtype=np.uint8), ends

    def _make_room(self, keys: int, size: int) -> None:
        count = self._count + keys
        if count > _MOST:
            raise ImportFailed(f"there are more than {_MOST:,} nodes in one space of ids")
        used = int(self._ends[self._count - 1]) if self._count else 0
        self._data = _with_room(self._data, used, used + size)
        self._ends = _with_room(self._ends, self._count, count)
        self._nodes = _with_room(self._nodes, self._count, count)
        if count * 3 > len(self._slots) * 2:
            size = 1 << (count * 2 - 1).bit_length()
            self._slots = np.full(size, self._kernels.FREE, dtype=np.int32)
            self._kernels.fill(self._slots, self._data, self._ends, self._count)


def _with_room(array: NDArray[Any], used: int, needed: int) -> NDArray[Any]:
    if needed <= len(array):
        return array
    grown = np.empty(max(needed, len(array) * 3 // 2), dtype=array.dtype)
    grown[:used] = array[:used]
    return grown


def _kernels() -> ModuleType:
    # Imported when a file with keys is read: compiling them takes a moment the first time.
    from cypherd.importer import compiled

    return compiled
