"""Project: exactly the items, under their names. Extend: the items added to what is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import hidden_columns
from cypherd.planner.logical.operators import Items, LogicalExtend, LogicalProject

CompiledItems = tuple[tuple[str, Expression], ...]


@dataclass(slots=True, kw_only=True)
class Project(Operator):
    source: Operator
    items: CompiledItems

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        items = self.items
        for batch in self.source.batches(context, argument):
            columns = {name: expression(batch, context) for name, expression in items}
            columns.update(hidden_columns(batch))
            yield Batch(batch.length, columns)


@dataclass(slots=True, kw_only=True)
class Extend(Operator):
    source: Operator
    items: CompiledItems

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        items = self.items
        for batch in self.source.batches(context, argument):
            yield batch.with_columns({name: item(batch, context) for name, item in items})


def compile_items(items: Items) -> CompiledItems:
    return tuple((name, compile_expression(expression)) for name, expression in items)


def map_project(plan: LogicalProject, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Project(number=number, source=source, items=compile_items(plan.items))


def map_extend(plan: LogicalExtend, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Extend(number=number, source=source, items=compile_items(plan.items))
