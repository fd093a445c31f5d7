"""Project: exactly the items, under their names. Extend: the items added to what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import hidden_columns
from cypherd.planner.logical.operators import LogicalExtend, LogicalProject


@dataclass(slots=True, kw_only=True)
class Project(Operator):
    source: Operator
    items: CompiledItems

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        items = self.items
        for batch in self.source.batches(context, argument):
            columns = items.columns(batch, context)
            columns.update(hidden_columns(batch))
            yield Batch(batch.length, columns)


@dataclass(slots=True, kw_only=True)
class Extend(Operator):
    source: Operator
    items: CompiledItems

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        items = self.items
        for batch in self.source.batches(context, argument):
            yield batch.with_columns(items.columns(batch, context))


def map_project(plan: LogicalProject, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Project(number=number, source=source, items=compile_items(plan.items))


def map_extend(plan: LogicalExtend, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Extend(number=number, source=source, items=compile_items(plan.items))
