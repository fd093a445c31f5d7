"""Sorting many rows by arrays without ever being deaf for long.

One call of NumPy's sort over 10 million rows takes most of a second, in which no guard is asked.
So many rows are first dealt out to parts that lie one behind the other in the order, by a sample
of the most important key; each part is then sorted by itself.

    rows --sample--> splitters s0 < s1 < ...
    rows --a chunk at a time--> parts:  < s0 | = s0 | between s0 and s1 | = s1 | ...
    part --few rows: lexsort; all of one value: by the other keys; else: dealt out again--> order
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cypherd.batch.columns import IntArray
from cypherd.executor.context import Guard

AT_ONCE = 1 << 17
"""Rows that are sorted in one call: about 10 ms."""

_SPLITTERS = 100
_SAMPLE = 4_000


def ordered_rows(keys: Sequence[NDArray[Any]], guard: Guard, at_once: int = AT_ONCE) -> IntArray:
    """What `np.lexsort(keys)` gives: the row numbers, the last key weighing most, stable. The keys
    hold no NaN."""
    if len(keys[0]) <= at_once:
        order: IntArray = np.lexsort(keys)
        return order
    rows = np.arange(len(keys[0]), dtype=np.int64)
    return np.concatenate(list(_ordered(rows, keys, guard, at_once)))


def _ordered(
    rows: IntArray, keys: Sequence[NDArray[Any]], guard: Guard, at_once: int
) -> Iterator[IntArray]:
    """`rows`, which are ascending, in order, part by part."""
    guard.check()
    if len(rows) <= at_once:
        yield rows[np.lexsort([key[rows] for key in keys])]
        return
    first, rest = keys[-1], keys[:-1]
    for part, is_one_value in _dealt(rows, first, guard, at_once):
        if not is_one_value:
            yield from _ordered(part, keys, guard, at_once)
        elif rest:
            yield from _ordered(part, rest, guard, at_once)
        else:
            yield part


def _dealt(
    rows: IntArray, key: NDArray[Any], guard: Guard, at_once: int
) -> Iterator[tuple[IntArray, bool]]:
    """(rows, whether their keys are one value), in the order of the key; inside a part the rows
    stay ascending. A splitter has a part of its own, so no part is as long as `rows` unless it
    is one value, and dealing out comes to an end."""
    splitters = _splitters(key[rows[:: max(1, len(rows) // _SAMPLE)]])
    count = 2 * len(splitters) + 1
    chunks: list[IntArray] = []
    bounds: list[IntArray] = []
    for start in range(0, len(rows), at_once):
        guard.check()
        chunk = rows[start : start + at_once]
        part = _part_of(key[chunk], splitters)
        # Numbers this small are sorted by counting.
        chunks.append(chunk[np.argsort(part, kind="stable")])
        bounds.append(np.concatenate([[0], np.cumsum(np.bincount(part, minlength=count))]))
    for number in range(count):
        pieces = [c[b[number] : b[number + 1]] for c, b in zip(chunks, bounds, strict=True)]
        part_rows = np.concatenate(pieces)
        if len(part_rows):
            yield part_rows, number % 2 == 1


def _splitters(sample: NDArray[Any]) -> NDArray[Any]:
    ordered = np.sort(sample)
    return np.unique(ordered[:: max(1, len(ordered) // _SPLITTERS)])


def _part_of(values: NDArray[Any], splitters: NDArray[Any]) -> NDArray[np.uint16]:
    below = np.searchsorted(splitters, values, "left")
    equal = splitters[np.minimum(below, len(splitters) - 1)] == values
    part: NDArray[np.uint16] = (2 * below + equal).astype(np.uint16)
    return part
