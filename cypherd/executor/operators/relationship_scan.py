"""RelationshipScan: every relationship of the types, for every row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.relationship_columns import relationship_columns
from cypherd.executor.rows import single_rows, taken, zeros
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import LogicalRelationshipScan
from cypherd.storage.protocols import RelationshipRows


@dataclass(slots=True, kw_only=True)
class RelationshipScan(Operator):
    source: Operator
    names: tuple[str, str, str]
    types: tuple[str, ...]
    directed: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            for row in single_rows(batch):
                for found in self._scan(context):
                    rows, columns = relationship_columns(
                        self.names,
                        zeros(len(found.id)),
                        (found.id, found.start, found.end),
                        self.directed,
                    )
                    yield from taken(row, rows, columns, context.batch_size)

    def _scan(self, context: ExecutionContext) -> Iterator[RelationshipRows]:
        transaction = context.transaction
        tokens = type_tokens(transaction.schema, self.types)
        for token in [None] if tokens is None else tokens:
            yield from transaction.scan_relationships(token, context.batch_size, context.first_rows)


def map_relationship_scan(plan: LogicalRelationshipScan, number: int, mapping: Mapping) -> Operator:
    return RelationshipScan(
        number=number,
        source=mapping.map(plan.source),
        names=(plan.relationship, plan.start, plan.end),
        types=plan.types,
        directed=plan.directed,
    )
