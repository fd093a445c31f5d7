"""Fold: reduce() whose expression has a plan of its own.

All rows step by step: the plan is run for element 0 of every list, then for element 1 ...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.planner.logical.operators import LogicalFold
from cypherd.values.description import wrong_type
from cypherd.values.lists import is_list


@dataclass(slots=True, kw_only=True)
class Fold(Operator):
    source: Operator
    inner: InnerPlan
    plan: LogicalFold
    initial: Expression
    expression: Expression

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            totals = ObjectColumn(self._totals(context, batch))
            yield batch.with_columns({self.plan.variable: totals})

    def _totals(self, context: ExecutionContext, batch: Batch) -> list[Any]:
        lists = self.expression(batch, context).to_list()
        totals = list(self.initial(batch, context).to_list())
        for row, items in enumerate(lists):
            if items is None:
                totals[row] = None
            elif not is_list(items):
                raise wrong_type("reduce()", "a list", items)
        step = 0
        while rows := [r for r, items in enumerate(lists) if items and step < len(items)]:
            context.guard.check()
            asked = batch.take(np.array(rows, dtype=np.int64)).with_columns(
                {
                    self.plan.accumulator: ObjectColumn([totals[row] for row in rows]),
                    self.plan.element: ObjectColumn([lists[row][step] for row in rows]),
                }
            )
            for numbers, found in self.inner.run(context, asked):
                values = found.columns[self.plan.value].to_list()
                for number, value in zip(numbers.tolist(), values, strict=True):
                    totals[rows[number]] = value
            step += 1
        return totals


def map_fold(plan: LogicalFold, number: int, mapping: Mapping) -> Operator:
    return Fold(
        number=number,
        source=mapping.map(plan.source),
        inner=map_inner(plan.inner, number, mapping),
        plan=plan,
        initial=compile_expression(plan.initial),
        expression=compile_expression(plan.expression),
    )
