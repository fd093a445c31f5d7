"""How deep a tree is. The parser does not recurse, but everything behind it does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from cypherd.parser import ast
from cypherd.parser.marking import too_deep


def check_nesting(statement: ast.Statement, max_nesting: int) -> None:
    """Raises CypherSyntaxError where nodes are nested deeper than `max_nesting`."""
    level: list[ast.Node] = [statement.body]
    for _ in range(max_nesting + _CLAUSE_LEVELS):
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise too_deep(max_nesting, min(_offset(node) for node in level))


# Query, clause, projection, item: levels that a flat query has.
_CLAUSE_LEVELS = 8


def children(node: ast.Node) -> list[ast.Node]:
    """The nodes directly below, through tuples."""
    found: list[ast.Node] = []
    kind: Any = type(node)
    values: list[Any] = [getattr(node, name) for name in _fields(kind)]
    while values:
        value = values.pop()
        if isinstance(value, ast.Node):
            found.append(value)
        elif isinstance(value, tuple):
            values.extend(value)
    return found


def nodes(tree: ast.Node) -> Iterator[ast.Node]:
    """The node and all below it, in no order that means anything."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "at")


def _offset(node: ast.Node) -> int:
    return max(node.at, 0)
