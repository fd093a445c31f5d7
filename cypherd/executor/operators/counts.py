"""NodeCountFromCountStore and RelationshipCountFromCountStore: numbers the store keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, TypedColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import LogicalNodeCount, LogicalRelationshipCount
from cypherd.storage.protocols import ReadTransaction


@dataclass(slots=True, kw_only=True)
class NodeCount(Operator):
    source: Operator
    variable: str
    label: str | None

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield _with_count(batch, self.variable, self._count(context.transaction))

    def _count(self, transaction: ReadTransaction) -> int:
        if self.label is None:
            return transaction.counts.nodes()
        token = transaction.schema.label_id(self.label)
        return 0 if token is None else transaction.counts.nodes(token)


@dataclass(slots=True, kw_only=True)
class RelationshipCount(Operator):
    source: Operator
    plan: LogicalRelationshipCount

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield _with_count(batch, self.plan.variable, self._count(context.transaction))

    def _count(self, transaction: ReadTransaction) -> int:
        schema = transaction.schema
        plan = self.plan
        start = None if plan.start_label is None else schema.label_id(plan.start_label)
        end = None if plan.end_label is None else schema.label_id(plan.end_label)
        if (start is None) != (plan.start_label is None) or (end is None) != (
            plan.end_label is None
        ):
            return 0
        types = type_tokens(schema, plan.types)
        count = transaction.counts.relationships
        return sum(
            count(token, start_label=start, end_label=end)
            for token in ([None] if types is None else types)
        )


def _with_count(batch: Batch, variable: str, count: int) -> Batch:
    values = np.full(batch.length, count, dtype=np.int64)
    return batch.with_columns({variable: TypedColumn(values)})


def map_node_count(plan: LogicalNodeCount, number: int, mapping: Mapping) -> Operator:
    return NodeCount(
        number=number,
        source=mapping.map(plan.source),
        variable=plan.variable,
        label=plan.label,
    )


def map_relationship_count(
    plan: LogicalRelationshipCount, number: int, mapping: Mapping
) -> Operator:
    return RelationshipCount(number=number, source=mapping.map(plan.source), plan=plan)
