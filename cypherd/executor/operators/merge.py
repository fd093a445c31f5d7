"""Merge: for each row in turn what matches, or, if nothing does, what is created.

    row  --argument-->  match  --rows-->  ON MATCH
                               --none-->  create  -->  ON CREATE

Rows are taken one at a time, for a row must find what an earlier one created.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch, Column
from cypherd.executor.context import ExecutionContext
from cypherd.executor.creating import Creation, compile_creation
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import null_column, regrouped, single_rows, zeros
from cypherd.executor.setting import Changes, compile_changes
from cypherd.planner.logical.operators import LogicalMerge


@dataclass(slots=True, kw_only=True)
class Merge(Operator):
    source: Operator
    match: Operator
    creation: Creation
    on_create: Changes
    on_match: Changes

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            yield from regrouped(self._merged(context, batch), context.batch_size)

    def _merged(self, context: ExecutionContext, batch: Batch) -> Iterator[Batch]:
        with Holding(context.guard) as held:
            for row in single_rows(batch):
                context.guard.check()
                found: list[Batch] = []
                # All matches before the first change: ON MATCH must not disturb the search.
                for rows in self.match.batches(context, row):
                    held.add(batch_bytes(rows))
                    found.append(self._columns(row, rows))
                for rows in found:
                    self.on_match.apply(context, rows)
                if not found:
                    found.append(self.creation.create(context, row))
                    self.on_create.apply(context, found[0])
                yield from found
                held.set(0)

    def _columns(self, row: Batch, found: Batch) -> Batch:
        """The columns of the row and of what is merged, in the order that a creation has."""
        columns: dict[str, Column] = {}
        for name, column in row.columns.items():
            inside = found.columns.get(name)
            columns[name] = column.take(zeros(found.length)) if inside is None else inside
        for name in self.creation.variables:
            inside = found.columns.get(name)
            columns[name] = null_column(found.length) if inside is None else inside
        return Batch(found.length, columns)


def map_merge(plan: LogicalMerge, number: int, mapping: Mapping) -> Operator:
    return Merge(
        number=number,
        source=mapping.map(plan.source),
        match=mapping.map(plan.match),
        creation=compile_creation(plan.nodes, plan.relationships, nulls_refused=True),
        on_create=compile_changes(plan.on_create),
        on_match=compile_changes(plan.on_match),
    )
