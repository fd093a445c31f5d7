"""ShortestPath: the shortest path, or all of the shortest, between two bound nodes.

Breadth first from both ends, always the smaller frontier, a level at a time, until the two meet.
At the first meeting every shortest path runs through a node that is on both newest levels, so
joining the steps that lead there from either side gives each path once. Where one path is enough,
the level that meets the other side is not finished.

    level:  frontier ids  --expand-->  steps (node before, relationship, node after), as arrays,
                                       without those to nodes met on an earlier level

Predicates on the path are part of the search: what they ask of each relationship and node narrows
the steps, and a path that fulfils them all is wanted. Where no shortest path does, longer ones are
tried in order of length (trails.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, Column, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_predicate
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Mapping, Operator, Predicate
from cypherd.executor.operators.step_filter import StepConditions, step_conditions
from cypherd.executor.operators.trails import FoundPath, levels
from cypherd.executor.rows import entity_ids, single_rows, taken, zeros
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import Direction, LogicalShortestPath
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

_STEP_BYTES = 40
_PIECE = 1024
"""Steps asked for at once."""
_NO_STEPS: IntArray = np.empty((3, 0), dtype=np.int64)

_TURNED: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}


@dataclass(slots=True, kw_only=True)
class ShortestPath(Operator):
    source: Operator
    plan: LogicalShortestPath
    conditions: StepConditions
    predicates: tuple[Predicate, ...]

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
                yield from self._kept(context, row, [([start], [])])
            return
        with Holding(context.guard) as held:
            search = _Search(self, context, row, held)
            found, length = False, 0
            size = context.batch_size if search.all else 1
            for paths in _in_pieces(search.paths(start, end), size):
                length = len(paths[0][1])
                for batch in self._kept(context, row, paths):
                    found = True
                    yield batch
                    if not plan.all:
                        return
            if length and not found and self._may_be_longer():
                yield from self._longer(context, row, search, (start, end), length)

    def _may_be_longer(self) -> bool:
        """Does a predicate ask more than that each step fulfils something? What the steps alone
        decide, the shortest path fulfils, or none does."""
        plan = self.plan
        return len(plan.predicates) > len(plan.each_relationship) + len(plan.each_node)

    def _longer(
        self,
        context: ExecutionContext,
        row: Batch,
        search: _Search,
        ends: tuple[int, int],
        length: int,
    ) -> Iterator[Batch]:
        """The shortest of the paths longer than `length` that fulfil the predicates."""
        start, end = ends
        walk = levels(
            context, start, search.direction, search.types, search.steps_kept, search.held
        )
        for depth, level in enumerate(walk, 1):
            if search.longest is not None and depth > search.longest:
                return
            found = False
            paths = level.to(end) if depth > length else []
            for piece in _in_pieces(iter(paths), context.batch_size):
                for batch in self._kept(context, row, piece):
                    found = True
                    yield batch
                    if not self.plan.all:
                        return
            if found:
                return

    def _kept(
        self, context: ExecutionContext, row: Batch, paths: list[FoundPath]
    ) -> Iterator[Batch]:
        """Those that fulfil the predicates; one, where one is enough."""
        batch = self._columns(row, paths)
        for predicate in self.predicates:
            batch = batch.take(predicate(batch, context))
        if batch.length:
            yield batch if self.plan.all else batch.take(zeros(1))

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


def _in_pieces(paths: Iterator[FoundPath], size: int) -> Iterator[list[FoundPath]]:
    while piece := list(islice(paths, size)):
        yield piece


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
        # One that fulfils the predicates may be any of the shortest.
        self.all = plan.all or bool(plan.predicates)
        self.types = type_tokens(context.transaction.schema, plan.types)
        self.steps_kept = operator.conditions.of(row, context)

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
            if self.steps_kept is not None:
                steps = steps[:, self.steps_kept.keep(found.relationship, found.neighbour)]
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
        conditions=step_conditions(plan),
        predicates=tuple(map(compile_predicate, plan.predicates)),
    )
