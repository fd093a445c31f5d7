"""Expand: from a bound node along its relationships.

source rows (start)  ->  one row a relationship, with relationship and end added
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, IdColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.repeats import expansions
from cypherd.executor.rows import entity_ids, has_nulls, taken
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import Direction, LogicalExpand


@dataclass(slots=True, kw_only=True)
class Expand(Operator):
    source: Operator
    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            types = type_tokens(context.transaction.schema, self.types)
            if types != []:
                yield from self._expanded(context, batch, types)

    def _expanded(
        self, context: ExecutionContext, batch: Batch, types: list[int] | None
    ) -> Iterator[Batch]:
        size = context.batch_size
        nodes = entity_ids(batch.columns[self.start], "node")
        asked = None
        if has_nulls(nodes):
            asked = np.flatnonzero(nodes >= 0)
            nodes = nodes[asked]
        for found in expansions(context.transaction, nodes, self.direction, types, size):
            context.guard.check()
            rows = found.row if asked is None else asked[found.row]
            added = {
                self.relationship: IdColumn("relationship", found.relationship),
                self.end: IdColumn("node", found.neighbour),
            }
            yield from taken(batch, rows, added, size)


def map_expand(plan: LogicalExpand, number: int, mapping: Mapping) -> Operator:
    return Expand(
        number=number,
        source=mapping.map(plan.source),
        start=plan.start,
        relationship=plan.relationship,
        end=plan.end,
        direction=plan.direction,
        types=plan.types,
    )
