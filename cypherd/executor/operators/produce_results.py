"""ProduceResults: the named columns, with whole nodes, relationships and paths in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.materialize import materialize_column
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalProduceResults


@dataclass(slots=True, kw_only=True)
class ProduceResults(Operator):
    source: Operator
    columns: tuple[tuple[str, str], ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            found = batch.columns
            yield Batch(
                batch.length,
                {
                    name: materialize_column(found[variable], context)
                    for name, variable in self.columns
                },
            )


def map_produce_results(plan: LogicalProduceResults, number: int, mapping: Mapping) -> Operator:
    return ProduceResults(number=number, source=mapping.map(plan.source), columns=plan.columns)
