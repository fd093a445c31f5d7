"""Optional: as Apply, but a row for which the inner plan gives nothing comes once, with nulls.

What comes out has the columns of the source and the optional variables; rows in source order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, Column, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.executor.rows import join_batches, null_column, pieces, regrouped
from cypherd.planner.logical.operators import LogicalOptional


@dataclass(slots=True, kw_only=True)
class Optional(Operator):
    source: Operator
    inner: InnerPlan
    variables: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield from regrouped(self._optional(context, batch), context.batch_size)

    def _optional(self, context: ExecutionContext, outer: Batch) -> Iterator[Batch]:
        """The rows of one outer batch; `done` is the first row not yet given in any way."""
        done = 0
        for rows, found in self.inner.run(context, outer):
            last = int(rows[-1])
            present = np.zeros(outer.length, dtype=np.bool_)
            present[rows] = True
            missing = done + np.flatnonzero(~present[done:last])
            full = self._full(outer, rows, found)
            if len(missing):
                full = join_batches([full, self._nulls(outer, missing)])
                full = full.take(np.argsort(np.concatenate([rows, missing]), kind="stable"))
            done = last + 1
            yield from pieces(full, context.batch_size)
        if done < outer.length:
            yield self._nulls(outer, np.arange(done, outer.length, dtype=np.int64))

    def _full(self, outer: Batch, rows: IntArray, found: Batch) -> Batch:
        columns: dict[str, Column] = {}
        for name, column in outer.columns.items():
            inside = found.columns.get(name)
            columns[name] = column.take(rows) if inside is None else inside
        for name in self.variables:
            inside = found.columns.get(name)
            columns[name] = null_column(found.length) if inside is None else inside
        return Batch(found.length, columns)

    def _nulls(self, outer: Batch, rows: IntArray) -> Batch:
        added = {name: null_column(len(rows)) for name in self.variables}
        return outer.take(rows).with_columns(added)


def map_optional(plan: LogicalOptional, number: int, mapping: Mapping) -> Operator:
    return Optional(
        number=number,
        source=mapping.map(plan.source),
        inner=map_inner(plan.inner, number, mapping),
        variables=plan.variables,
    )
