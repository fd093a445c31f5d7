"""How far the building of a plan has come: the operators so far and the columns they give."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cypherd.planner.logical.operators import LogicalOperator


@dataclass(frozen=True, slots=True)
class State:
    """`inner`: the plan is run for rows of another one. `writes`: something was written."""

    plan: LogicalOperator
    columns: frozenset[str]
    labels: dict[str, frozenset[str]]
    rows: float
    inner: bool = False
    writes: bool = False

    def onto(self, plan: LogicalOperator, *columns: str) -> State:
        """Another operator on top, which adds columns."""
        return replace(self, plan=plan, columns=self.columns | set(columns))

    def only(self, plan: LogicalOperator, columns: frozenset[str]) -> State:
        """Another operator on top, which gives exactly these columns."""
        labels = {name: found for name, found in self.labels.items() if name in columns}
        return replace(self, plan=plan, columns=columns, labels=labels)
