"""Rows of integers as they are read, eight bytes each; a tuple would take ten times that."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray


class Rows:
    def __init__(self, width: int) -> None:
        self._width = width
        self._flat = array("q")

    def __len__(self) -> int:
        return len(self._flat) // self._width

    def add(self, row: Iterable[int]) -> None:
        """`row` has as many integers as the rows are wide."""
        self._flat.extend(row)

    def table(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """A row a line; a view: no more rows can be added while it is there."""
        return np.frombuffer(self._flat, dtype=np.int64).reshape(-1, self._width)

    def columns(self) -> list[IntArray]:
        table = self.table()
        return [np.ascontiguousarray(table[:, column]) for column in range(self._width)]
