"""The counting walk: what it touches is a set, so nothing counts twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tests.ldbc.must_touch.graph import Direction, Graph, Node, Relationship

Parameters: TypeAlias = Mapping[str, Any]
Ways: TypeAlias = dict[Node, list[tuple[Node, ...]]]
"""The shortest ways that lead to each node met."""


class Walk:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._touched: set[Hashable] = set()

    @property
    def touched(self) -> int:
        return len(self._touched)

    def seek(self, label: str, key: str, value: Any) -> list[Node]:
        """Index entries of one value; a value that is nowhere is one look all the same."""
        found = self._graph.holding(label, key, value)
        self._touched.update(("index", label, key, node) for node in found)
        if not found:
            self._touched.add(("index", label, key, value))
        return found

    def scan(self, label: str) -> list[Node]:
        found = self._graph.labelled(label)
        self._touched.update(("label", label, node) for node in found)
        return found

    def expand(
        self, node: Node, type_: str, direction: Direction
    ) -> list[tuple[Relationship, Node]]:
        """Relationships of one node, each with the node that it leads to."""
        found = self._graph.relationships(node, type_, direction)
        self._touched.update((node, relationship) for relationship, _ in found)
        if not found:
            self._touched.add((node, type_, direction))
        return found

    def follow(self, node: Node, type_: str, direction: Direction) -> list[Node]:
        return [end for _, end in self.expand(node, type_, direction)]

    def related(self, one: Node, other: Node, type_: str) -> bool:
        """Whether a relationship runs between the two, either way: one look."""
        self._touched.add(("pair", frozenset({one, other}), type_))
        return any(end is other for _, end in self._graph.relationships(one, type_, "both"))

    def read(self, *things: Node | Relationship) -> None:
        """Labels or properties of each."""
        self._touched.update(things)

    def having(self, label: str, nodes: Iterable[Node]) -> list[Node]:
        """Those with the label: each has to be read for it."""
        seen = list(nodes)
        self.read(*seen)
        return [node for node in seen if label in node.labels]

    def include(self, walks: Sequence[Callable[[Walk], None]]) -> None:
        """Go the way, of several that lead to the same, that touches least."""
        ways: list[set[Hashable]] = []
        for walk in walks:
            way = Walk(self._graph)
            way._touched = set(self._touched)
            walk(way)
            ways.append(way._touched)
        self._touched = min(ways, key=len)


def circle(walk: Walk, person: Node) -> list[Node]:
    """Friends and friends of friends over KNOWS, without the person."""
    friends = walk.follow(person, "KNOWS", "both")
    found = dict.fromkeys(friends)
    for friend in friends:
        found |= dict.fromkeys(walk.follow(friend, "KNOWS", "both"))
    found.pop(person, None)
    return list(found)


def shortest_paths(
    walk: Walk, start: Node, end: Node, longest: int | None = None
) -> list[tuple[Node, ...]]:
    """Nodes of each shortest path over KNOWS: breadth first from both ends, the smaller side
    first, until they meet."""
    sides: tuple[Ways, Ways] = ({start: [(start,)]}, {end: [(end,)]})
    newest: list[list[Node]] = [[start], [end]]
    depth = 0
    while all(newest) and (longest is None or depth < longest):
        depth += 1
        side = 0 if len(newest[0]) <= len(newest[1]) else 1
        newest[side] = _step(walk, newest[side], sides[side])
        meeting = [node for node in newest[side] if node in sides[1 - side]]
        if meeting:
            return [
                (*there, *reversed(back[:-1]))
                for node in meeting
                for there in sides[0][node]
                for back in sides[1][node]
            ]
    return []


def _step(walk: Walk, frontier: Sequence[Node], ways: Ways) -> list[Node]:
    fresh: Ways = {}
    for node in frontier:
        for near in walk.follow(node, "KNOWS", "both"):
            if near not in ways:
                fresh.setdefault(near, []).extend((*way, near) for way in ways[node])
    ways.update(fresh)
    return list(fresh)
