"""What scans share: every row of the source with every entity found.

source rows (n)  x  pieces of ids  ->  n * ids rows, in the order of the source
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cypherd.batch.columns import Batch, IdColumn, IntArray
from cypherd.executor.rows import taken, zeros

_REMEMBERED = 1 << 16


def scanned(
    batch: Batch, variable: str, scan: Callable[[], Iterator[IntArray]], size: int
) -> Iterator[Batch]:
    """Each row of `batch` with each id that `scan()` gives. A short scan is made once and
    remembered, a long one is made again for every row."""
    if batch.length == 1:
        for ids in scan():
            yield batch.take(zeros(len(ids))).with_columns({variable: IdColumn("node", ids)})
        return
    remembered = _short(scan)
    if remembered is not None:
        yield from _crossed(batch, variable, remembered, size)
        return
    for row in range(batch.length):
        one = batch.take(np.array([row], dtype=np.int64))
        yield from scanned(one, variable, scan, size)


def _short(scan: Callable[[], Iterator[IntArray]]) -> IntArray | None:
    """All ids of a scan, or None if there are many."""
    found: list[IntArray] = [zeros(0)]
    length = 0
    for ids in scan():
        found.append(ids)
        length += len(ids)
        if length > _REMEMBERED:
            return None
    return np.concatenate(found)


def _crossed(batch: Batch, variable: str, ids: IntArray, size: int) -> Iterator[Batch]:
    """Rows crossed with ids, a bounded number of rows at a time."""
    if not len(ids):
        return
    step = max(1, size // len(ids))
    for start in range(0, batch.length, step):
        rows = np.arange(start, min(start + step, batch.length), dtype=np.int64)
        found = IdColumn("node", np.tile(ids, len(rows)))
        yield from taken(batch, np.repeat(rows, len(ids)), {variable: found}, size)
