"""UnionNodeByLabelsScan: every node with one of the labels, once, for every row of the source.

The labels are scanned one after another; of each scan the nodes are left out that have a label
scanned before. So nothing is remembered, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.scanning import scanned
from cypherd.planner.logical.operators import LogicalUnionNodeByLabelsScan


@dataclass(slots=True, kw_only=True)
class UnionNodeByLabelsScan(Operator):
    source: Operator
    variable: str
    labels: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield from scanned(batch, self.variable, lambda: self._ids(context), context.batch_size)

    def _ids(self, context: ExecutionContext) -> Iterator[IntArray]:
        transaction = context.transaction
        found = [transaction.schema.label_id(label) for label in self.labels]
        tokens = [token for token in dict.fromkeys(found) if token is not None]
        for position, token in enumerate(tokens):
            for ids in transaction.scan_nodes(token, context.batch_size, context.first_rows):
                fresh = np.ones(len(ids), dtype=np.bool_)
                for earlier in tokens[:position]:
                    fresh &= ~transaction.has_label(ids, earlier)
                context.guard.check()
                yield ids[fresh]


def map_union_node_by_labels_scan(
    plan: LogicalUnionNodeByLabelsScan, number: int, mapping: Mapping
) -> Operator:
    return UnionNodeByLabelsScan(
        number=number,
        source=mapping.map(plan.source),
        variable=plan.variable,
        labels=plan.labels,
    )
