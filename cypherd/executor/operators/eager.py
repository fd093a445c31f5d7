"""Eager: every row of the source before the first comes out. EmptyResult: none comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalEager, LogicalEmptyResult


@dataclass(slots=True, kw_only=True)
class Eager(Operator):
    source: Operator

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        rows: list[Batch] = []
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                held.add(batch_bytes(batch))
                rows.append(batch)
            yield from rows


@dataclass(slots=True, kw_only=True)
class EmptyResult(Operator):
    source: Operator

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for _ in self.source.batches(context, argument):
            continue
        yield from ()


def map_eager(plan: LogicalEager, number: int, mapping: Mapping) -> Operator:
    return Eager(number=number, source=mapping.map(plan.source))


def map_empty_result(plan: LogicalEmptyResult, number: int, mapping: Mapping) -> Operator:
    return EmptyResult(number=number, source=mapping.map(plan.source))
