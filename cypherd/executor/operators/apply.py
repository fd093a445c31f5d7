"""Apply: for every row of the source the rows of the inner plan, with some of its columns added.

source batch  --argument-->  inner plan (whole batch, or row by row)  -->  source rows + columns
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import spine, writes
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.executor.rows import regrouped
from cypherd.planner.logical import operators as logical
from cypherd.planner.logical.operators import LogicalApply, LogicalOperator


@dataclass(slots=True, kw_only=True)
class Apply(Operator):
    source: Operator
    inner: InnerPlan
    variables: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            if self.variables:
                yield from regrouped(self._added(context, batch), context.batch_size)
            else:
                for _ in self.inner.run(context, batch):
                    continue
                yield batch

    def _added(self, context: ExecutionContext, batch: Batch) -> Iterator[Batch]:
        for rows, found in self.inner.run(context, batch):
            added = {name: found.columns[name] for name in self.variables}
            yield batch.take(rows).with_columns(added)


_NO_SEARCH = (
    logical.LogicalArgument,
    logical.LogicalProject,
    logical.LogicalExtend,
    logical.LogicalUnwind,
    logical.LogicalCreate,
    logical.LogicalMerge,
    logical.LogicalSet,
    logical.LogicalDelete,
)


def _one_row_sees_another(inner: LogicalOperator) -> bool:
    """Whether what is written for one row may be met when the plan runs for the next."""
    count = writes(inner)
    return count > 1 or (count == 1 and not all(isinstance(o, _NO_SEARCH) for o in spine(inner)))


def map_apply(plan: LogicalApply, number: int, mapping: Mapping) -> Operator:
    inner = map_inner(plan.inner, number, mapping)
    return Apply(
        number=number,
        source=mapping.map(plan.source),
        inner=replace(inner, row_by_row=inner.row_by_row or _one_row_sees_another(plan.inner)),
        variables=plan.variables,
    )
