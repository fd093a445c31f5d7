"""Eager where a write could disturb a read.

Batches flow through all operators at once, so without care a later batch of a read sees what a
write did for an earlier one, and a read after a write sees it half done. Cypher's clauses see all
that came before them and nothing that comes after: where reads and changes on both sides of an
operator touch the same, its source is taken whole first. Not needed if there is but one row.
"""

from __future__ import annotations

from collections.abc import Mapping

from cypherd.binder.expressions import Constant
from cypherd.planner.context import PlanContext
from cypherd.planner.effects import Effects, disturbs, effects, subtree_effects
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import inner_plan, sources, with_children
from cypherd.values.types import CypherType

_TAKES_ALL = (
    ops.LogicalEager,
    ops.LogicalEagerAggregation,
    ops.LogicalSort,
    ops.LogicalTop,
    ops.LogicalEmptyResult,
)
_KEEPS_ONE_ROW = (
    ops.LogicalFilter,
    ops.LogicalProject,
    ops.LogicalExtend,
    ops.LogicalCreate,
    ops.LogicalSet,
    ops.LogicalDelete,
    ops.LogicalSkip,
    ops.LogicalDistinct,
    ops.LogicalSort,
    ops.LogicalSemiApply,
    ops.LogicalLetSemiApply,
    ops.LogicalRollUpApply,
    ops.LogicalFold,
    ops.LogicalEager,
    ops.LogicalForeach,
)


def separate_reads_and_writes(
    root: LogicalOperator, context: PlanContext, types: Mapping[str, CypherType]
) -> LogicalOperator:
    """The plan with Eager operators put in; the same plan if nothing is written."""
    if not subtree_effects(root, types).changes:
        return root
    return _Separation(context, types).separated(root)[0]


class _Separation:
    def __init__(self, context: PlanContext, types: Mapping[str, CypherType]) -> None:
        self.context = context
        self.types = types

    def separated(self, operator: LogicalOperator) -> tuple[LogicalOperator, Effects]:
        """The operator, and the effects that are not closed off by an operator taking all."""
        inner = inner_plan(operator)
        flowing, below = [], Effects()
        for source in sources(operator):
            new, found = self.separated(source)
            flowing.append(new)
            below |= found
        own = effects(operator, self.types)
        if len(flowing) == 1 and self._clash(own, below, operator, flowing[0]):
            reason = "a write could disturb a read"
            flowing[0] = ops.LogicalEager(source=flowing[0], reason=reason)
            below = Effects()
        new_inner = () if inner is None else (self.separated(inner)[0],)
        operator = with_children(operator, (*flowing, *new_inner))
        if isinstance(operator, _TAKES_ALL):
            return operator, Effects()
        return operator, own | below

    def _clash(
        self, own: Effects, below: Effects, operator: LogicalOperator, source: LogicalOperator
    ) -> bool:
        if isinstance(operator, _TAKES_ALL):
            return False
        if self._one_row(source) and not isinstance(operator, ops.LogicalTransactionApply):
            return False
        return disturbs(own.changes, below.reads) or disturbs(below.changes, own.reads)

    def _one_row(self, operator: LogicalOperator) -> bool:
        """Does the operator never give a second row? (An inner Argument may: it stands for
        many rows.)"""
        if isinstance(operator, ops.LogicalArgument):
            return not operator.variables
        if isinstance(operator, ops.LogicalEagerAggregation):
            return not operator.keys
        if isinstance(operator, ops.LogicalLimit | ops.LogicalTop):
            count = operator.count if isinstance(operator, ops.LogicalLimit) else operator.limit
            return isinstance(count, Constant) and count.value in (0, 1)
        if isinstance(operator, ops.LogicalNodeIndexSeek):
            unique = not operator.many and self._is_unique(operator)
            return unique and self._one_row(operator.source)
        if isinstance(operator, _KEEPS_ONE_ROW):
            return self._one_row(operator.source)
        return False

    def _is_unique(self, seek: ops.LogicalNodeIndexSeek) -> bool:
        return any(
            index.unique and self.context.keys(index) == seek.properties
            for index in self.context.node_indexes(seek.label)
        )
