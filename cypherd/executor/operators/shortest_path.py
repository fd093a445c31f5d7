"""ShortestPath: the shortest path, or all of the shortest, between two bound nodes.

Breadth first from both ends, always the smaller frontier, a level at a time, until the two meet.
At the first meeting every shortest path runs through a node that is on both newest levels, so
joining the steps that lead there from either side gives each path once.

    level:  frontier ids  --expand-->  node -> the steps (previous node, relationship) into it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cypherd.batch.columns import Batch, Column, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.property_filter import PropertyFilter
from cypherd.executor.rows import entity_ids, single_rows, taken, zeros
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import Direction, LogicalShortestPath
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

Steps: TypeAlias = dict[int, list[tuple[int, int]]]
FoundPath: TypeAlias = tuple[list[int], list[int]]

_STEP_BYTES = 250
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
        self.types = type_tokens(context.transaction.schema, plan.types)
        self.filter = (
            PropertyFilter(operator.properties, row, context) if operator.properties else None
        )

    def paths(self, start: int, end: int) -> Iterator[FoundPath]:
        """(nodes, relationships) of each shortest path from start to end."""
        forward: Steps = {start: []}
        backward: Steps = {end: []}
        front, back = [start], [end]
        depth = 0
        while front and back and (self.longest is None or depth < self.longest):
            depth += 1
            if len(front) <= len(back):
                front = self._level(front, forward, self.direction)
                meeting = [node for node in front if node in backward]
            else:
                back = self._level(back, backward, _TURNED[self.direction])
                meeting = [node for node in back if node in forward]
            if meeting:
                yield from self._joined(meeting, forward, backward)
                return

    def _level(self, frontier: list[int], steps: Steps, direction: Direction) -> list[int]:
        """Take one step from every node of the frontier; the nodes not met before."""
        if self.types == []:
            return []
        fresh: Steps = {}
        nodes: IntArray = np.array(frontier, dtype=np.int64)
        transaction, size = self.context.transaction, max(self.context.batch_size, 256)
        for found in transaction.expand(nodes, direction, self.types, size):
            self.context.guard.check()
            self.held.add(_STEP_BYTES * len(found.row))
            before = nodes[found.row]
            relationship, after = found.relationship, found.neighbour
            if self.filter is not None:
                kept = self.filter.keep(transaction, zeros(len(before)), relationship)
                before, relationship, after = before[kept], relationship[kept], after[kept]
            steps_found = zip(before.tolist(), relationship.tolist(), after.tolist(), strict=True)
            for previous, via, node in steps_found:
                if node not in steps:
                    fresh.setdefault(node, []).append((previous, via))
        steps.update(fresh)
        return list(fresh)

    def _joined(self, meeting: list[int], forward: Steps, backward: Steps) -> Iterator[FoundPath]:
        for node in meeting:
            for nodes, relationships in _ways(node, forward):
                for back_nodes, back_relationships in _ways(node, backward):
                    self.context.guard.check()
                    yield (
                        nodes[::-1] + back_nodes[1:],
                        relationships[::-1] + back_relationships,
                    )


def _ways(node: int, steps: Steps) -> Iterator[FoundPath]:
    """Every way from `node` along steps to where the search began."""
    waiting: list[FoundPath] = [([node], [])]
    while waiting:
        nodes, relationships = waiting.pop()
        further = steps[nodes[-1]]
        if not further:
            yield nodes, relationships
            continue
        waiting.extend(
            ([*nodes, previous], [*relationships, via]) for previous, via in reversed(further)
        )


def map_shortest_path(plan: LogicalShortestPath, number: int, mapping: Mapping) -> Operator:
    return ShortestPath(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        properties=compile_items(plan.properties),
    )
