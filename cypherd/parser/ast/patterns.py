"""Patterns of nodes, relationships and paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cypherd.parser.ast.base import Direction, Node
from cypherd.parser.ast.expressions import Expression
from cypherd.parser.ast.labels import LabelExpression


@dataclass(frozen=True, slots=True)
class NodePattern(Node):
    """It must have all `labels`, and those that `matching` asks for."""

    variable: str | None
    labels: tuple[str, ...]
    properties: Expression | None
    where: Expression | None = None
    matching: LabelExpression | None = None


@dataclass(frozen=True, slots=True)
class VariableLength(Node):
    """`*`, `*2`, `*1..3`, `*..3`, `*2..`; None is an open end."""

    minimum: int | None
    maximum: int | None


@dataclass(frozen=True, slots=True)
class RelationshipPattern(Node):
    """Its type is one of `types` if there are any, and as `matching` asks for."""

    variable: str | None
    types: tuple[str, ...]
    direction: Direction
    length: VariableLength | None
    properties: Expression | None
    where: Expression | None = None
    matching: LabelExpression | None = None


@dataclass(frozen=True, slots=True)
class PathGroup(Node):
    """`((a)-[r]->(b) WHERE ...){1,3}`: so many times one behind the other, each beginning where the
    one before it ended. `elements` as those of a path."""

    elements: tuple[PathElement, ...]
    where: Expression | None
    length: VariableLength


@dataclass(frozen=True, slots=True)
class Selector(Node):
    """Which of the paths between two nodes are wanted, the short ones first: `count` of them, or
    all that are as long as one of the `count` shortest (`groups`)."""

    count: Expression | None
    groups: bool


PathElement: TypeAlias = NodePattern | RelationshipPattern | PathGroup


@dataclass(frozen=True, slots=True)
class PathPattern(Node):
    """`elements` alternates NodePattern, RelationshipPattern or PathGroup, ..., NodePattern.
    `shortest`: None, "shortestPath" or "allShortestPaths". `selector`: SHORTEST and ANY.
    `where`: `(path WHERE ...)`, which a path must fulfil before one is selected."""

    variable: str | None
    elements: tuple[PathElement, ...]
    shortest: str | None = None
    selector: Selector | None = None
    where: Expression | None = None
