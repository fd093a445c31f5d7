"""Grammar rules of paths -> AST: what stands next to what, groups, and which paths are wanted."""

from __future__ import annotations

from typing import Any

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.labels import LabelRules
from cypherd.parser.lexer import Token
from cypherd.parser.literals import MINIMUM_MAGNITUDE, integer_overflow, integer_value, name_text

SHORTEST = {"shortestpath": "shortestPath", "allshortestpaths": "allShortestPaths"}
Children = list[Any]
_PATH_WORDS = frozenset({"path", "paths"})
_GROUP_WORDS = frozenset({"group", "groups"})


class PathRules(LabelRules):
    def patterns(self, children: Children) -> tuple[ast.PathPattern, ...]:
        return tuple(children)

    def named_path(self, children: Children) -> ast.PathPattern:
        name, path = children
        return ast.PathPattern(
            name_text(name), path.elements, path.shortest, path.selector, path.where, at=name.at
        )

    def shortest_path(self, children: Children) -> ast.PathPattern:
        name, path = children
        shortest = SHORTEST.get(name_text(name).lower())
        if shortest is None:
            raise misplaced(name.at, "A pattern begins with ( or shortestPath( here")
        if path.where is not None:
            raise misplaced(path.where.at, f"{shortest} takes no WHERE inside; write it behind")
        return ast.PathPattern(None, path.elements, shortest, at=name.at)

    def selected_path(self, children: Children) -> ast.PathPattern:
        selector, path = children
        at = path.at if selector is None else selector.at
        return ast.PathPattern(None, path.elements, selector=selector, where=path.where, at=at)

    def path(self, children: Children) -> ast.PathPattern:
        first = children[0]
        if len(children) == 1 and isinstance(first, _Parenthesized):
            return ast.PathPattern(None, first.elements, where=first.where, at=first.at)
        elements: list[ast.PathElement] = []
        for child in children:
            _append(elements, child)
        if not isinstance(elements[-1], ast.NodePattern):
            _append_end(elements)
        return ast.PathPattern(None, tuple(elements), at=first.at)

    def group(self, children: Children) -> ast.PathGroup | _Parenthesized:
        token, path, where, quantifier = children
        if path.where is not None:
            raise misplaced(path.at, "One pair of parentheses around a path is enough")
        if quantifier is None:
            return _Parenthesized(path.elements, where, token.at)
        _check_repeatable(path, token)
        return ast.PathGroup(path.elements, where, quantifier, at=token.at)

    def quantifier(self, children: Children) -> ast.VariableLength:
        sign = children[0]
        if sign.type != "LBRACE":
            return ast.VariableLength(int(sign.type == "PLUS"), None, at=sign.at)
        _, first, comma, second = children
        if first is None and comma is None:
            raise misplaced(sign.at, "A quantifier needs a number: {2}, {1,3}, {2,} or {,3}")
        minimum = 0 if first is None else self._bound(first)
        maximum = None if second is None else self._bound(second)
        if comma is None:
            maximum = minimum
        if maximum is not None and maximum < max(minimum, 1):
            raise misplaced(
                sign.at,
                "A quantifier ends at 1 or more"
                if minimum <= maximum
                else f"A quantifier cannot begin at {minimum} and end at {maximum}",
            )
        return ast.VariableLength(minimum, maximum, at=sign.at)

    def _bound(self, token: Token) -> int:
        value = integer_value(token)
        if value == MINIMUM_MAGNITUDE:
            raise integer_overflow(token)
        return value

    # --- selectors ----------------------------------------------------------------------

    def selector(self, children: Children) -> ast.Selector | None:
        """`ANY [SHORTEST | k]`, `ALL SHORTEST`, `SHORTEST k [GROUPS]`, `SHORTEST GROUPS`; PATH or
        PATHS may stand behind. `ALL` alone selects nothing."""
        words = [child for child in children if isinstance(child, Token)]
        texts = [word.text.lower() for word in words if word.type == "SELECTOR"]
        counts = [child for child in children if not _is_word(child)]
        count = None if not counts else self._count(counts[0])
        at = words[0].at
        plain = [text for text in texts if text not in _PATH_WORDS]
        groups = plain[-1:] != [] and plain[-1] in _GROUP_WORDS
        if groups:
            plain.pop()
        if plain == ["shortest"] and (count is not None or groups):
            return ast.Selector(count, groups, at=at)
        if plain in (["any"], ["any", "shortest"]) and not groups:
            if plain == ["any"] or count is None:
                return ast.Selector(count, False, at=at)
        elif plain == ["all", "shortest"] and count is None and not groups:
            return ast.Selector(None, True, at=at)
        elif plain == ["all"] and count is None and not groups:
            return None
        raise misplaced(
            at,
            "Paths are selected by ANY, ANY k, ANY SHORTEST, ALL SHORTEST, SHORTEST k or "
            "SHORTEST k GROUPS, with k a number from 1 or a parameter",
        )

    def _count(self, count: Any) -> ast.Expression:
        if not isinstance(count, Token):
            found: ast.Expression = count
            return found
        value = self._bound(count)
        if not value:
            raise misplaced(count.at, "The number of paths is 1 or more")
        return ast.Constant(value, at=count.at)


class _Parenthesized:
    """`(path WHERE ...)`, which no quantifier follows."""

    def __init__(
        self, elements: tuple[ast.PathElement, ...], where: ast.Expression | None, at: int
    ) -> None:
        self.elements = elements
        self.where = where
        self.at = at


def _is_word(child: Any) -> bool:
    return child is None or (isinstance(child, Token) and child.type == "SELECTOR")


def _append(elements: list[ast.PathElement], child: Any) -> None:
    """One element more, and nodes without a name where groups meet. Raises CypherSyntaxError where
    it cannot stand."""
    last = elements[-1] if elements else None
    if isinstance(child, _Parenthesized):
        raise misplaced(
            child.at,
            "Behind a part of a path in parentheses a quantifier is missing: {1,3}, + or *",
        )
    if isinstance(child, ast.NodePattern):
        if isinstance(last, ast.NodePattern):
            raise misplaced(child.at, "Between two nodes a relationship or a comma is missing")
    elif isinstance(child, ast.PathGroup):
        if isinstance(last, ast.RelationshipPattern):
            raise misplaced(child.at, "Between a relationship and a quantified part stands a node")
        if not isinstance(last, ast.NodePattern):
            elements.append(ast.NodePattern(None, (), None, at=child.at))
    elif not isinstance(last, ast.NodePattern):
        raise misplaced(child.at, "A relationship begins at a node")
    elements.append(child)


def _append_end(elements: list[ast.PathElement]) -> None:
    last = elements[-1]
    if isinstance(last, ast.RelationshipPattern):
        raise misplaced(last.at, "A relationship ends at a node")
    elements.append(ast.NodePattern(None, (), None, at=last.at))


def _check_repeatable(path: ast.PathPattern, opening: Token) -> None:
    relationships = path.elements[1::2]
    if not relationships:
        raise misplaced(opening.at, "A quantified part of a path has at least one relationship")
    for element in relationships:
        if isinstance(element, ast.PathGroup):
            raise misplaced(element.at, "Quantified parts of a path cannot stand in one another")
        assert isinstance(element, ast.RelationshipPattern)
        if element.length is not None:
            raise misplaced(
                element.length.at, "In a quantified part of a path a relationship has no length"
            )


def misplaced(offset: int, what: str) -> CypherSyntaxError:
    return CypherSyntaxError(f"{what}.", detail="UnexpectedSyntax", offset=offset)
