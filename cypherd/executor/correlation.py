"""Inner plans: run for a whole batch of outer rows, or for one outer row at a time.

A plan of streaming operators passes hidden row numbers through, so it runs for a whole batch at
once. One that sorts, limits, aggregates or joins must do so for each outer row by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from cypherd.batch.columns import Batch, TypedColumn
from cypherd.planner.logical import operators as logical
from cypherd.planner.logical.walk import inner_plan, sources

_ONE_ROW_AT_A_TIME = (
    logical.LogicalDistinct,
    logical.LogicalEagerAggregation,
    logical.LogicalSort,
    logical.LogicalTop,
    logical.LogicalSkip,
    logical.LogicalLimit,
    logical.LogicalUnion,
    logical.LogicalCartesianProduct,
    logical.LogicalNodeHashJoin,
    logical.LogicalValueHashJoin,
)
_WRITES: TypeAlias = (
    logical.LogicalCreate | logical.LogicalMerge | logical.LogicalSet | logical.LogicalDelete
)


def spine(plan: logical.LogicalOperator) -> Iterator[logical.LogicalOperator]:
    """The operators of a plan, without those of inner plans."""
    waiting = [plan]
    while waiting:
        operator = waiting.pop()
        yield operator
        waiting.extend(sources(operator))


def one_row_at_a_time(inner: logical.LogicalOperator) -> bool:
    """Whether an inner plan mixes the rows it is called with."""
    return any(isinstance(operator, _ONE_ROW_AT_A_TIME) for operator in spine(inner))


def first_row_pays(inner: logical.LogicalOperator) -> bool:
    """Whether finding all rows may take far longer than finding one: worth stopping early."""
    slow = (
        logical.LogicalVarLengthExpand,
        logical.LogicalRepeat,
        logical.LogicalSelectPaths,
        logical.LogicalAllNodesScan,
        logical.LogicalNodeByLabelScan,
        logical.LogicalUnionNodeByLabelsScan,
        logical.LogicalRelationshipScan,
    )
    return any(isinstance(operator, slow) for operator in spine(inner))


def writes(plan: logical.LogicalOperator) -> int:
    """The number of operators that write, inner plans included."""
    count = 0
    for operator in spine(plan):
        count += isinstance(operator, _WRITES)
        inner = inner_plan(operator)
        if inner is not None:
            count += writes(inner)
    return count


def numbered(batch: Batch, name: str) -> Batch:
    """The batch with its row numbers as a hidden column."""
    return batch.with_columns({name: TypedColumn(np.arange(batch.length, dtype=np.int64))})
