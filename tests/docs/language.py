"""The pages of the language: their examples, and values written as in Cypher.

A page with a graph is one of the language. Its blocks:

    ```cypher graph        the statements that make the graph, once a page
    ```json parameters     the parameters of the example that follows
    ```cypher              an example: statements ended by semicolons; a table below it shows the
                           rows of the last one, which it needs if that has columns
    ```cypher error        the same where the last statement fails; a line `> Type: message` follows

Every example begins with the page's graph; what it changes is gone behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from cypherd.values.graph import Node, Relationship
from cypherd.values.graph import Path as GraphPath
from tests.conftest import ROOT

_FENCE = re.compile(
    r"^```(?P<kind>cypher graph|cypher error|cypher|json parameters)\n(?P<text>.*?)^```\n"
    r"(?:\n(?P<shown>(?:^[|>][^\n]*\n)+))?",
    re.MULTILINE | re.DOTALL,
)
_ROW = re.compile(r"^\| `(.+?)` \| .*? \| `(.+?)` \| `(.+?)` \|$", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Example:
    """`shown`: what stands below it, "" if nothing; `start`, `end`: where that stands."""

    name: str
    fails: bool
    text: str
    parameters: Mapping[str, Any]
    shown: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LanguagePage:
    path: Path
    graph: str
    examples: tuple[Example, ...]

    @property
    def name(self) -> str:
        return self.path.stem


def language_pages() -> list[LanguagePage]:
    paths = sorted((ROOT / "docs").glob("*.md"))
    return [_read(path) for path in paths if is_of_language(path)]


def is_of_language(path: Path) -> bool:
    return "\n```cypher graph\n" in path.read_text(encoding="utf-8")


def _read(path: Path) -> LanguagePage:
    content = path.read_text(encoding="utf-8")
    graph = next(m["text"] for m in _FENCE.finditer(content) if m["kind"] == "cypher graph")
    return LanguagePage(path, graph, tuple(_examples(path, content)))


def _examples(path: Path, content: str) -> Iterator[Example]:
    parameters: Mapping[str, Any] = {}
    for block in _FENCE.finditer(content):
        if block["kind"] == "json parameters":
            parameters = json.loads(block["text"])
        elif block["kind"] != "cypher graph":
            line = content.count("\n", 0, block.start()) + 1
            text_end = block.end("text") + len("```\n")
            yield Example(
                f"{path.name}:{line}", block["kind"] == "cypher error", block["text"], parameters,
                block["shown"] or "", text_end, block.end(),
            )  # fmt: skip
            parameters = {}


def reference_rows(page: str) -> list[tuple[str, str, str]]:
    """Name, example and result (as JSON) of each row of the reference tables of docs/`page`."""
    content = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [
        (name, example.replace("\\|", "|"), result.replace("\\|", "|"))
        for name, example, result in _ROW.findall(content)
    ]


def table(columns: tuple[str, ...], rows: list[list[Any]]) -> str:
    """Rows as a table in Markdown."""
    lines = [list(columns), ["---"] * len(columns), *([literal(v) for v in row] for row in rows)]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def rows_of(shown: str) -> list[list[str]]:
    """The cells of a table, its first row the columns."""
    lines = shown.splitlines()
    cells = [[cell.strip() for cell in _CELLS.split(line)[1:-1]] for line in lines]
    return [cells[0], *cells[2:]]


def literal(value: Any) -> str:
    """A value as it is written in Cypher: `(:City {name: 'Oslo'})`, `[1, 2.0, null]`."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float() if value != value:
            return "NaN"
        case float() if value in (inf, -inf):
            return "Infinity" if value > 0 else "-Infinity"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case dict():
            return "{" + _entries(value) + "}"
        case list() | tuple() | range():
            return "[" + ", ".join(map(literal, value)) + "]"
        case Node():
            return f"({_inside(value.labels, value.properties)})"
        case Relationship():
            return f"[{_inside((value.type,), value.properties)}]"
        case GraphPath():
            return _path(value)
    return str(value)


def _entries(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {literal(value)}" for key, value in values.items())


def _inside(names: tuple[str, ...], properties: Mapping[str, Any]) -> str:
    written = "".join(f":{name}" for name in names)
    return " ".join(filter(None, [written, f"{{{_entries(properties)}}}" if properties else ""]))


def _path(path: GraphPath) -> str:
    text = literal(path.nodes[0])
    for relationship, node, next_node in zip(
        path.relationships, path.nodes, path.nodes[1:], strict=False
    ):
        outward = relationship.start == node.id
        before, behind = ("-", "->") if outward else ("<-", "-")
        text += f"{before}{literal(relationship)}{behind}{literal(next_node)}"
    return text
