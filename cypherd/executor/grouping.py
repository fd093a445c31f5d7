"""Rows numbered by the group they belong to: for DISTINCT and for aggregation.

Two rows are of one group when all their values are equivalent (null with null, NaN with NaN,
1 with 1.0). Groups are numbered from 0 in the order of their first rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IntArray
from cypherd.batch.keys import column_keys
from cypherd.executor.memory import value_bytes

_ENTRY = 120


class Groups:
    """The groups met so far; `nbytes` is about what they take."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, columns: Sequence[Column]) -> tuple[IntArray, IntArray]:
        """(group of each row, the rows that began a new group)."""
        keys = [column_keys(column) for column in columns]
        return self._by_key(keys[0] if len(keys) == 1 else list(zip(*keys, strict=True)))

    def _by_key(self, keys: Sequence[Any]) -> tuple[IntArray, IntArray]:
        numbers = self.numbers
        groups: list[Any] = list(map(numbers.get, keys))
        fresh: list[int] = []
        if None in groups:
            for row, group in enumerate(groups):
                if group is None:
                    groups[row] = self._of_new(keys[row], row, fresh)
        return np.array(groups, dtype=np.int64), np.array(fresh, dtype=np.int64)

    def _of_new(self, key: Any, row: int, fresh: list[int]) -> int:
        """The group of a key that was not there before this batch."""
        group = self.numbers.get(key)
        if group is None:
            group = self.numbers[key] = len(self.numbers)
            fresh.append(row)
            self.nbytes += _ENTRY + value_bytes(key)
        return group
