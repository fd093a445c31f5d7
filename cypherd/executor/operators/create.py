"""Create: new nodes and relationships for every row, a batch in one question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.creating import Creation, compile_creation
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalCreate


@dataclass(slots=True, kw_only=True)
class Create(Operator):
    source: Operator
    creation: Creation

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield self.creation.create(context, batch)


def map_create(plan: LogicalCreate, number: int, mapping: Mapping) -> Operator:
    return Create(
        number=number,
        source=mapping.map(plan.source),
        creation=compile_creation(plan.nodes, plan.relationships, nulls_refused=False),
    )
