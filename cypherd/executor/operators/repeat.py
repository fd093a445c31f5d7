"""Repeat: paths that go several times through a part with a plan of its own.

    source rows (start)  ->  one row a path: end, the list of all relationships, and a list for
                             each variable of the part

Paths are walked depth first in pieces, as VarLengthExpand does: a stack holds one run of the inner
plan a depth, so memory is bounded by depth times batch size, and the guard is asked in between.

    piece of paths:  row (n)   node (n)   walked (n, depth * w)   found (n, depth * c)

with w relationships in the part and c variables that are wanted of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import Batch, Column, IdColumn, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.operators.path_parts import PathPart, map_part
from cypherd.executor.rows import entity_ids, join_batches, pieces, single_rows
from cypherd.planner.logical.operators import LogicalRepeat
from cypherd.values.graph import NodeRef, RelationshipRef

_TOGETHER_PIECES = 64
_TOGETHER_BATCHES = 4


class _Paths(NamedTuple):
    row: IntArray
    node: IntArray
    walked: IntArray
    found: IntArray

    def at(self, positions: IntArray) -> _Paths:
        return _Paths(*(values[positions] for values in self))


@dataclass(slots=True, kw_only=True)
class Repeat(Operator):
    source: Operator
    plan: LogicalRepeat
    part: PathPart
    listed: tuple[bool, ...]
    """Which of the part's lists anything reads."""
    walked: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            together = self._together(context, batch) if batch.length > 1 else None
            if together is not None:
                yield from together
                continue
            for row in single_rows(batch):
                for paths in self._walk(context, row):
                    if len(paths.row):
                        yield self._columns(row, paths)

    def _together(self, context: ExecutionContext, batch: Batch) -> list[Batch] | None:
        """All paths of the batch in order of rows, or None if there are too many for that."""
        found: list[Batch] = []
        rows: list[IntArray] = []
        length = 0
        for walked, paths in enumerate(self._walk(context, batch)):
            if len(paths.row):
                found.append(self._columns(batch, paths))
                rows.append(paths.row)
            length += len(paths.row)
            if walked >= _TOGETHER_PIECES or length > _TOGETHER_BATCHES * context.batch_size:
                return None
        if not found:
            return []
        order = np.argsort(np.concatenate(rows), kind="stable")
        return list(pieces(join_batches(found).take(order), context.batch_size))

    def _walk(self, context: ExecutionContext, batch: Batch) -> Iterator[_Paths]:
        """Pieces of the paths of all rows of the batch; empty pieces while walking on."""
        plan = self.plan
        targets = entity_ids(batch.columns[plan.end], "node") if plan.into else None
        beginning = _beginning(entity_ids(batch.columns[plan.start], "node"), targets)
        stack: list[tuple[int, Iterator[_Paths]]] = [(0, iter((beginning,)))]
        while stack:
            times, walk = stack[-1]
            paths = next(walk, None)
            if paths is None:
                stack.pop()
                continue
            context.guard.check()
            if times >= plan.minimum:
                ending = paths
                if targets is not None:
                    ending = paths.at(np.flatnonzero(paths.node == targets[paths.row]))
                yield ending
            if len(paths.row) and (plan.maximum is None or times < plan.maximum):
                stack.append((times + 1, self._longer(context, batch, paths)))

    def _longer(self, context: ExecutionContext, batch: Batch, paths: _Paths) -> Iterator[_Paths]:
        """The paths that go through the part once more, in bounded pieces."""
        for more in self.part.passages(context, batch, paths.row, paths.node):
            context.guard.check()
            walked = paths.walked[more.position]
            same = walked[:, :, None] == more.relationships[:, None, :]
            fresh = np.flatnonzero(~same.any(axis=(1, 2)))
            position = more.position[fresh]
            yield _Paths(
                paths.row[position],
                more.node[fresh],
                np.column_stack((walked[fresh], more.relationships[fresh])),
                np.column_stack((paths.found[position], more.found[fresh])),
            )

    def _columns(self, batch: Batch, paths: _Paths) -> Batch:
        plan = self.plan
        added: dict[str, Column] = {}
        if not plan.into:
            added[plan.end] = IdColumn("node", paths.node)
        width = len(self.part.columns)
        for number, (name, kind) in enumerate(self.part.columns):
            if self.listed[number]:
                make = NodeRef if kind == "node" else RelationshipRef
                ids = paths.found[:, number::width]
                if plan.reverse:
                    ids = ids[:, ::-1]
                added[name] = ObjectColumn([[make(i) for i in row] for row in ids.tolist()])
        if self.walked:
            added[plan.walked] = ObjectColumn(
                [[RelationshipRef(i) for i in row] for row in self._in_text_order(paths.walked)]
            )
        return batch.take(paths.row).with_columns(added)

    def _in_text_order(self, walked: IntArray) -> list[list[int]]:
        if self.plan.reverse:
            width = len(self.plan.relationships)
            times = walked.reshape(len(walked), walked.shape[1] // width, width)
            walked = times[:, ::-1].reshape(walked.shape)
        rows: list[list[int]] = walked.tolist()
        return rows


def _beginning(starts: IntArray, targets: IntArray | None) -> _Paths:
    there = starts >= 0
    if targets is not None:
        there &= targets >= 0
    rows = np.flatnonzero(there)
    nothing = np.empty((len(rows), 0), dtype=np.int64)
    return _Paths(rows, starts[rows], nothing, nothing)


def map_repeat(plan: LogicalRepeat, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    return Repeat(
        number=number,
        source=source,
        plan=plan,
        part=map_part(plan, number, mapping),
        listed=tuple(name in mapping.used for name, _ in plan.columns),
        walked=plan.walked in mapping.used,
    )
