"""EagerAggregation: one row a group, with its keys and aggregates.

    rows  --number groups-->  group of each row  --add-->  one state a group  -->  rows

Without keys there is exactly one group, which is there even if no row comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch, Column, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.grouping import Groups
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import join_batches, pieces, zeros
from cypherd.functions.aggregates import make_aggregator
from cypherd.planner.logical.operators import LogicalEagerAggregation


@dataclass(slots=True, frozen=True, kw_only=True)
class CompiledAggregate:
    name: str
    function: str
    distinct: bool
    arguments: tuple[Expression, ...]


@dataclass(slots=True, kw_only=True)
class EagerAggregation(Operator):
    source: Operator
    keys: CompiledItems
    aggregates: tuple[CompiledAggregate, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        aggregators = [make_aggregator(a.function, a.distinct) for a in self.aggregates]
        groups = _KeyedGroups(self.keys)
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                numbers = groups.number(batch, context)
                for aggregate, aggregator in zip(self.aggregates, aggregators, strict=True):
                    values = [expression(batch, context) for expression in aggregate.arguments]
                    aggregator.add(numbers, groups.count, values)
                held.set(groups.nbytes + sum(a.nbytes() for a in aggregators))
            if not groups.count:
                return
            columns = groups.columns()
            for aggregate, aggregator in zip(self.aggregates, aggregators, strict=True):
                columns[aggregate.name] = aggregator.results(groups.count)
            yield from pieces(Batch(groups.count, columns), context.batch_size)


class _KeyedGroups:
    """Groups with the values of their keys."""

    def __init__(self, keys: CompiledItems) -> None:
        self.keys = keys
        self.groups = Groups()
        self.count = 0 if keys else 1
        self.values: list[Batch] = []
        self.values_nbytes = 0

    @property
    def nbytes(self) -> int:
        return self.groups.nbytes + self.values_nbytes

    def number(self, batch: Batch, context: ExecutionContext) -> IntArray:
        if not self.keys:
            return zeros(batch.length)
        columns = self.keys.columns(batch, context)
        numbers, fresh = self.groups.number(list(columns.values()))
        self.count = len(self.groups)
        if len(fresh):
            values = Batch(batch.length, columns).take(fresh)
            self.values.append(values)
            self.values_nbytes += batch_bytes(values)
        return numbers

    def columns(self) -> dict[str, Column]:
        return dict(join_batches(self.values).columns) if self.values else {}


def map_eager_aggregation(plan: LogicalEagerAggregation, number: int, mapping: Mapping) -> Operator:
    return EagerAggregation(
        number=number,
        source=mapping.map(plan.source),
        keys=compile_items(plan.keys),
        aggregates=tuple(
            CompiledAggregate(
                name=name,
                function=aggregate.function,
                distinct=aggregate.distinct,
                arguments=tuple(compile_expression(a) for a in aggregate.arguments),
            )
            for name, aggregate in plan.aggregates
        ),
    )
