"""Show: what the store knows of itself, a row each, under Neo4j's column names.

What there is to show, and its columns, is a table of the binder (binder/showing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.binder.showing import SHOWN
from cypherd.executor.context import ExecutionContext
from cypherd.executor.operator import Mapping, Operator
from cypherd.executor.rows import pieces
from cypherd.planner.logical.operators import LogicalShow
from cypherd.procedures import listing, rules

Row: TypeAlias = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Show(Operator):
    what: str
    kinds: tuple[str | bool, ...] | None
    columns: tuple[tuple[str, str], ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        rows = ROWS[self.what](context)
        if self.kinds is not None:
            column = SHOWN[self.what].selects_by
            rows = [row for row in rows if row[column] in self.kinds]
        columns = {
            variable: ObjectColumn([row[name] for row in rows]) for name, variable in self.columns
        }
        yield from pieces(Batch(len(rows), columns), context.batch_size)


ROWS: dict[str, Callable[[ExecutionContext], list[Row]]] = {
    "INDEXES": rules.indexes,
    "CONSTRAINTS": rules.constraints,
    "FUNCTIONS": listing.functions,
    "PROCEDURES": listing.procedures,
    "SETTINGS": listing.settings,
}
"""Rows with all columns, in whatever order; by the names of the binder's table."""


def map_show(plan: LogicalShow, number: int, mapping: Mapping) -> Operator:
    return Show(number=number, what=plan.what, kinds=plan.kinds, columns=plan.columns)
