"""RelationshipIndexSeek: relationships whose indexed properties equal the row's values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch
from cypherd.binder.expressions import And, Call, Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression, compile_predicate
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.argument import Argument
from cypherd.executor.operators.filter import Filter
from cypherd.executor.operators.relationship_columns import relationship_columns
from cypherd.executor.operators.relationship_scan import RelationshipScan
from cypherd.executor.operators.seek_values import seek
from cypherd.executor.rows import taken
from cypherd.executor.tokens import find_index
from cypherd.planner.logical.operators import LogicalRelationshipIndexSeek


@dataclass(slots=True, kw_only=True)
class RelationshipIndexSeek(Operator):
    source: Operator
    plan: LogicalRelationshipIndexSeek
    values: tuple[Expression, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        names = (plan.relationship, plan.start, plan.end)
        transaction = context.transaction
        for batch in self.source.batches(context, argument):
            index = find_index(transaction.schema, "relationship", plan.type, plan.properties)
            if index is None:
                yield from _filtered_scan(plan).batches(context, batch)
                continue
            columns = [value(batch, context) for value in self.values]
            rows, ids = seek(transaction, index, columns, plan.many)
            found = transaction.endpoints(ids)
            rows, added = relationship_columns(
                names, rows, (ids, found.start, found.end), plan.directed
            )
            yield from taken(batch, rows, added, context.batch_size)


def _filtered_scan(plan: LogicalRelationshipIndexSeek) -> Operator:
    """The same rows without the index, which was dropped after the plan was made."""
    relationship = Variable(plan.relationship)
    pairs = zip(plan.properties, plan.values, strict=True)
    operator = "in" if plan.many else "="
    equal = tuple(Call(operator, (Property(relationship, name), value)) for name, value in pairs)
    scan = RelationshipScan(
        number=-1,
        source=Argument(number=-1),
        names=(plan.relationship, plan.start, plan.end),
        types=(plan.type,),
        directed=plan.directed,
    )
    return Filter(number=-1, source=scan, predicate=compile_predicate(And(equal)))


def map_relationship_index_seek(
    plan: LogicalRelationshipIndexSeek, number: int, mapping: Mapping
) -> Operator:
    return RelationshipIndexSeek(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        values=tuple(compile_expression(value) for value in plan.values),
    )
