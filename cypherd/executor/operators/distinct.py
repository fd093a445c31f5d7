"""Distinct: the first row of each combination of the variables, which are all that comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.grouping import Groups
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalDistinct


@dataclass(slots=True, kw_only=True)
class Distinct(Operator):
    source: Operator
    variables: tuple[str, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        if not self.variables:
            yield from self._first_row(context, argument)
            return
        groups = Groups()
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                chosen = batch.select(self.variables)
                _, fresh = groups.number(list(chosen.columns.values()))
                held.set(groups.nbytes)
                if len(fresh):
                    yield chosen.take(fresh)

    def _first_row(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        """Rows without columns are all the same row."""
        seen = False
        for _ in self.source.batches(context, argument):
            if not seen:
                seen = True
                yield Batch(1, {})


def map_distinct(plan: LogicalDistinct, number: int, mapping: Mapping) -> Operator:
    return Distinct(number=number, source=mapping.map(plan.source), variables=plan.variables)
