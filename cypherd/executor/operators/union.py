"""Union: the rows of the left side, then those of the right (UNION ALL)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalUnion


@dataclass(slots=True, kw_only=True)
class Union(Operator):
    left: Operator
    right: Operator

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        yield from self.left.batches(context, argument)
        yield from self.right.batches(context, argument)


def map_union(plan: LogicalUnion, number: int, mapping: Mapping) -> Operator:
    return Union(number=number, left=mapping.map(plan.left), right=mapping.map(plan.right))
