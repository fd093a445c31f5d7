"""Sort: all rows, then in order. Top: the first few of that order, never holding many more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.binder.expressions import BoundExpression
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import writes
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.row_count import row_count
from cypherd.executor.rows import join_batches
from cypherd.executor.sorting import sorted_rows
from cypherd.planner.logical.operators import LogicalSort, LogicalTop

_KEY = "#sort"
_TOP_SLACK = 4096


@dataclass(slots=True, frozen=True)
class SortKeys:
    """The compiled keys of a sort; they travel with the rows as hidden columns."""

    expressions: tuple[Expression, ...]
    ascending: tuple[bool, ...]

    def attach(self, batch: Batch, context: ExecutionContext) -> Batch:
        return batch.with_columns(
            {f"{_KEY}{i}": key(batch, context) for i, key in enumerate(self.expressions)}
        )

    def ordered(
        self, rows: list[Batch], context: ExecutionContext, limit: int | None = None
    ) -> Iterator[Batch]:
        """The rows in order, keys still attached, in batches; at most `limit` of them."""
        if not rows:
            return
        whole = join_batches(rows)
        keys = [whole.columns[f"{_KEY}{i}"] for i in range(len(self.expressions))]
        order = sorted_rows(keys, self.ascending, context.guard)[:limit]
        for start in range(0, len(order), context.batch_size):
            yield whole.take(order[start : start + context.batch_size])

    def detach(self, batch: Batch) -> Batch:
        keys = {f"{_KEY}{i}" for i in range(len(self.expressions))}
        kept = {name: c for name, c in batch.columns.items() if name not in keys}
        return Batch(batch.length, kept)


@dataclass(slots=True, kw_only=True)
class Sort(Operator):
    source: Operator
    keys: SortKeys

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        rows: list[Batch] = []
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                keyed = self.keys.attach(batch, context)
                held.add(batch_bytes(keyed))
                rows.append(keyed)
            for batch in self.keys.ordered(rows, context):
                yield self.keys.detach(batch)


@dataclass(slots=True, kw_only=True)
class Top(Operator):
    source: Operator
    keys: SortKeys
    limit: Expression
    to_the_end: bool
    """The source writes: it is run even if no row of it is wanted."""

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        limit = row_count(self.limit, context, "LIMIT")
        if limit == 0 and not self.to_the_end:
            return
        most = limit + max(limit, _TOP_SLACK)
        rows: list[Batch] = []
        length = 0
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                keyed = self.keys.attach(batch, context)
                held.add(batch_bytes(keyed))
                rows.append(keyed)
                length += batch.length
                if length > most:
                    rows = list(self.keys.ordered(rows, context, limit))
                    length = limit
                    held.set(sum(map(batch_bytes, rows)))
            for batch in self.keys.ordered(rows, context, limit):
                yield self.keys.detach(batch)


def compile_sort_keys(keys: tuple[tuple[BoundExpression, bool], ...]) -> SortKeys:
    return SortKeys(
        tuple(compile_expression(expression) for expression, _ in keys),
        tuple(ascending for _, ascending in keys),
    )


def map_sort(plan: LogicalSort, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Sort(number=number, source=source, keys=compile_sort_keys(plan.keys))


def map_top(plan: LogicalTop, number: int, mapping: Mapping) -> Operator:
    return Top(
        number=number,
        source=mapping.map(plan.source),
        keys=compile_sort_keys(plan.keys),
        limit=compile_expression(plan.limit),
        to_the_end=writes(plan.source) > 0,
    )
