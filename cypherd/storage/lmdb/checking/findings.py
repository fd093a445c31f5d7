"""What a check finds: a table, and a sentence that names the key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    table: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`findings` may be cut; `total` counts all of them."""

    nodes: int
    relationships: int
    findings: tuple[Finding, ...]
    total: int

    @property
    def sound(self) -> bool:
        return self.total == 0


class Findings:
    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: list[Finding] = []
        self._counts: Counter[str] = Counter()
        self._nodes = 0
        self._relationships = 0

    def add(self, table: str, message: str) -> None:
        self._counts[table] += 1
        if self._counts[table] <= self._most:
            self._kept.append(Finding(table, message))

    def looked_at(self, *, nodes: int, relationships: int) -> None:
        self._nodes, self._relationships = nodes, relationships

    def report(self) -> CheckReport:
        total = sum(self._counts.values())
        return CheckReport(self._nodes, self._relationships, tuple(self._kept), total)
