"""Unwind: a row for each element of a list.

Short lists of several rows come together in one batch; a long list comes in pieces, and what
`range()` made is never unfolded whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, Column, IntArray, TypedColumn
from cypherd.executor.columns_of import column_of
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.planner.logical.operators import LogicalUnwind
from cypherd.values.lists import is_list


@dataclass(slots=True, kw_only=True)
class Unwind(Operator):
    source: Operator
    expression: Expression
    variable: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            lists = self.expression(batch, context).to_list()
            for rows, column in unwound(lists, context.batch_size):
                yield batch.take(rows).with_columns({self.variable: column})


def unwound(lists: list[Any], size: int) -> Iterator[tuple[IntArray, Column]]:
    """(row numbers, elements) of the lists, `size` at a time; null gives nothing, and a value
    that is no list gives itself."""
    rows: list[int] = []
    values: list[Any] = []
    for row, value in enumerate(lists):
        if value is None:
            continue
        items = value if is_list(value) else [value]
        start = 0
        while part := items[start : start + size]:
            start += size
            if len(values) + len(part) > size:
                yield np.array(rows, dtype=np.int64), column_of(values)
                rows, values = [], []
            if isinstance(part, range) and len(part) == size:
                yield np.full(size, row, dtype=np.int64), _counted(part)
            else:
                rows.extend([row] * len(part))
                values.extend(part)
    if values:
        yield np.array(rows, dtype=np.int64), column_of(values)


def _counted(part: range) -> TypedColumn:
    # Not arange(start, stop, step): the stop behind the greatest integer has no 64 bits.
    return TypedColumn(part.start + part.step * np.arange(len(part), dtype=np.int64))


def map_unwind(plan: LogicalUnwind, number: int, mapping: Mapping) -> Operator:
    return Unwind(
        number=number,
        source=mapping.map(plan.source),
        expression=compile_expression(plan.expression),
        variable=plan.variable,
    )
