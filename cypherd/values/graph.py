"""Graph values: references inside a query, whole entities in a result, paths in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node inside a query: nothing but its id."""

    id: int


@dataclass(frozen=True, slots=True)
class RelationshipRef:
    """A relationship inside a query: nothing but its id."""

    id: int


@dataclass(frozen=True, slots=True)
class PathRef:
    """A path inside a query. len(nodes) == len(relationships) + 1."""

    nodes: tuple[NodeRef, ...]
    relationships: tuple[RelationshipRef, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A node in a result. `labels` in name order of creation; `properties` by name."""

    id: int
    labels: tuple[str, ...]
    properties: dict[str, Any]

    @property
    def element_id(self) -> str:
        return f"n{self.id}"


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship in a result; `start` and `end` are node ids."""

    id: int
    type: str
    start: int
    end: int
    properties: dict[str, Any]

    @property
    def element_id(self) -> str:
        return f"r{self.id}"


@dataclass(frozen=True, slots=True)
class Path:
    """A path in a result. len(nodes) == len(relationships) + 1."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]
