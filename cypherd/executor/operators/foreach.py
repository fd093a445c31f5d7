"""Foreach: the inner plan's writes for every element of a list; the rows pass unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import one_row_at_a_time, writes
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.unwind import unwound
from cypherd.executor.rows import single_rows
from cypherd.planner.logical.operators import LogicalForeach


@dataclass(slots=True, kw_only=True)
class Foreach(Operator):
    source: Operator
    variable: str
    expression: Expression
    inner: Operator
    one_by_one: bool
    """Elements in turn: the second of two writes for one element may be seen by the next."""

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            lists = self.expression(batch, context).to_list()
            for rows, column in unwound(lists, context.batch_size):
                elements = batch.take(rows).with_columns({self.variable: column})
                for part in single_rows(elements) if self.one_by_one else (elements,):
                    for _ in self.inner.batches(context, part):
                        continue
            yield batch


def map_foreach(plan: LogicalForeach, number: int, mapping: Mapping) -> Operator:
    return Foreach(
        number=number,
        source=mapping.map(plan.source),
        variable=plan.variable,
        expression=compile_expression(plan.expression),
        inner=mapping.map(plan.inner),
        one_by_one=writes(plan.inner) > 1 or one_row_at_a_time(plan.inner),
    )
