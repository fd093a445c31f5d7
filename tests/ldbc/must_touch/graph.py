"""A graph in plain Python objects, from the CSV files of the social network or made by a test."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Direction = Literal["out", "in", "both"]

_NUMBERS = {"id", "creationDate", "birthday", "joinDate", "workFrom", "classYear", "length"}
_LABELLED_IN_FILE = {"Organisation", "Place"}
_MESSAGES = {"Comment", "Post"}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    labels: frozenset[str]
    properties: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.properties.get(key)


@dataclass(frozen=True, slots=True, eq=False)
class Relationship:
    type: str
    start: Node
    end: Node
    properties: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.properties.get(key)


@dataclass(slots=True)
class Graph:
    nodes: list[Node] = field(default_factory=list)
    _ends: dict[tuple[Node, str, bool], list[Relationship]] = field(
        default_factory=lambda: defaultdict(list)
    )
    _indexes: dict[tuple[str, str], dict[Any, list[Node]]] = field(default_factory=dict)

    def add_node(self, labels: frozenset[str], properties: Mapping[str, Any]) -> Node:
        node = Node(labels, properties)
        self.nodes.append(node)
        return node

    def relate(
        self, start: Node, type_: str, end: Node, properties: Mapping[str, Any] | None = None
    ) -> None:
        relationship = Relationship(type_, start, end, properties or {})
        self._ends[start, type_, False].append(relationship)
        self._ends[end, type_, True].append(relationship)

    def relationships(
        self, node: Node, type_: str, direction: Direction
    ) -> list[tuple[Relationship, Node]]:
        """Each with the node at its other end."""
        found: list[tuple[Relationship, Node]] = []
        if direction != "in":
            found += [(r, r.end) for r in self._ends.get((node, type_, False), ())]
        if direction != "out":
            found += [(r, r.start) for r in self._ends.get((node, type_, True), ())]
        return found

    def labelled(self, label: str) -> list[Node]:
        return [node for node in self.nodes if label in node.labels]

    def holding(self, label: str, key: str, value: Any) -> list[Node]:
        """Nodes of the label whose property `key` is `value`."""
        index = self._indexes.get((label, key))
        if index is None:
            index = self._indexes[label, key] = defaultdict(list)
            for node in self.labelled(label):
                index[node[key]].append(node)
        return index.get(value, [])


def read_graph(folder: Path) -> Graph:
    """The social network, whose files are named Label.csv and Label_TYPE_Label.csv."""
    graph = Graph()
    known: dict[tuple[str, int], Node] = {}
    for file in sorted((folder / "nodes").glob("*.csv")):
        for values in _records(file):
            known[file.stem, values["id"]] = graph.add_node(_labels(file.stem, values), values)
    for file in sorted((folder / "rels").glob("*.csv")):
        first, *words, last = file.stem.split("_")
        for values in _records(file):
            start, end = known[first, values["startId"]], known[last, values["endId"]]
            graph.relate(start, "_".join(words), end, values)
    return graph


def _labels(kind: str, values: dict[str, Any]) -> frozenset[str]:
    if kind in _LABELLED_IN_FILE:
        return frozenset({kind, values.pop("label")})
    return frozenset({kind, "Message"} if kind in _MESSAGES else {kind})


def _records(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8", newline="") as stream:
        for record in csv.DictReader(stream):
            yield {
                name: int(text) if name in _NUMBERS or name in ("startId", "endId") else text
                for name, text in record.items()
                if text != ""
            }
