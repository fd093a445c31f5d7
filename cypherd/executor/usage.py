"""Which variables expressions and plans read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from cypherd.binder.expressions import BoundExpression, Variable
from cypherd.planner.logical.operators import (
    LogicalDistinct,
    LogicalFold,
    LogicalOperator,
    LogicalPathStep,
    LogicalProduceResults,
    LogicalRepeat,
    LogicalRollUpApply,
)


def nodes_inside(value: Any) -> Iterator[Any]:
    """Every dataclass instance in `value`, itself included, through tuples."""
    if isinstance(value, tuple):
        for item in value:
            yield from nodes_inside(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        for field in dataclasses.fields(value):
            yield from nodes_inside(getattr(value, field.name))


def variables_of(expression: BoundExpression) -> frozenset[str]:
    """Names that the expression reads (element variables of comprehensions as well)."""
    return frozenset(node.name for node in nodes_inside(expression) if isinstance(node, Variable))


def variables_read(plan: LogicalOperator) -> frozenset[str]:
    """Names that some operator of the plan reads or gives out."""
    names: set[str] = set()
    for node in nodes_inside(plan):
        if isinstance(node, Variable):
            names.add(node.name)
        elif isinstance(node, LogicalDistinct):
            names.update(node.variables)
        elif isinstance(node, LogicalProduceResults):
            names.update(variable for _, variable in node.columns)
        elif isinstance(node, LogicalRollUpApply | LogicalFold):
            names.add(node.value)
        elif isinstance(node, LogicalRepeat | LogicalPathStep):
            names.update(node.relationships)
            names.update(name for _, name in node.columns)
        elif hasattr(node, "bound") and node.bound:
            names.add(node.relationships)
    return frozenset(names)
