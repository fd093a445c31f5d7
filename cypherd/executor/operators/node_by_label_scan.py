"""NodeByLabelScan: every node with the label, for every row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.scanning import scanned
from cypherd.planner.logical.operators import LogicalNodeByLabelScan


@dataclass(slots=True, kw_only=True)
class NodeByLabelScan(Operator):
    source: Operator
    variable: str
    label: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        def scan() -> Iterator[IntArray]:
            token = context.transaction.schema.label_id(self.label)
            if token is None:
                return iter(())
            return context.transaction.scan_nodes(token, context.batch_size, context.first_rows)

        for batch in self.source.batches(context, argument):
            yield from scanned(batch, self.variable, scan, context.batch_size)


def map_node_by_label_scan(plan: LogicalNodeByLabelScan, number: int, mapping: Mapping) -> Operator:
    return NodeByLabelScan(
        number=number,
        source=mapping.map(plan.source),
        variable=plan.variable,
        label=plan.label,
    )
