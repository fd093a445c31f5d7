"""RelationshipByIdSeek: the relationships with given ids, for every row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, BoolArray
from cypherd.errors import EntityNotFound
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.id_values import wanted_ids
from cypherd.executor.operators.relationship_columns import relationship_columns
from cypherd.executor.rows import taken
from cypherd.planner.logical.operators import LogicalRelationshipByIdSeek


@dataclass(slots=True, kw_only=True)
class RelationshipByIdSeek(Operator):
    source: Operator
    names: tuple[str, str, str]
    ids: Expression
    directed: bool
    strict: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        transaction = context.transaction
        for batch in self.source.batches(context, argument):
            rows, ids = wanted_ids(self.ids(batch, context))
            there: BoolArray = ids >= 0
            there[there] = transaction.relationships_exist(ids[there])
            if self.strict and not there.all():
                missing = int(ids[int(np.argmin(there))])
                raise EntityNotFound(f"There is no relationship with id {missing}")
            found = transaction.endpoints(ids[there])
            rows, columns = relationship_columns(
                self.names, rows[there], (ids[there], found.start, found.end), self.directed
            )
            yield from taken(batch, rows, columns, context.batch_size)


def map_relationship_by_id_seek(
    plan: LogicalRelationshipByIdSeek, number: int, mapping: Mapping
) -> Operator:
    return RelationshipByIdSeek(
        number=number,
        source=mapping.map(plan.source),
        names=(plan.relationship, plan.start, plan.end),
        ids=compile_expression(plan.ids),
        directed=plan.directed,
        strict=plan.strict,
    )
