"""Argument: the rows that the plan was called with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.planner.logical.operators import LogicalArgument


@dataclass(slots=True, kw_only=True)
class Argument(Operator):
    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        yield argument


def map_argument(plan: LogicalArgument, number: int, mapping: Mapping) -> Operator:
    return Argument(number=number)
