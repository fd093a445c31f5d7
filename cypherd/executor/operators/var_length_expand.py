"""VarLengthExpand: paths of minimum to maximum relationships, none of them twice in a path.

    source rows (start)  ->  one row a path: relationships (a list) and end added

Paths are walked depth first in pieces: a stack holds one expansion a depth, each of which gives
at most about batch_size paths at a time. So memory is bounded by depth times batch size however
many paths there are, and the guard is asked between the pieces. The starts of a batch are walked
together while that stays small (and the paths then sorted by row, for rows keep their order);
when it does not, each start is walked by itself.

    piece of paths:  row (n)   node (n)   walked (n, depth) relationship ids
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, Column, IdColumn, IntArray, ObjectColumn
from cypherd.executor.context import ExecutionContext, Guard
from cypherd.executor.evaluator import compile_predicate
from cypherd.executor.expressions.compiler import PATH_CHUNK
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.operator import Mapping, Operator, Predicate
from cypherd.executor.operators.property_filter import PropertyFilter
from cypherd.executor.rows import entity_ids, single_rows
from cypherd.executor.tokens import type_tokens
from cypherd.planner.logical.operators import LogicalVarLengthExpand
from cypherd.values.graph import RelationshipRef

_TOGETHER_PIECES = 64
_TOGETHER_BATCHES = 4
# Rows with lists of relationships are given on so many at a time. Freeing them, with what later
# operators make of them, cannot be interrupted; thousands took 3 ms.
_LISTED = 4 * PATH_CHUNK


class _Paths(NamedTuple):
    row: IntArray
    node: IntArray
    walked: IntArray


@dataclass(slots=True, kw_only=True)
class VarLengthExpand(Operator):
    source: Operator
    plan: LogicalVarLengthExpand
    properties: CompiledItems
    each: tuple[tuple[str, Predicate], ...]
    listed: bool
    """Whether anything reads the list of relationships."""

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            together = self._together(context, batch) if batch.length > 1 else None
            if together is not None:
                for paths in together:
                    yield from self._rows(context, batch, paths)
                continue
            for row in single_rows(batch):
                for paths in self._walk(context, row):
                    yield from self._rows(context, row, paths)

    def _together(self, context: ExecutionContext, batch: Batch) -> list[_Paths] | None:
        """All paths of the batch in order of rows, or None if there are too many for that."""
        found: list[_Paths] = []
        length = 0
        for pieces, paths in enumerate(self._walk(context, batch)):
            found.append(paths)
            length += len(paths.row)
            if pieces >= _TOGETHER_PIECES or length > _TOGETHER_BATCHES * context.batch_size:
                return None
        return _in_order(found, context.batch_size)

    def _walk(self, context: ExecutionContext, batch: Batch) -> Iterator[_Paths]:
        """Pieces of the paths of all rows of the batch; empty pieces while walking on."""
        plan = self.plan
        wanted = _Wanted(self, context, batch)
        stack: list[Iterator[_Paths]] = [iter((wanted.beginning(),))]
        while stack:
            paths = next(stack[-1], None)
            if paths is None:
                stack.pop()
                continue
            context.guard.check()
            depth = paths.walked.shape[1]
            yield wanted.ends(paths) if depth >= plan.minimum else _none(paths)
            if len(paths.row) and (plan.maximum is None or depth < plan.maximum):
                stack.append(wanted.longer(paths))

    def _rows(self, context: ExecutionContext, batch: Batch, paths: _Paths) -> Iterator[Batch]:
        length = len(paths.row)
        size = _LISTED if self._makes_lists else max(1, length)
        for start in range(0, length, size):
            part = paths if size >= length else _part(paths, slice(start, start + size))
            yield self._columns(context, batch, part)

    @property
    def _makes_lists(self) -> bool:
        return self.listed and not self.plan.bound

    def _columns(self, context: ExecutionContext, batch: Batch, paths: _Paths) -> Batch:
        plan = self.plan
        added: dict[str, Column] = {}
        if not plan.into:
            added[plan.end] = IdColumn("node", paths.node)
        if self._makes_lists:
            added[plan.relationships] = _lists(paths.walked, plan.reverse, context.guard)
        return batch.take(paths.row).with_columns(added)


class _Wanted:
    """What the rows of one batch ask of their paths."""

    def __init__(self, operator: VarLengthExpand, context: ExecutionContext, batch: Batch) -> None:
        plan = operator.plan
        self.plan = plan
        self.context = context
        self.batch = batch
        self.each = operator.each
        self.types = type_tokens(context.transaction.schema, plan.types)
        self.starts = entity_ids(batch.columns[plan.start], "node")
        self.targets = entity_ids(batch.columns[plan.end], "node") if plan.into else None
        self.bound = batch.columns[plan.relationships].to_list() if plan.bound else None
        self.filter = (
            PropertyFilter(operator.properties, batch, context) if operator.properties else None
        )

    def beginning(self) -> _Paths:
        there = self.starts >= 0
        if self.targets is not None:
            there &= self.targets >= 0
        rows = np.flatnonzero(there)
        return _Paths(rows, self.starts[rows], np.empty((len(rows), 0), dtype=np.int64))

    def ends(self, paths: _Paths) -> _Paths:
        """Those paths that may end where they are."""
        if self.targets is not None:
            paths = _part(paths, np.flatnonzero(paths.node == self.targets[paths.row]))
        if self.bound is None:
            return paths
        lists = _lists(paths.walked, self.plan.reverse, self.context.guard).values
        bound = self.bound
        equal = [
            position
            for position, row in enumerate(paths.row.tolist())
            if bound[row] == lists[position]
        ]
        return _part(paths, np.array(equal, dtype=np.int64))

    def longer(self, paths: _Paths) -> Iterator[_Paths]:
        """The paths with one more relationship, in bounded pieces."""
        if self.types == []:
            return
        transaction = self.context.transaction
        pieces = transaction.expand(
            paths.node, self.plan.direction, self.types, self.context.batch_size
        )
        for found in pieces:
            walked = paths.walked[found.row]
            fresh = (walked != found.relationship[:, None]).all(axis=1)
            rows = paths.row[found.row]
            if self.filter is not None:
                fresh &= self.filter.keep(transaction, rows, found.relationship)
            fresh = self._fulfilled(fresh, rows, found.relationship)
            longer = np.column_stack((walked[fresh], found.relationship[fresh]))
            yield _Paths(rows[fresh], found.neighbour[fresh], longer)

    def _fulfilled(self, fresh: BoolArray, rows: IntArray, relationships: IntArray) -> BoolArray:
        """Those of the fresh steps whose relationship fulfils every predicate."""
        for name, predicate in self.each:
            steps = np.flatnonzero(fresh)
            columns = {name: IdColumn("relationship", relationships[steps])}
            kept = steps[
                predicate(self.batch.take(rows[steps]).with_columns(columns), self.context)
            ]
            fresh = np.zeros(len(fresh), dtype=np.bool_)
            fresh[kept] = True
        return fresh


def _none(paths: _Paths) -> _Paths:
    return _Paths(paths.row[:0], paths.node[:0], paths.walked[:0])


def _part(paths: _Paths, positions: IntArray | slice) -> _Paths:
    return _Paths(paths.row[positions], paths.node[positions], paths.walked[positions])


def _in_order(found: list[_Paths], size: int) -> list[_Paths]:
    """Paths of different lengths in order of rows, padded with -1, in batches."""
    widest = max(paths.walked.shape[1] for paths in found)
    walked = [
        np.pad(p.walked, ((0, 0), (0, widest - p.walked.shape[1])), constant_values=-1)
        for p in found
    ]
    row = np.concatenate([paths.row for paths in found])
    order = np.argsort(row, kind="stable")
    everything = _Paths(
        row, np.concatenate([paths.node for paths in found]), np.concatenate(walked)
    )
    parts = (order[start : start + size] for start in range(0, len(order), size))
    return [_part(everything, part) for part in parts]


def _lists(walked: IntArray, reverse: bool, guard: Guard) -> ObjectColumn:
    """Lists of relationships from rows of ids; -1 pads the end."""
    lists: list[list[RelationshipRef]] = []
    for start in range(0, len(walked), PATH_CHUNK):
        guard.check()
        part = walked[start : start + PATH_CHUNK].tolist()
        lists += [[RelationshipRef(i) for i in path if i >= 0] for path in part]
    if reverse:
        lists = [path[::-1] for path in lists]
    return ObjectColumn(lists)


def map_var_length_expand(plan: LogicalVarLengthExpand, number: int, mapping: Mapping) -> Operator:
    return VarLengthExpand(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        properties=compile_items(plan.properties),
        each=tuple((name, compile_predicate(value)) for name, value in plan.each),
        listed=plan.relationships in mapping.used,
    )
