"""AllNodesScan: every node, for every row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.scanning import scanned
from cypherd.planner.logical.operators import LogicalAllNodesScan


@dataclass(slots=True, kw_only=True)
class AllNodesScan(Operator):
    source: Operator
    variable: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        size = context.batch_size
        for batch in self.source.batches(context, argument):
            yield from scanned(
                batch,
                self.variable,
                lambda: context.transaction.scan_nodes(None, size, context.first_rows),
                size,
            )


def map_all_nodes_scan(plan: LogicalAllNodesScan, number: int, mapping: Mapping) -> Operator:
    return AllNodesScan(number=number, source=mapping.map(plan.source), variable=plan.variable)
