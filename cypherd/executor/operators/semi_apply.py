"""SemiApply, AntiSemiApply, LetSemiApply: whether the inner plan gives a row for a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, TypedColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import first_row_pays
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.planner.logical.operators import LogicalLetSemiApply, LogicalSemiApply


@dataclass(slots=True, kw_only=True)
class SemiApply(Operator):
    source: Operator
    inner: InnerPlan
    stop_early: bool
    negated: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        wanted = 0 if self.negated else 1
        for batch in self.source.batches(context, argument):
            found = self.inner.exists(context, batch, self.stop_early)
            rows = np.flatnonzero(found == wanted)
            if len(rows) == batch.length:
                yield batch
            elif len(rows):
                yield batch.take(rows)


@dataclass(slots=True, kw_only=True)
class LetSemiApply(Operator):
    source: Operator
    inner: InnerPlan
    stop_early: bool
    variable: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            found = self.inner.exists(context, batch, self.stop_early)
            yield batch.with_columns({self.variable: TypedColumn(found.astype(np.bool_))})


def map_semi_apply(plan: LogicalSemiApply, number: int, mapping: Mapping) -> Operator:
    return SemiApply(
        number=number,
        source=mapping.map(plan.source),
        inner=map_inner(plan.inner, number, mapping),
        stop_early=first_row_pays(plan.inner),
        negated=plan.negated,
    )


def map_let_semi_apply(plan: LogicalLetSemiApply, number: int, mapping: Mapping) -> Operator:
    return LetSemiApply(
        number=number,
        source=mapping.map(plan.source),
        inner=map_inner(plan.inner, number, mapping),
        stop_early=first_row_pays(plan.inner),
        variable=plan.variable,
    )
