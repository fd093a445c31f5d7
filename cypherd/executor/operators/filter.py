"""Filter: the rows for which the predicate is true (neither false nor null)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_predicate
from cypherd.executor.operator import Mapping, Operator, Predicate
from cypherd.planner.logical.operators import LogicalFilter


@dataclass(slots=True, kw_only=True)
class Filter(Operator):
    source: Operator
    predicate: Predicate

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        predicate = self.predicate
        for batch in self.source.batches(context, argument):
            rows = predicate(batch, context)
            if len(rows) == batch.length:
                yield batch
            elif len(rows):
                yield batch.take(rows)


def map_filter(plan: LogicalFilter, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Filter(number=number, source=source, predicate=compile_predicate(plan.predicate))
