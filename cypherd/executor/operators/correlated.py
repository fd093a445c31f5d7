"""An inner plan run for rows of its owner, each row it gives told with the outer row it is of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, IntArray, TypedColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import numbered, one_row_at_a_time
from cypherd.executor.operator import HIDDEN, Mapping, Operator
from cypherd.executor.rows import single_rows
from cypherd.planner.logical.operators import LogicalOperator


@dataclass(slots=True, frozen=True, kw_only=True)
class InnerPlan:
    operator: Operator
    row_by_row: bool
    row_name: str

    def run(self, context: ExecutionContext, outer: Batch) -> Iterator[tuple[IntArray, Batch]]:
        """(outer row numbers, ascending; inner rows), the hidden number still among these."""
        if not self.row_by_row or outer.length == 1:
            yield from self._whole(context, outer)
            return
        for number, row in enumerate(single_rows(outer)):
            for _, rows in self._whole(context, row):
                yield np.full(rows.length, number, dtype=np.int64), rows

    def exists(self, context: ExecutionContext, outer: Batch, first_row_pays: bool) -> IntArray:
        """For each outer row 1 if the inner plan gives a row, else 0. Stops when all have one."""
        found: IntArray = np.zeros(outer.length, dtype=np.int64)
        if (self.row_by_row or first_row_pays) and outer.length > 1:
            for number, row in enumerate(single_rows(outer)):
                found[number] = self.exists(context, row, first_row_pays)[0]
            return found
        runs: Any = self._whole(context, outer)
        with closing(runs):
            for rows, _ in runs:
                found[rows] = 1
                if found.all():
                    break
        return found

    def _whole(self, context: ExecutionContext, outer: Batch) -> Iterator[tuple[IntArray, Batch]]:
        if outer.length == 1:
            for rows in self.operator.batches(context, outer):
                yield np.zeros(rows.length, dtype=np.int64), rows
            return
        for rows in self.operator.batches(context, numbered(outer, self.row_name)):
            numbers = rows.columns[self.row_name]
            assert isinstance(numbers, TypedColumn)
            yield numbers.values, rows


def map_inner(plan: LogicalOperator, number: int, mapping: Mapping) -> InnerPlan:
    return InnerPlan(
        operator=mapping.map(plan),
        row_by_row=one_row_at_a_time(plan),
        row_name=f"{HIDDEN}row{number}",
    )
