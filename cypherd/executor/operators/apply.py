"""Apply: for every row of the source the rows of the inner plan.

source batch  --argument-->  inner plan (whole batch, or row by row)  -->  inner's rows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import one_row_at_a_time
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import hidden_columns, regrouped, single_rows, zeros
from cypherd.planner.logical.operators import LogicalApply


@dataclass(slots=True, kw_only=True)
class Apply(Operator):
    source: Operator
    inner: Operator
    row_by_row: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            if self.row_by_row:
                yield from regrouped(self._row_by_row(context, batch), context.batch_size)
            else:
                yield from self.inner.batches(context, batch)

    def _row_by_row(self, context: ExecutionContext, batch: Batch) -> Iterator[Batch]:
        for row in single_rows(batch):
            hidden = hidden_columns(row)
            for rows in self.inner.batches(context, row):
                rows_of_outer = zeros(rows.length)
                missing = {
                    name: column.take(rows_of_outer)
                    for name, column in hidden.items()
                    if name not in rows.columns
                }
                yield rows.with_columns(missing) if missing else rows


def map_apply(plan: LogicalApply, number: int, mapping: Mapping) -> Operator:
    return Apply(
        number=number,
        source=mapping.map(plan.source),
        inner=mapping.map(plan.inner),
        row_by_row=one_row_at_a_time(plan.inner),
    )
