"""NodeByIdSeek: the nodes with given ids, for every row of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, IdColumn
from cypherd.errors import EntityNotFound
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.id_values import wanted_ids
from cypherd.executor.rows import taken
from cypherd.planner.logical.operators import LogicalNodeByIdSeek


@dataclass(slots=True, kw_only=True)
class NodeByIdSeek(Operator):
    source: Operator
    variable: str
    ids: Expression
    strict: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            rows, ids = wanted_ids(self.ids(batch, context))
            there: BoolArray = ids >= 0
            there[there] = context.transaction.nodes_exist(ids[there])
            if self.strict and not there.all():
                missing = int(ids[int(np.argmin(there))])
                raise EntityNotFound(f"There is no node with id {missing}")
            found = IdColumn("node", ids[there])
            yield from taken(batch, rows[there], {self.variable: found}, context.batch_size)


def map_node_by_id_seek(plan: LogicalNodeByIdSeek, number: int, mapping: Mapping) -> Operator:
    return NodeByIdSeek(
        number=number,
        source=mapping.map(plan.source),
        variable=plan.variable,
        ids=compile_expression(plan.ids),
        strict=plan.strict,
    )
