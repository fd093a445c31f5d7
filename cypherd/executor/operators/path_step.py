"""PathStep: a step of the paths that SelectPaths looks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.executor.context import ExecutionContext, OperatorProfile
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.path_parts import PathPart, map_part
from cypherd.executor.rows import zeros
from cypherd.planner.logical.operators import LogicalPathStep


class Move(NamedTuple):
    """Once through a step: where it led, over what, and what its columns found."""

    step: int
    node: int
    relationships: tuple[int, ...]
    found: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class PathStep(Operator):
    """A step of SelectPaths, which asks it for moves; it gives no rows by itself."""

    source: Operator
    plan: LogicalPathStep
    part: PathPart

    def moves(
        self, context: ExecutionContext, row: Batch, step: int, nodes: list[int]
    ) -> Iterator[tuple[int, Move]]:
        """(place in `nodes`, move) of all that lead on from the nodes."""
        asked = np.array(nodes, dtype=np.int64)
        for more in self.part.passages(context, row, zeros(len(nodes)), asked):
            context.guard.check()
            if context.profile is not None:
                mine = context.profile.setdefault(self.number, OperatorProfile())
                mine.rows += len(more.position)
            for position, node, relationships, found in zip(
                more.position.tolist(),
                more.node.tolist(),
                more.relationships.tolist(),
                more.found.tolist(),
                strict=True,
            ):
                yield position, Move(step, node, tuple(relationships), tuple(found))


def map_path_step(plan: LogicalPathStep, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return PathStep(number=number, source=source, plan=plan, part=map_part(plan, number, mapping))
