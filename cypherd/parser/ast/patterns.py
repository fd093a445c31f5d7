"""Patterns of nodes, relationships and paths."""

from __future__ import annotations

from dataclasses import dataclass

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
class PathPattern(Node):
    """`elements` alternates NodePattern, RelationshipPattern, ..., NodePattern.
    `shortest`: None, "shortestPath" or "allShortestPaths"."""

    variable: str | None
    elements: tuple[NodePattern | RelationshipPattern, ...]
    shortest: str | None = None
