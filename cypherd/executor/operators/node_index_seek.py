"""NodeIndexSeek: nodes whose indexed properties equal the row's values.

The values of a batch go to the store in one question. If the index is gone (it was dropped after
the plan was made), a label scan with a filter gives the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cypherd.batch.columns import Batch, IdColumn
from cypherd.binder.expressions import And, BoundExpression, Call, Property, Variable
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression, compile_predicate
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.argument import Argument
from cypherd.executor.operators.filter import Filter
from cypherd.executor.operators.node_by_label_scan import NodeByLabelScan
from cypherd.executor.operators.seek_values import seek
from cypherd.executor.rows import taken
from cypherd.executor.tokens import find_index
from cypherd.planner.logical.operators import LogicalNodeIndexSeek


@dataclass(slots=True, kw_only=True)
class NodeIndexSeek(Operator):
    source: Operator
    plan: LogicalNodeIndexSeek
    values: tuple[Expression, ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        plan = self.plan
        for batch in self.source.batches(context, argument):
            index = find_index(context.transaction.schema, "node", plan.label, plan.properties)
            if index is None:
                scan = filtered_scan(plan.variable, plan.label, _predicate(plan))
                yield from scan.batches(context, batch)
                continue
            columns = [value(batch, context) for value in self.values]
            rows, ids = seek(context.transaction, index, columns, plan.many)
            found = IdColumn("node", ids)
            yield from taken(batch, rows, {plan.variable: found}, context.batch_size)


def filtered_scan(variable: str, label: str, predicate: BoundExpression) -> Operator:
    """A label scan with a filter over its argument, outside the profile's numbering."""
    rows = Argument(number=-1)
    scan = NodeByLabelScan(number=-1, source=rows, variable=variable, label=label)
    return Filter(number=-1, source=scan, predicate=compile_predicate(predicate))


def _predicate(plan: LogicalNodeIndexSeek) -> BoundExpression:
    operator = "in" if plan.many else "="
    node = Variable(plan.variable)
    return And(
        tuple(
            Call(operator, (Property(node, name), value))
            for name, value in zip(plan.properties, plan.values, strict=True)
        )
    )


def map_node_index_seek(plan: LogicalNodeIndexSeek, number: int, mapping: Mapping) -> Operator:
    return NodeIndexSeek(
        number=number,
        source=mapping.map(plan.source),
        plan=plan,
        values=tuple(compile_expression(value) for value in plan.values),
    )
