"""ExpandInto: the relationships between two bound nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, IdColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.repeats import between
from cypherd.executor.rows import entity_ids, taken
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import Direction, LogicalExpandInto


@dataclass(slots=True, kw_only=True)
class ExpandInto(Operator):
    source: Operator
    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        transaction = context.transaction
        for batch in self.source.batches(context, argument):
            types = type_tokens(transaction.schema, self.types)
            starts = entity_ids(batch.columns[self.start], "node")
            ends = entity_ids(batch.columns[self.end], "node")
            asked = np.flatnonzero((starts >= 0) & (ends >= 0))
            if types == [] or not len(asked):
                continue
            found = between(
                transaction, starts[asked], ends[asked], self.direction, types, context.batch_size
            )
            added = {self.relationship: IdColumn("relationship", found.id)}
            yield from taken(batch, asked[found.row], added, context.batch_size)


def map_expand_into(plan: LogicalExpandInto, number: int, mapping: Mapping) -> Operator:
    return ExpandInto(
        number=number,
        source=mapping.map(plan.source),
        start=plan.start,
        relationship=plan.relationship,
        end=plan.end,
        direction=plan.direction,
        types=plan.types,
    )
