"""A finished plan: what travels from the process that planned to the one that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cypherd.planner.logical.operators import LogicalOperator


@dataclass(frozen=True, slots=True)
class Plan:
    """`kind` says where it may run: "read" anywhere, "write" in the writer, "schema" in the
    writer and alone. `inline`: made only of bounded steps, may start in the event loop.
    `mode`: None, "explain" (never runs) or "profile". `parameters`: the names it needs.
    `commits`: it does so in its midst, and so needs a transaction to itself. `urgent`: asks about
    the server, not the graph, and does not wait for long reads.
    Valid only in a snapshot whose schema has `schema_version`. `notifications` are
    HTTP.md's (maps with code, title, description, severity, position)."""

    text: str
    root: LogicalOperator
    columns: tuple[str, ...]
    kind: Literal["read", "write", "schema"]
    inline: bool
    mode: Literal["explain", "profile"] | None
    parameters: frozenset[str]
    schema_version: int
    urgent: bool = False
    commits: bool = False
    notifications: tuple[dict[str, Any], ...] = ()
