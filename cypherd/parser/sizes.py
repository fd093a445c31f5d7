"""How many relationships one pattern may have: the order to find them in is searched for, and
every two of them must differ, which takes time in proportion to the square of their number."""

from __future__ import annotations

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.nesting import children


def check_patterns(statement: ast.Statement, max_pattern: int) -> None:
    """Raises CypherSyntaxError at the clause or expression that asks for more than `max_pattern`
    relationships. What CREATE makes is not searched for and may be longer."""
    waiting: list[ast.Node] = [statement.body]
    while waiting:
        node = waiting.pop()
        if sum(_relationships(path.elements) for path in _paths(node)) > max_pattern:
            raise CypherSyntaxError(
                f"A pattern may have at most {max_pattern:,} relationships (setting max_pattern).",
                detail="PatternTooLong",
                offset=max(node.at, 0),
            )
        waiting.extend(children(node))


def _paths(node: ast.Node) -> tuple[ast.PathPattern, ...]:
    """The paths that are searched for together."""
    if isinstance(node, ast.Match):
        return node.patterns
    if isinstance(node, ast.Merge | ast.PatternExpression | ast.PatternComprehension):
        return (node.pattern,)
    return ()


def _relationships(elements: tuple[ast.PathElement, ...]) -> int:
    """Those inside of groups count as well."""
    return sum(
        _relationships(element.elements) if isinstance(element, ast.PathGroup) else 1
        for element in elements[1::2]
    )
