"""What every operator has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cypherd.binder.expressions import BoundExpression

Direction: TypeAlias = Literal["out", "in", "both"]
Items: TypeAlias = tuple[tuple[str, BoundExpression], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalOperator:
    estimated_rows: float = field(default=-1.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnary(LogicalOperator):
    source: LogicalOperator
