"""What every node of the tree has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class Node:
    at: int = field(default=-1, compare=False, kw_only=True)
