"""Grammar rules of nodes and relationships -> AST. One method a rule, named as the rule."""

from __future__ import annotations

from cypherd.parser import ast
from cypherd.parser.labels import NO_LABELS
from cypherd.parser.literals import name_text
from cypherd.parser.paths import Children, PathRules, misplaced


class PatternRules(PathRules):
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
