"""Rewrite rules: pure functions (plan, context) -> plan, one a file, applied in this order.

A plan gives the same rows with and without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from cypherd.planner.context import PlanContext
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.rules.count_from_store import count_from_store
from cypherd.planner.rules.fold_constants import fold_constants
from cypherd.planner.rules.merge_filters import merge_filters
from cypherd.planner.rules.prune_unused import prune_unused
from cypherd.planner.rules.push_down_filters import push_down_filters
from cypherd.planner.rules.read_after_limit import read_after_limit
from cypherd.planner.rules.read_together import read_together
from cypherd.planner.rules.split_conjunctions import split_conjunctions
from cypherd.planner.rules.use_top_for_sorted_limit import use_top_for_sorted_limit

Rule: TypeAlias = Callable[[LogicalOperator, PlanContext], LogicalOperator]

RULES: tuple[Rule, ...] = (
    fold_constants,
    split_conjunctions,
    push_down_filters,
    use_top_for_sorted_limit,
    read_after_limit,
    count_from_store,
    prune_unused,
    merge_filters,
    read_together,
)
