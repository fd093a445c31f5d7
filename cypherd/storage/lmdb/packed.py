"""A few properties of many records, without unpacking the rest of them.

    records, joined  --kernel-->  what each record has under each key, and where
                     --one pass a kind of value-->  lists of values

It needs the compiled kernels. Without them records are unpacked whole, and few records are asked of
the cache of whole ones (record_cache); both give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import BoolArray, IntArray
from cypherd.storage.lmdb.layout import unpack_all

FEWEST = 48
"""Below this many records it is quicker to unpack them whole."""

_MOST_BYTES = 1 << 26
"""Records of more bytes than this are not copied together."""


def properties_of(
    records: Sequence[bytes], keys: Sequence[int], before: int, kernels: ModuleType
) -> list[list[Any]]:
    """A list a key with the value of each record, None where it has none; as unpacking gives.
    A record is an array whose properties stand behind `before` other items."""
    count = len(records)
    ends = np.cumsum(np.fromiter(map(len, records), np.int64, count))
    if count > 1 and ends[-1] > _MOST_BYTES:
        halves = (records[: count // 2], records[count // 2 :])
        parts = [properties_of(half, keys, before, kernels) for half in halves]
        return [a + b for a, b in zip(*parts, strict=True)]
    # Writable, because a kernel takes no other array.
    data = bytearray().join(records)
    kinds = np.zeros((len(keys), count), dtype=np.uint8)
    first = np.zeros((2, len(keys), count), dtype=np.int64)
    array = np.frombuffer(data, dtype=np.uint8)
    wanted = np.array(keys, dtype=np.int64)
    kernels.find_properties(array, ends, before, wanted, kinds, first[0], first[1])
    found = _Found(data, array, kernels)
    return [found.values(*columns) for columns in zip(kinds, first[0], first[1], strict=True)]


def have_item(records: Sequence[bytes], wanted: int, kernels: ModuleType) -> BoolArray:
    """Which of the records have the integer in the array that is their first item."""
    ends = np.cumsum(np.fromiter(map(len, records), np.int64, len(records)))
    have = np.zeros(len(records), dtype=np.bool_)
    if len(records):
        data = np.frombuffer(bytearray().join(records), dtype=np.uint8)
        kernels.find_item(data, ends, wanted, have)
    return have


class _Found:
    """Values from what the kernel found: for each record its kind and two numbers."""

    def __init__(self, data: bytearray, array: NDArray[np.uint8], kernels: ModuleType) -> None:
        self._data = data
        self._array = array
        self._number_texts = kernels.number_texts
        self._text: str | None = None
        self._readers: dict[int, Callable[[IntArray, IntArray], list[Any]]] = {
            kernels.TEXT: self._texts,
            kernels.WHOLE: lambda numbers, _: numbers.tolist(),
            kernels.FLOAT: lambda numbers, _: numbers.view(np.float64).tolist(),
            kernels.FALSE: lambda first, _: [False] * len(first),
            kernels.TRUE: lambda first, _: [True] * len(first),
            kernels.OTHER: self._others,
            kernels.MISSING: lambda first, _: [None] * len(first),
        }

    def values(self, kinds: NDArray[np.uint8], first: IntArray, second: IntArray) -> list[Any]:
        held = kinds.tobytes()
        if held.count(held[0]) == len(held):
            return self._readers[held[0]](first, second)
        values: list[Any] = [None] * len(held)
        for kind in set(held):
            rows = np.flatnonzero(kinds == kind)
            found = self._readers[kind](first[rows], second[rows])
            for row, value in zip(rows.tolist(), found, strict=True):
                values[row] = value
        return values

    def _texts(self, begin: IntArray, end: IntArray) -> list[Any]:
        """Equal texts become one string, which is made once and hashed once."""
        count = len(begin)
        table = np.full(1 << (2 * count).bit_length(), -1, dtype=np.int64)
        codes, firsts = np.empty((2, count), dtype=np.int64)
        different = self._number_texts(self._array, begin, end, table, codes, firsts)
        if 2 * different > count:
            return self._cut(begin, end)
        first = firsts[:different]
        values = self._cut(begin[first], end[first])
        return list(map(values.__getitem__, codes.tolist()))

    def _cut(self, begin: IntArray, end: IntArray) -> list[Any]:
        # As Latin-1 every byte is a character, so text that is ASCII can be cut out of it.
        text = self._text = self._text or self._data.decode("latin-1")
        values = [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
        if "".join(values).isascii():
            return values
        return [value if value.isascii() else _decoded(value) for value in values]

    def _others(self, begin: IntArray, end: IntArray) -> list[Any]:
        data = self._data
        places = zip(begin.tolist(), end.tolist(), strict=True)
        return unpack_all([bytes(data[a:b]) for a, b in places])


def _decoded(value: str) -> str:
    return value.encode("latin-1").decode("utf-8", "surrogatepass")
