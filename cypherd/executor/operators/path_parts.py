"""A part of a path with a plan of its own, gone through once from each of many nodes.

nodes (n)  --argument-->  inner plan  -->  positions, nodes reached, relationships (m, w),
                                           ids of what its columns found (m, c)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import Batch, Column, EntityKind, IdColumn, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.correlation import spine
from cypherd.executor.operator import Mapping
from cypherd.executor.operators.correlated import InnerPlan, map_inner
from cypherd.executor.rows import entity_ids
from cypherd.planner.logical.operators import (
    LogicalArgument,
    LogicalPathStep,
    LogicalRepeat,
)


class Passages(NamedTuple):
    """`position`: of the node that each began at. `node`: where it ended."""

    position: IntArray
    node: IntArray
    relationships: IntArray
    found: IntArray


@dataclass(slots=True, frozen=True, kw_only=True)
class PathPart:
    """`columns`: (column outside, its kind); their ids are in `Passages.found`, in this order."""

    inner: InnerPlan
    imports: tuple[str, ...]
    start: str
    end: str
    relationships: tuple[str, ...]
    variables: tuple[str, ...]
    columns: tuple[tuple[str, EntityKind], ...]

    def passages(
        self, context: ExecutionContext, outer: Batch, rows: IntArray, nodes: IntArray
    ) -> Iterator[Passages]:
        """From each of the nodes, in their order; `rows` are their rows in `outer`."""
        columns: dict[str, Column] = {name: outer.columns[name].take(rows) for name in self.imports}
        columns[self.start] = IdColumn("node", nodes)
        for positions, batch in self.inner.run(context, Batch(len(nodes), columns)):
            yield Passages(
                positions,
                entity_ids(batch.columns[self.end], "node"),
                self._ids(batch, self.relationships, len(positions)),
                self._ids(batch, self.variables, len(positions)),
            )

    def _ids(self, batch: Batch, names: tuple[str, ...], length: int) -> IntArray:
        if not names:
            return np.empty((length, 0), dtype=np.int64)
        return np.column_stack(
            [entity_ids(batch.columns[name], self._kind(name)) for name in names]
        )

    def _kind(self, name: str) -> EntityKind:
        return "relationship" if name in self.relationships else "node"


def map_part(plan: LogicalRepeat | LogicalPathStep, number: int, mapping: Mapping) -> PathPart:
    arguments = [o for o in spine(plan.inner) if isinstance(o, LogicalArgument)]
    imports = {name for argument in arguments for name in argument.variables}
    columns: list[tuple[str, EntityKind]] = [
        (column, "relationship" if name in plan.relationships else "node")
        for column, name in plan.columns
    ]
    return PathPart(
        inner=map_inner(plan.inner, number, mapping),
        imports=tuple(sorted(imports - {plan.inner_start})),
        start=plan.inner_start,
        end=plan.inner_end,
        relationships=plan.relationships,
        variables=tuple(name for _, name in plan.columns),
        columns=tuple(columns),
    )
