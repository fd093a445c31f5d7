"""What every step of a path must fulfil: properties in the pattern, and what a predicate on the
whole path asks of each of its relationships and nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import Batch, EntityKind, IdColumn, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_predicate
from cypherd.executor.items import CompiledItems, compile_items
from cypherd.executor.operator import Predicate
from cypherd.executor.operators.property_filter import PropertyFilter
from cypherd.executor.rows import zeros
from cypherd.planner.logical.operators import Items, LogicalShortestPath

_Each = tuple[tuple[EntityKind, str, Predicate], ...]


@dataclass(slots=True, frozen=True)
class StepConditions:
    """Compiled once for a plan."""

    properties: CompiledItems
    each: _Each

    def of(self, row: Batch, context: ExecutionContext) -> StepFilter | None:
        """For the one row of `row`; None where anything goes."""
        if not self.properties and not self.each:
            return None
        return StepFilter(self, row, context)


class StepFilter:
    def __init__(self, conditions: StepConditions, row: Batch, context: ExecutionContext) -> None:
        self._each = conditions.each
        self._row = row
        self._context = context
        properties = conditions.properties
        self._properties = PropertyFilter(properties, row, context) if properties else None

    def keep(self, relationships: IntArray, nodes: IntArray) -> IntArray:
        """The positions of the steps over `relationships` to `nodes` that may be taken."""
        kept = np.arange(len(relationships), dtype=np.int64)
        if self._properties is not None:
            transaction, rows = self._context.transaction, zeros(len(relationships))
            kept = kept[self._properties.keep(transaction, rows, relationships)]
        for kind, variable, predicate in self._each:
            ids = (relationships if kind == "relationship" else nodes)[kept]
            columns = {variable: IdColumn(kind, ids)}
            batch = self._row.take(zeros(len(kept))).with_columns(columns)
            kept = kept[predicate(batch, self._context)]
        return kept


def step_conditions(plan: LogicalShortestPath) -> StepConditions:
    def compiled(kind: EntityKind, items: Items) -> _Each:
        return tuple((kind, name, compile_predicate(value)) for name, value in items)

    each = (
        *compiled("relationship", plan.each_relationship),
        *compiled("node", plan.each_node),
    )
    return StepConditions(compile_items(plan.properties), each)
