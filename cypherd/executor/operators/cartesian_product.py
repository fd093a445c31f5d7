"""CartesianProduct: every row of the left with every row of the right, which is kept.

left (n) x right (m)  ->  n * m rows, left by left, in pieces
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import join_batches
from cypherd.planner.logical.operators import LogicalCartesianProduct


@dataclass(slots=True, kw_only=True)
class CartesianProduct(Operator):
    left: Operator
    right: Operator

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        with Holding(context.guard) as held:
            kept: list[Batch] = []
            for batch in self.right.batches(context, argument):
                held.add(batch_bytes(batch))
                kept.append(batch)
            if not kept:
                return
            right = join_batches(kept)
            for left in self.left.batches(context, argument):
                yield from _crossed(left, right, context.batch_size)


def _crossed(left: Batch, right: Batch, size: int) -> Iterator[Batch]:
    pairs = left.length * right.length
    for start in range(0, pairs, size):
        pair = np.arange(start, min(start + size, pairs), dtype=np.int64)
        yield left.take(pair // right.length).with_columns(right.take(pair % right.length).columns)


def map_cartesian_product(plan: LogicalCartesianProduct, number: int, mapping: Mapping) -> Operator:
    return CartesianProduct(
        number=number, left=mapping.map(plan.left), right=mapping.map(plan.right)
    )
