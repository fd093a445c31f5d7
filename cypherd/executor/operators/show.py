"""Show: what the store knows of itself, a row each, under Neo4j's column names.

What there is to show, and its columns, is a table of the binder (binder/showing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from cypherd.batch.columns import SINGLE_ROW, Batch, ObjectColumn
from cypherd.binder.showing import SHOWN
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import pieces
from cypherd.planner.logical.operators import LogicalShow
from cypherd.procedures import listing, rules, running
from cypherd.values.description import wrong_type
from cypherd.values.lists import is_list

Row: TypeAlias = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Show(Operator):
    what: str
    kinds: tuple[str | bool, ...] | None
    columns: tuple[tuple[str, str], ...]
    ids: tuple[Expression, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        rows = ROWS[self.what](context)
        if self.kinds is not None:
            column = SHOWN[self.what].selects_by
            rows = [row for row in rows if row[column] in self.kinds]
        if self.ids:
            wanted = set(self._wanted(context))
            rows = [row for row in rows if wanted & {row[c] for c in SHOWN[self.what].named_by}]
        columns = {
            variable: ObjectColumn([row[name] for row in rows]) for name, variable in self.columns
        }
        yield from pieces(Batch(len(rows), columns), context.batch_size)

    def _wanted(self, context: ExecutionContext) -> Iterator[str]:
        """Raises CypherTypeError for what is neither a text nor a list of them."""
        for expression in self.ids:
            (value,) = expression(SINGLE_ROW, context).to_list()
            for id in value if is_list(value) else [value]:
                if not isinstance(id, str):
                    raise wrong_type(f"SHOW {self.what}", "strings", id)
                yield id


ROWS: dict[str, Callable[[ExecutionContext], list[Row]]] = {
    "INDEXES": rules.indexes,
    "CONSTRAINTS": rules.constraints,
    "FUNCTIONS": listing.functions,
    "PROCEDURES": listing.procedures,
    "SETTINGS": listing.settings,
    "DATABASES": listing.databases,
    "TRANSACTIONS": running.transactions,
}
"""Rows with all columns, in whatever order; by the names of the binder's table."""


def map_show(plan: LogicalShow, number: int, mapping: Mapping) -> Operator:
    ids = tuple(compile_expression(id) for id in plan.ids)
    return Show(number=number, what=plan.what, kinds=plan.kinds, columns=plan.columns, ids=ids)
