"""SelectPaths: the shortest of the paths over several steps, some of them repeated.

    source row (start)  ->  one row for each path that is selected

How paths are found is told in path_search.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from cypherd.batch.columns import Batch, Column, IdColumn, ObjectColumn
from cypherd.errors import CypherSyntaxError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression, compile_predicate
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Expression, Mapping, Operator, Predicate
from cypherd.executor.operators.path_search import Path, PathSearch
from cypherd.executor.operators.path_step import PathStep
from cypherd.executor.operators.row_count import row_count
from cypherd.executor.rows import entity_ids, pieces, single_rows, zeros
from cypherd.planner.logical.operators import LogicalSelectPaths
from cypherd.values.graph import NodeRef, RelationshipRef


@dataclass(slots=True, kw_only=True)
class SelectPaths(Operator):
    source: Operator
    plan: LogicalSelectPaths
    steps: tuple[PathStep, ...]
    count: Expression
    predicates: tuple[Predicate, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        count = self._count(context)
        for batch in self.source.batches(context, argument):
            for row in single_rows(batch):
                start = int(entity_ids(row.columns[plan.start], "node")[0])
                end = int(entity_ids(row.columns[plan.end], "node")[0]) if plan.into else None
                if start >= 0 and (end is None or end >= 0):
                    yield from self._selected(context, row, start, end, count)

    def _count(self, context: ExecutionContext) -> int:
        count = row_count(self.count, context, "SHORTEST")
        if not count:
            error = CypherSyntaxError(
                "SHORTEST takes a number above 0", detail="NegativeIntegerArgument"
            )
            error.compile_time = False
            raise error
        return count

    def _selected(
        self, context: ExecutionContext, row: Batch, start: int, end: int | None, count: int
    ) -> Iterator[Batch]:
        with Holding(context.guard) as held:
            once = count == 1 and self._is_plain()
            search = PathSearch(self.steps, context, row, held, start, once)
            selection = _Selection(self, context, row, count, end)
            yield from selection.of(search)
            for node in selection.missing(search) if once else ():
                again = _Selection(self, context, row, count, node)
                yield from again.of(PathSearch(self.steps, context, row, held, start, False))

    def _is_plain(self) -> bool:
        """Is it one relationship that is repeated, with nothing asked of the whole?"""
        if len(self.steps) > 1 or self.predicates:
            return False
        plan = self.steps[0].plan
        return len(plan.relationships) == 1 and plan.minimum <= 1

    def batch(self, row: Batch, start: int, paths: list[Path]) -> Batch:
        """One row for each of the paths, which are in the order of the walk."""
        plan = self.plan
        values: dict[str, list[object]] = {}
        for path in paths:
            told = path[::-1] if plan.reverse else path
            walked = [RelationshipRef(i) for move in told for i in move.relationships]
            values.setdefault(plan.walked, []).append(walked)
            for number, step in enumerate(self.steps):
                moves = [move for move in told if move.step == number]
                for place, (name, kind) in enumerate(step.part.columns):
                    make = NodeRef if kind == "node" else RelationshipRef
                    found: list[object] = [make(move.found[place]) for move in moves]
                    values.setdefault(name, []).append(found[0] if step.plan.single else found)
            node = start
            for number, step in enumerate(self.steps):
                node = next((m.node for m in reversed(path) if m.step == number), node)
                if step.plan.reached is not None:
                    values.setdefault(step.plan.reached, []).append(NodeRef(node))
        added: dict[str, Column] = {name: ObjectColumn(listed) for name, listed in values.items()}
        if not plan.into:
            ends = [path[-1].node if path else start for path in paths]
            added[plan.end] = IdColumn("node", np.array(ends, dtype=np.int64))
        return row.take(zeros(len(paths))).with_columns(added)


class _Selection:
    """Which paths one row gets: how many each node that they lead to has already."""

    def __init__(
        self,
        operator: SelectPaths,
        context: ExecutionContext,
        row: Batch,
        count: int,
        end: int | None,
    ) -> None:
        self.operator = operator
        self.context = context
        self.row = row
        self.count = count
        self.end = end
        self.had: dict[int, int] = {}

    def of(self, search: PathSearch) -> Iterator[Batch]:
        for length, nodes in search.lengths():
            for node in nodes:
                if self.end in (None, node) and not self._is_done(node):
                    yield from self._to(search, length, node)
            if self._all_done(search):
                return

    def missing(self, search: PathSearch) -> list[int]:
        """Nodes that walks lead to, for which there are too few paths."""
        wanted = search.reached if self.end is None else search.reached & {self.end}
        return sorted(node for node in wanted if not self._is_done(node))

    def _is_done(self, node: int) -> bool:
        return self.had.get(node, 0) >= self.count

    def _all_done(self, search: PathSearch) -> bool:
        if self.end is not None and self._is_done(self.end):
            return True
        return search.complete and not self.missing(search)

    def _to(self, search: PathSearch, length: int, node: int) -> Iterator[Batch]:
        """Those of one length to one node, as many as are wanted."""
        size = self.context.batch_size
        paths = search.paths(length, node)
        groups = self.operator.plan.groups
        found = False
        while not self._is_done(node):
            left = size if groups else min(self.count - self.had.get(node, 0), size)
            some = list(islice(paths, left))
            if not some:
                break
            batch = self.operator.batch(self.row, search.start, some)
            for predicate in self.operator.predicates:
                batch = batch.take(predicate(batch, self.context))
            if batch.length:
                found = True
                if not groups:
                    self.had[node] = self.had.get(node, 0) + batch.length
                yield from pieces(batch, size)
        if groups and found:
            self.had[node] = self.had.get(node, 0) + 1


def map_select_paths(plan: LogicalSelectPaths, number: int, mapping: Mapping) -> Operator:
    source = mapping.map(plan.source)
    steps: list[PathStep] = []
    step = mapping.map(plan.inner)
    while isinstance(step, PathStep):
        steps.append(step)
        step = step.source
    return SelectPaths(
        number=number,
        source=source,
        plan=plan,
        steps=tuple(reversed(steps)),
        count=compile_expression(plan.count),
        predicates=tuple(map(compile_predicate, plan.predicates)),
    )
