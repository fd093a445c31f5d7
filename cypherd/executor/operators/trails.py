"""Paths between two nodes in order of length, each relationship at most once: what is left to look
at when no shortest path fulfils a predicate on the whole path.

    level:  node (n)   walked (n, depth) relationship ids   nodes (n, depth + 1)

A level holds every path of its length that begins at the start, so levels may grow without bound:
what they hold is accounted for, and the guard is asked between their pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.memory import Holding
from cypherd.executor.operators.step_filter import StepFilter
from cypherd.planner.logical.operators import Direction

FoundPath = tuple[list[int], list[int]]
_PIECE = 1024


class Level(NamedTuple):
    nodes: IntArray
    walked: IntArray

    def to(self, end: int) -> list[FoundPath]:
        """(nodes, relationships) of those that lead to `end`."""
        there = self.nodes[:, -1] == end
        pairs = zip(self.nodes[there].tolist(), self.walked[there].tolist(), strict=True)
        return list(pairs)


def levels(
    context: ExecutionContext,
    start: int,
    direction: Direction,
    types: list[int] | None,
    steps: StepFilter | None,
    held: Holding,
) -> Iterator[Level]:
    """The paths of one relationship, of two, and so on, until there are none."""
    level = Level(np.array([[start]], dtype=np.int64), np.empty((1, 0), dtype=np.int64))
    while len(level.nodes):
        pieces = []
        for piece in _longer(context, level, direction, types, steps):
            held.add(piece.nodes.nbytes + piece.walked.nbytes)
            pieces.append(piece)
        if not pieces:
            return
        level = Level(
            np.concatenate([piece.nodes for piece in pieces]),
            np.concatenate([piece.walked for piece in pieces]),
        )
        yield level


def _longer(
    context: ExecutionContext,
    level: Level,
    direction: Direction,
    types: list[int] | None,
    steps: StepFilter | None,
) -> Iterator[Level]:
    for found in context.transaction.expand(level.nodes[:, -1], direction, types, _PIECE):
        context.guard.check()
        walked = level.walked[found.row]
        kept = np.flatnonzero((walked != found.relationship[:, None]).all(axis=1))
        if steps is not None:
            kept = kept[steps.keep(found.relationship[kept], found.neighbour[kept])]
        if len(kept):
            nodes = level.nodes[found.row[kept]]
            yield Level(
                np.column_stack((nodes, found.neighbour[kept])),
                np.column_stack((walked[kept], found.relationship[kept])),
            )
