"""NodeIndexPrefixSeek: nodes whose indexed string starts with the row's prefix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from cypherd.batch.columns import Batch
from cypherd.binder.expressions import Call, Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.node_index_seek import filtered_scan
from cypherd.executor.operators.scanning import scanned
from cypherd.executor.rows import single_rows
from cypherd.executor.tokens import find_index
from cypherd.planner.logical.operators import LogicalNodeIndexPrefixSeek


@dataclass(slots=True, kw_only=True)
class NodeIndexPrefixSeek(Operator):
    source: Operator
    plan: LogicalNodeIndexPrefixSeek
    prefix: Expression

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        size = context.batch_size
        for batch in self.source.batches(context, argument):
            index = find_index(context.transaction.schema, "node", plan.label, (plan.property,))
            if index is None:
                value = Property(Variable(plan.variable), plan.property)
                predicate = Call("starts with", (value, plan.prefix))
                scan = filtered_scan(plan.variable, plan.label, predicate)
                yield from scan.batches(context, batch)
                continue
            prefixes = self.prefix(batch, context).to_list()
            for row, prefix in zip(single_rows(batch), prefixes, strict=True):
                if isinstance(prefix, str):
                    find = partial(context.transaction.index_prefix, index, prefix, size)
                    yield from scanned(row, plan.variable, find, size)


def map_node_index_prefix_seek(
    plan: LogicalNodeIndexPrefixSeek, number: int, mapping: Mapping
) -> Operator:
    return NodeIndexPrefixSeek(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        prefix=compile_expression(plan.prefix),
    )
