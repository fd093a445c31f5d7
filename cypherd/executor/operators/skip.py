"""Skip: all rows but the first few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.row_count import row_count
from cypherd.planner.logical.operators import LogicalSkip


@dataclass(slots=True, kw_only=True)
class Skip(Operator):
    source: Operator
    count: Expression

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        left = row_count(self.count, context, "SKIP")
        for batch in self.source.batches(context, argument):
            if left >= batch.length:
                left -= batch.length
                continue
            if left:
                yield batch.take(np.arange(left, batch.length, dtype=np.int64))
                left = 0
            else:
                yield batch


def map_skip(plan: LogicalSkip, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Skip(number=number, source=source, count=compile_expression(plan.count))
