"""What a limit cuts off is not read: properties that only the result needs come after it.

    Top(Extend(x, read))     Extend(Top(x), read)
    Top(Project(x, read))    Project(Top(Extend(x, keys)), read)
    Limit(Project(x))        Project(Limit(x)), and the same for Skip and Extend

Only reads that cannot fail go past a Top: an error must not depend on the rule.
"""

from __future__ import annotations

from dataclasses import replace

from cypherd.binder.expressions import BoundExpression, Constant, Property, Variable
from cypherd.binder.query import Items
from cypherd.binder.traversal import variables
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import transform, walk
from cypherd.values.types import CypherType as T


def read_after_limit(plan: LogicalOperator, context: PlanContext) -> LogicalOperator:
    """Every limit that stands on a projection of more than it compares. What reads from a deleted
    node fails, so plans that delete stay as they are."""
    if any(isinstance(operator, ops.LogicalDelete) for operator in walk(plan)):
        return plan
    return transform(plan, _lowered)


def _lowered(operator: LogicalOperator) -> LogicalOperator:
    match operator:
        case ops.LogicalTop(source=ops.LogicalExtend() as below):
            return _top_below_extend(operator, below)
        case ops.LogicalTop(source=ops.LogicalProject() as below):
            return _top_below_project(operator, below)
        case ops.LogicalLimit() | ops.LogicalSkip():
            source = operator.source
            if isinstance(source, ops.LogicalProject | ops.LogicalExtend) and all(
                _is_read(value) for _, value in source.items
            ):
                return replace(source, source=_lowered(replace(operator, source=source.source)))
    return operator


def _top_below_extend(top: ops.LogicalTop, below: ops.LogicalExtend) -> LogicalOperator:
    early, late = _split(below.items, _compared(top))
    if not late:
        return top
    source = replace(below, items=early) if early else below.source
    return replace(below, source=replace(top, source=source), items=late)


def _top_below_project(top: ops.LogicalTop, below: ops.LogicalProject) -> LogicalOperator:
    early, late = _split(below.items, _compared(top))
    # A column that only changes its name is no work saved.
    if not any(isinstance(value, Property) for _, value in late):
        return top
    new: Items = tuple(item for item in early if not _is_same(*item))
    source = ops.LogicalExtend(source=below.source, items=new) if new else below.source
    done = {name for name, _ in new}
    items: Items = tuple(
        (name, Variable(name, type=value.type) if name in done else value)
        for name, value in below.items
    )
    return replace(below, source=replace(top, source=source), items=items)


def _compared(top: ops.LogicalTop) -> frozenset[str]:
    """The columns that the order reads."""
    return frozenset[str]().union(*(variables(key) for key, _ in top.keys))


def _split(items: Items, compared: frozenset[str]) -> tuple[Items, Items]:
    """Items that must come before the limit, and those that may come after it."""
    late = tuple(item for item in items if item[0] not in compared and _is_read(item[1]))
    return tuple(item for item in items if item not in late), late


def _is_read(value: BoundExpression) -> bool:
    """A column, a constant, or a property of a node or relationship: none of these can fail."""
    match value:
        case Variable() | Constant():
            return True
        case Property(Variable(type=T.NODE | T.RELATIONSHIP)):
            return True
    return False


def _is_same(name: str, value: BoundExpression) -> bool:
    return isinstance(value, Variable) and value.name == name
