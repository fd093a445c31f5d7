"""ShortestPath: the shortest path, or all of the shortest, between two bound nodes.

Breadth first from both ends, always the smaller frontier, a level at a time, until the two meet.
At the first meeting every shortest path runs through a node that is on both newest levels, so
joining the steps that lead there from either side gives each path once. Where one path is enough,
the level that meets the other side is not finished.

    level:  frontier ids  --expand-->  steps (node before, relationship, node after), as arrays,
                                       without those to nodes met on an earlier level
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, Column, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.property_filter import PropertyFilter
from cypherd.executor.rows import entity_ids, single_rows, taken, zeros
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import Direction, LogicalShortestPath
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

FoundPath: TypeAlias = tuple[list[int], list[int]]

_STEP_BYTES = 40
_PIECE = 1024
"""Steps asked for at once."""
_NO_STEPS: IntArray = np.empty((3, 0), dtype=np.int64)

_TURNED: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}


@dataclass(slots=True, kw_only=True)
class ShortestPath(Operator):
    source: Operator
    plan: LogicalShortestPath
    properties: CompiledItems

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        for batch in self.source.batches(context, argument):
            for row in single_rows(batch):
                start = int(entity_ids(row.columns[plan.start], "node")[0])
                end = int(entity_ids(row.columns[plan.end], "node")[0])
                if start >= 0 and end >= 0:
                    yield from self._found(context, row, start, end)

    def _found(
        self, context: ExecutionContext, row: Batch, start: int, end: int
    ) -> Iterator[Batch]:
        plan = self.plan
        if start == end:
            if plan.minimum == 0:
                yield self._columns(row, [([start], [])])
            return
        with Holding(context.guard) as held:
            search = _Search(self, context, row, held)
            paths: list[FoundPath] = []
            for path in search.paths(start, end):
                paths.append(path)
                if len(paths) >= context.batch_size:
                    yield self._columns(row, paths)
                    paths = []
                if not plan.all:
                    break
            if paths:
                yield self._columns(row, paths)

    def _columns(self, row: Batch, paths: list[FoundPath]) -> Batch:
        lists = [[RelationshipRef(i) for i in relationships] for _, relationships in paths]
        added: dict[str, Column] = {self.plan.relationships: ObjectColumn(lists)}
        if self.plan.path is not None:
            added[self.plan.path] = ObjectColumn(
                [
                    PathRef(tuple(map(NodeRef, nodes)), tuple(relationships))
                    for (nodes, _), relationships in zip(paths, lists, strict=True)
                ]
            )
        [batch] = taken(row, zeros(len(paths)), added, len(paths))
        return batch


class _Side:
    """One end of a search: the nodes met, the newest level, and the steps that led to each."""

    def __init__(self, origin: int, direction: Direction) -> None:
        self.direction = direction
        self.met: IntArray = np.array([origin], dtype=np.int64)
        self.front = self.met
        self.levels: list[_Steps] = []

    def advance(self, steps: _Steps) -> None:
        self.levels.append(steps)
        after = steps.after
        last = np.ones(len(after), dtype=np.bool_)
        np.not_equal(after[1:], after[:-1], out=last[:-1])
        self.front = after[last]
        self.met = np.sort(np.concatenate([self.met, self.front]))

    def ways(self, node: int) -> Iterator[FoundPath]:
        """Every way from `node`, which is on the newest level, back to the origin."""
        waiting: list[FoundPath] = [([node], [])]
        while waiting:
            nodes, relationships = waiting.pop()
            level = len(self.levels) - len(relationships)
            if not level:
                yield nodes, relationships
                continue
            further = self.levels[level - 1].into(nodes[-1])
            waiting.extend(
                ([*nodes, previous], [*relationships, via]) for previous, via in reversed(further)
            )


@dataclass(slots=True, frozen=True)
class _Steps:
    """The steps of one level, ordered by the node that they lead to."""

    before: IntArray
    relationship: IntArray
    after: IntArray

    def into(self, node: int) -> list[tuple[int, int]]:
        """(node before, relationship) of the steps to `node`."""
        begin = int(np.searchsorted(self.after, node, "left"))
        end = int(np.searchsorted(self.after, node, "right"))
        steps = zip(
            self.before[begin:end].tolist(), self.relationship[begin:end].tolist(), strict=True
        )
        return list(steps)


class _Search:
    """One search between two nodes of one row."""

    def __init__(
        self, operator: ShortestPath, context: ExecutionContext, row: Batch, held: Holding
    ) -> None:
        plan = operator.plan
        self.context = context
        self.held = held
        self.direction = plan.direction
        self.longest = plan.maximum
        self.all = plan.all
        self.types = type_tokens(context.transaction.schema, plan.types)
        self.filter = (
            PropertyFilter(operator.properties, row, context) if operator.properties else None
        )

    def paths(self, start: int, end: int) -> Iterator[FoundPath]:
        """(nodes, relationships) of each shortest path from start to end."""
        forward, backward = _Side(start, self.direction), _Side(end, _TURNED[self.direction])
        depth = 0
        while self.longest is None or depth < self.longest:
            depth += 1
            ahead, other = forward, backward
            if len(backward.front) < len(forward.front):
                ahead, other = backward, forward
            steps, meeting = self._level(ahead, other)
            if not len(steps.after):
                return
            ahead.advance(steps)
            if len(meeting):
                yield from self._joined(meeting, forward, backward)
                return

    def _level(self, side: _Side, other: _Side) -> tuple[_Steps, IntArray]:
        """One step from every node of the side's front to nodes not met before, and those of
        them, in the order found, where it meets the other side's newest level."""
        pieces: list[IntArray] = []
        meeting: list[IntArray] = []
        for piece in self._steps(side):
            hits = np.flatnonzero(within(piece[2], other.front))
            if len(hits) and not self.all:
                one = piece[:, hits[:1]]
                return _Steps(*one), one[2]
            meeting.append(piece[2][hits])
            pieces.append(piece[:, ~within(piece[2], side.met)])
            self.held.add(_STEP_BYTES * pieces[-1].shape[1])
        found = np.concatenate(pieces, axis=1) if pieces else _NO_STEPS
        ordered = found[:, np.argsort(found[2], kind="stable")]
        met = dict.fromkeys(node for nodes in meeting for node in nodes.tolist())
        return _Steps(*ordered), np.array(list(met), dtype=np.int64)

    def _steps(self, side: _Side) -> Iterator[IntArray]:
        """Arrays of three rows: nodes before, relationships, nodes after."""
        if self.types == []:
            return
        transaction, guard = self.context.transaction, self.context.guard
        for found in transaction.expand(side.front, side.direction, self.types, _PIECE):
            guard.check()
            steps = np.stack([side.front[found.row], found.relationship, found.neighbour])
            if self.filter is not None:
                rows = zeros(len(found.row))
                steps = steps[:, self.filter.keep(transaction, rows, found.relationship)]
            yield steps

    def _joined(self, meeting: IntArray, forward: _Side, backward: _Side) -> Iterator[FoundPath]:
        for node in meeting.tolist():
            for nodes, relationships in forward.ways(node):
                for back_nodes, back_relationships in backward.ways(node):
                    self.context.guard.check()
                    yield (
                        nodes[::-1] + back_nodes[1:],
                        relationships[::-1] + back_relationships,
                    )


def within(values: IntArray, ordered: IntArray) -> BoolArray:
    """Which of `values` are among `ordered`, which is ascending and not empty."""
    places = np.searchsorted(ordered, values)
    places[places == len(ordered)] = 0
    found: BoolArray = ordered[places] == values
    return found


def map_shortest_path(plan: LogicalShortestPath, number: int, mapping: Mapping) -> Operator:
    return ShortestPath(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        properties=compile_items(plan.properties),
    )
