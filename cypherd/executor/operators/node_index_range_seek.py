"""NodeIndexRangeSeek: nodes whose indexed property lies between the row's bounds, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from cypherd.batch.columns import Batch
from cypherd.binder.expressions import And, BoundExpression, Call, Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.node_index_seek import filtered_scan
from cypherd.executor.operators.scanning import scanned
from cypherd.executor.rows import single_rows
from cypherd.executor.tokens import find_index
from cypherd.planner.logical.operators import LogicalNodeIndexRangeSeek


@dataclass(slots=True, kw_only=True)
class NodeIndexRangeSeek(Operator):
    source: Operator
    plan: LogicalNodeIndexRangeSeek
    low: Expression | None
    high: Expression | None

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        size = context.batch_size
        for batch in self.source.batches(context, argument):
            index = find_index(context.transaction.schema, "node", plan.label, (plan.property,))
            if index is None:
                whole = filtered_scan(plan.variable, plan.label, _predicate(plan))
                yield from whole.batches(context, batch)
                continue
            lows = _bounds(self.low, batch, context)
            highs = _bounds(self.high, batch, context)
            for row, low, high in zip(single_rows(batch), lows, highs, strict=True):
                if _null(self.low, low) or _null(self.high, high):
                    continue
                scan = partial(
                    context.transaction.index_range,
                    index,
                    low,
                    plan.low_inclusive,
                    high,
                    plan.high_inclusive,
                    size,
                )
                yield from scanned(row, plan.variable, scan, size)


def _bounds(bound: Expression | None, batch: Batch, context: ExecutionContext) -> list[Any]:
    return [None] * batch.length if bound is None else bound(batch, context).to_list()


def _null(bound: Expression | None, value: Any) -> bool:
    """A bound that is null compares with nothing; one that was not written is open."""
    return bound is not None and value is None


def _predicate(plan: LogicalNodeIndexRangeSeek) -> BoundExpression:
    value = Property(Variable(plan.variable), plan.property)
    parts = []
    if plan.low is not None:
        parts.append(Call(">=" if plan.low_inclusive else ">", (value, plan.low)))
    if plan.high is not None:
        parts.append(Call("<=" if plan.high_inclusive else "<", (value, plan.high)))
    return And(tuple(parts))


def map_node_index_range_seek(
    plan: LogicalNodeIndexRangeSeek, number: int, mapping: Mapping
) -> Operator:
    return NodeIndexRangeSeek(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        low=None if plan.low is None else compile_expression(plan.low),
        high=None if plan.high is None else compile_expression(plan.high),
    )
