"""Limit: the first few rows. Over a source that writes, the source still runs to its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import writes
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.row_count import row_count
from cypherd.planner.logical.operators import LogicalLimit


@dataclass(slots=True, kw_only=True)
class Limit(Operator):
    source: Operator
    count: Expression
    to_the_end: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        left = row_count(self.count, context, "LIMIT")
        if not left and not self.to_the_end:
            return
        if left < context.batch_size and not self.to_the_end:
            context = replace(context, first_rows=max(left, 1))
        batches: Any = self.source.batches(context, argument)
        with closing(batches):
            for batch in batches:
                if left >= batch.length:
                    left -= batch.length
                    yield batch
                elif left:
                    yield batch.take(np.arange(left, dtype=np.int64))
                    left = 0
                if not left and not self.to_the_end:
                    return


def map_limit(plan: LogicalLimit, number: int, mapping: Mapping) -> Operator:
    return Limit(
        number=number,
        source=mapping.map(plan.source),
        count=compile_expression(plan.count),
        to_the_end=writes(plan.source) > 0,
    )
