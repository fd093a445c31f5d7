"""Named expressions over a batch: what Project, Extend and the keys of groups evaluate.

Properties of one variable are read together, in one question to the store, where the variable's
column is of ids without nulls; any other column takes the general way, key by key.
"""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.batch.columns import Batch, Column, IdColumn, ObjectColumn
from cypherd.binder.expressions import Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.expressions.properties import Along, along_of, properties_read
from cypherd.executor.operator import Expression
from cypherd.executor.rows import has_nulls
from cypherd.planner.logical.operators import Items


@dataclass(slots=True, frozen=True)
class PropertiesOf:
    """Items that read properties of one variable: (item's name, key)."""

    variable: str
    reads: tuple[tuple[str, str], ...]
    along: Along | None

    def columns(self, batch: Batch, context: ExecutionContext) -> dict[str, Column] | None:
        """The properties, or None if they have to be read in the general way."""
        column = batch.columns.get(self.variable)
        if not isinstance(column, IdColumn) or has_nulls(column.ids):
            return None
        stats, transaction = context.stats, context.transaction
        if stats.nodes_deleted or stats.relationships_deleted:
            return None
        key_id = transaction.schema.property_id
        tokens = [key_id(key) for _, key in self.reads]
        known = [token for token in tokens if token is not None]
        ids = column.ids
        asked = properties_read(context, column.kind, ids, known, self.along) if known else ()
        found = iter(asked)
        return {
            name: ObjectColumn([None] * batch.length if token is None else next(found))
            for (name, _), token in zip(self.reads, tokens, strict=True)
        }


@dataclass(slots=True, frozen=True)
class CompiledItems:
    """Expressions by name, in order."""

    expressions: tuple[tuple[str, Expression], ...]
    properties: tuple[PropertiesOf, ...]

    def __len__(self) -> int:
        return len(self.expressions)

    def columns(self, batch: Batch, context: ExecutionContext) -> dict[str, Column]:
        """A column an item, in the order of the items."""
        read: dict[str, Column] = {}
        for properties in self.properties:
            found = properties.columns(batch, context)
            if found is not None:
                read.update(found)
        return {
            name: read[name] if name in read else expression(batch, context)
            for name, expression in self.expressions
        }


def compile_items(items: Items) -> CompiledItems:
    reads: dict[str, list[tuple[str, str]]] = {}
    along: dict[str, Along | None] = {}
    for name, expression in items:
        if isinstance(expression, Property) and isinstance(expression.source, Variable):
            variable = expression.source.name
            reads.setdefault(variable, []).append((name, expression.key))
            along[variable] = along.get(variable) or along_of(expression)
    return CompiledItems(
        tuple((name, compile_expression(expression)) for name, expression in items),
        tuple(PropertiesOf(name, tuple(found), along[name]) for name, found in reads.items()),
    )
