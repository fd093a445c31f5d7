"""How deep a tree is. The parser does not recurse, but everything behind it does."""

from __future__ import annotations

from typing import Any

from cypherd.parser import ast
from cypherd.parser.marking import too_deep


def check_nesting(statement: ast.Statement, max_nesting: int) -> None:
    """Raises CypherSyntaxError where nodes are nested deeper than `max_nesting`."""
    level: list[Any] = [statement.body]
    for _ in range(max_nesting + _CLAUSE_LEVELS):
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise too_deep(max_nesting, min(_offset(node) for node in level))


# Query, clause, projection, item: levels that a flat query has.
_CLAUSE_LEVELS = 8


def _children(node: Any) -> list[Any]:
    """The nodes directly below, through tuples."""
    found: list[Any] = []
    values = [getattr(node, name) for name in _fields(type(node))]
    while values:
        value = values.pop()
        if isinstance(value, ast.Node):
            found.append(value)
        elif isinstance(value, tuple):
            values.extend(value)
    return found


def _fields(kind: type) -> list[str]:
    return [name for name in kind.__match_args__ if name != "at"]  # type: ignore[attr-defined]


def _offset(node: ast.Node) -> int:
    return max(node.at, 0)
