"""Grammar rules of patterns -> AST. One method a rule, named as the rule."""

from __future__ import annotations

from typing import Any

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.labels import NO_LABELS, LabelRules
from cypherd.parser.lexer import Token
from cypherd.parser.literals import (
    MINIMUM_MAGNITUDE,
    integer_overflow,
    integer_value,
    name_text,
)

SHORTEST = {"shortestpath": "shortestPath", "allshortestpaths": "allShortestPaths"}
Children = list[Any]


class PatternRules(LabelRules):
    def patterns(self, children: Children) -> tuple[ast.PathPattern, ...]:
        return tuple(children)

    def named_path(self, children: Children) -> ast.PathPattern:
        name, path = children
        return ast.PathPattern(name_text(name), path.elements, path.shortest, at=name.at)

    def shortest_path(self, children: Children) -> ast.PathPattern:
        name, path = children
        shortest = SHORTEST.get(name_text(name).lower())
        if shortest is None:
            raise misplaced(name.at, "A pattern begins with ( or shortestPath( here")
        return ast.PathPattern(None, path.elements, shortest, at=name.at)

    def path(self, children: Children) -> ast.PathPattern:
        return ast.PathPattern(None, tuple(children), at=children[0].at)

    def pattern_expression(self, children: Children) -> ast.PatternExpression:
        path = self.path(children)
        return ast.PatternExpression(path, at=path.at)

    def node(self, children: Children) -> ast.NodePattern:
        token, name, labels, properties, where = children
        variable = None if name is None else name_text(name)
        names, matching = labels or NO_LABELS
        return ast.NodePattern(variable, names, properties, where, matching, at=token.at)

    def relationship(self, children: Children) -> ast.RelationshipPattern:
        start, detail, arrow, quantifier = children
        direction: ast.Direction = "both"
        if start.type == "REL_LEFT" and arrow is None:
            direction = "in"
        elif start.type == "REL_DASH" and arrow is not None:
            direction = "out"
        if detail is None:
            return ast.RelationshipPattern(None, (), direction, quantifier, None, at=start.at)
        name, types, length, properties, where = detail
        if quantifier is not None:
            if length is not None:
                raise misplaced(quantifier.at, "A relationship has one length: * or a quantifier")
            length = quantifier
        variable = None if name is None else name_text(name)
        types, matching = types or NO_LABELS
        return ast.RelationshipPattern(
            variable, types, direction, length, properties, where, matching, at=start.at
        )

    def relationship_detail(self, children: Children) -> Children:
        return children

    def length(self, children: Children) -> ast.VariableLength:
        star, first, dots, second = children
        minimum = None if first is None else self._bound(first)
        if dots is None:
            return ast.VariableLength(minimum, minimum, at=star.at)
        maximum = None if second is None else self._bound(second)
        return ast.VariableLength(minimum, maximum, at=star.at)

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


def misplaced(offset: int, what: str) -> CypherSyntaxError:
    return CypherSyntaxError(f"{what}.", detail="UnexpectedSyntax", offset=offset)
