"""Forms of older versions of Cypher, as the text has them: what to write in their place.

They all work here; Neo4j 5 warns of some and takes others no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from cypherd.functions.registry import find_functions
from cypherd.parser import ast

_SEVERAL_TYPES = re.compile(
    r"<?-\s*\[\s*(?:\w+|`[^`]*`)?\s*:\s*(?:\w+|`[^`]*`)(?:\s*\|\s*(?:\w+|`[^`]*`))*\s*\|\s*:"
)
_OLD_COMMAND = re.compile(r"\s*(CREATE|DROP)\s+(INDEX|CONSTRAINT)\s+ON\b", re.IGNORECASE)


def deprecated(text: str, statement: ast.Statement) -> Iterator[tuple[str, int]]:
    """(what is deprecated and what replaces it, its offset in the text)."""
    if isinstance(statement.body, ast.Query):
        yield from _within(statement.body, text)
    elif (command := _OLD_COMMAND.match(text, max(statement.body.at, 0))) is not None:
        what, kind = command[1].upper(), command[2].upper()
        new = {
            "CREATE INDEX": "CREATE INDEX FOR (n:Label) ON (n.key)",
            "CREATE CONSTRAINT": "CREATE CONSTRAINT FOR (n:Label) REQUIRE ...",
        }.get(f"{what} {kind}", f"{what} {kind} name")
        yield f"{what} {kind} ON is a form of old; write {new}", command.start(1)


def _within(node: Any, text: str) -> Iterator[tuple[str, int]]:
    """Recursion goes as deep as the limit on nesting allows, like all passes over a tree."""
    if isinstance(node, tuple):
        for item in node:
            yield from _within(item, text)
        return
    if not isinstance(node, ast.Node):
        return
    found = _form(node, text)
    if found is not None:
        yield found, node.at
    for member in fields(node):
        value = getattr(node, member.name)
        if isinstance(value, (tuple, ast.Node)):
            yield from _within(value, text)


def _form(node: ast.Node, text: str) -> str | None:
    match node:
        case ast.Start():
            return "START is a clause of old; MATCH finds by id, label and property"
        case ast.FunctionCall(arguments=(ast.PatternExpression(),)):
            return None
        case ast.FunctionCall(name=name):
            overloads = find_functions(name.lower())
            new = overloads[0].deprecated_by if overloads else None
            return None if new is None else f"{name}() is a function of old; write {new}"
        case ast.Parameter(name=name) if text[node.at : node.at + 1] == "{":
            return f"{{{name}}} is a parameter's form of old; write ${name}"
        case ast.ListComprehension(projection=projection) if text[node.at : node.at + 1] != "[":
            name, rest = ("filter", "WHERE ...") if projection is None else ("extract", "| ...")
            return f"{name}() is a form of old; write [x IN list {rest}]"
        case ast.RelationshipPattern() if _SEVERAL_TYPES.match(text, max(node.at, 0)):
            return "a colon before every type is a form of old; write [:A|B]"
        case ast.CallSubquery(imports=None, query=query) if any(
            isinstance(part[0], ast.With) and _imports(part[0]) for part in query.parts if part
        ):
            return "a WITH that only imports is a form of old; write CALL (names) { ... }"
    return None


def _imports(clause: ast.With) -> bool:
    items = clause.projection.items
    return all(isinstance(item.expression, ast.Variable) for item in items)
