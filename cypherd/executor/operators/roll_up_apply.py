"""RollUpApply: the inner plan's values for a row as a list in that row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.memory import Holding, column_bytes
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.planner.logical.operators import LogicalRollUpApply


@dataclass(slots=True, kw_only=True)
class RollUpApply(Operator):
    source: Operator
    inner: InnerPlan
    value: str
    variable: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            lists: list[list[Any]] = [[] for _ in range(batch.length)]
            with Holding(context.guard) as held:
                for rows, found in self.inner.run(context, batch):
                    column = found.columns[self.value]
                    held.add(column_bytes(column))
                    for row, value in zip(rows.tolist(), column.to_list(), strict=True):
                        lists[row].append(value)
                yield batch.with_columns({self.variable: ObjectColumn(lists)})


def map_roll_up_apply(plan: LogicalRollUpApply, number: int, mapping: Mapping) -> Operator:
    return RollUpApply(
        number=number,
        source=mapping.map(plan.source),
        inner=map_inner(plan.inner, number, mapping),
        value=plan.value,
        variable=plan.variable,
    )
