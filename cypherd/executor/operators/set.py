"""Set: SET and REMOVE for every row; the rows pass through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.setting import Changes, compile_changes
from cypherd.planner.logical.operators import LogicalSet


@dataclass(slots=True, kw_only=True)
class Set(Operator):
    source: Operator
    changes: Changes

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            self.changes.apply(context, batch)
            yield batch


def map_set(plan: LogicalSet, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Set(number=number, source=source, changes=compile_changes(plan.items))
