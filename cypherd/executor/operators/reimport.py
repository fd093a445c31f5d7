"""Reimport: columns of the one row that an inner plan is run for, on every row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.errors import InternalError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import zeros
from cypherd.planner.logical.operators import LogicalReimport


@dataclass(slots=True, kw_only=True)
class Reimport(Operator):
    source: Operator
    variables: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        # An aggregation stands below, for which inner plans run row by row.
        if argument.length != 1:
            raise InternalError("an inner plan that aggregates was run for several rows")
        row = argument.select(self.variables)
        for batch in self.source.batches(context, argument):
            yield batch.with_columns(row.take(zeros(batch.length)).columns)


def map_reimport(plan: LogicalReimport, number: int, mapping: Mapping) -> Operator:
    return Reimport(number=number, source=mapping.map(plan.source), variables=plan.variables)
