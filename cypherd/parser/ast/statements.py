"""Statements: a query, or a command of the schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cypherd.parser.ast.base import Node
from cypherd.parser.ast.clauses import Clause


@dataclass(frozen=True, slots=True)
class Query(Node):
    """One query: `parts` joined by UNION; `all` says UNION ALL. Mixing the two is refused by
    the binder, which sees `union_kinds` ("all" or "distinct", one fewer than parts). `uses`: the
    graphs that its parts name."""

    parts: tuple[tuple[Clause, ...], ...]
    union_kinds: tuple[Literal["all", "distinct"], ...] = ()
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class Use(Node):
    """`USE neo4j`."""

    graph: str


@dataclass(frozen=True, slots=True)
class CreateIndex(Node):
    """`CREATE INDEX [name] [IF NOT EXISTS] FOR (n:L) ON (n.a, n.b)`, `FOR ()-[r:T]-() ON ...`,
    and the old `CREATE INDEX ON :L(a, b)`."""

    name: str | None
    kind: Literal["node", "relationship"]
    owner: str
    properties: tuple[str, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropIndex(Node):
    """By name, or by the old `DROP INDEX ON :L(a, b)` (name None)."""

    name: str | None
    owner: str | None
    properties: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CreateConstraint(Node):
    """kind: "uniqueness", "existence" or "key". New form `CREATE CONSTRAINT [name] [IF NOT
    EXISTS] FOR (n:L) REQUIRE n.a IS UNIQUE` / `(n.a, n.b) IS UNIQUE` / `IS NOT NULL` / `IS NODE
    KEY`, and the old `CREATE CONSTRAINT ON (n:L) ASSERT n.a IS UNIQUE` / `ASSERT exists(n.a)`."""

    name: str | None
    kind: Literal["uniqueness", "existence", "key"]
    entity: Literal["node", "relationship"]
    owner: str
    properties: tuple[str, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropConstraint(Node):
    """By name, or by the old `DROP CONSTRAINT ON (n:L) ASSERT ...` (name None)."""

    name: str | None
    kind: str | None
    entity: Literal["node", "relationship"] | None
    owner: str | None
    properties: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """mode: None, "explain" or "profile"."""

    body: Query | CreateIndex | DropIndex | CreateConstraint | DropConstraint
    mode: Literal["explain", "profile"] | None
