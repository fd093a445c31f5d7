"""Which clauses write."""

from __future__ import annotations

from cypherd.parser import ast

_UPDATES = (ast.Create, ast.Merge, ast.Set, ast.Remove, ast.Delete, ast.Foreach)


def is_update(clause: ast.Clause) -> bool:
    """Does the clause write, or a query inside it?"""
    if isinstance(clause, ast.CallSubquery):
        return any(is_update(inner) for part in clause.query.parts for inner in part)
    return isinstance(clause, _UPDATES)
