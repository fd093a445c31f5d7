"""Grammar rules of label and type expressions -> AST. One method a rule, named as the rule.

Names that must all be there (for types: of which one must be) are kept apart from the rest of an
expression: they are what scans and expansions are made of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.lexer import Token
from cypherd.parser.literals import name_text

Children = list[Any]


class Labels(NamedTuple):
    """`names`: required labels, or types to choose from; `matching`: what else is asked for."""

    names: tuple[str, ...]
    matching: ast.LabelExpression | None


NO_LABELS = Labels((), None)


class _Expression(NamedTuple):
    """While parsing: `colons` are those between labels, `signs` the other operators."""

    tree: ast.LabelExpression
    colons: tuple[Token, ...] = ()
    signs: tuple[Token, ...] = ()


class LabelRules:
    def labels(self, children: Children) -> Labels:
        """`A:B` and `A&B` name two labels; `A|:B` is for types only."""
        expression = _checked(children[0])
        for sign in expression.signs:
            if sign.type == "LABEL_BAR" and sign.text != "|":
                raise _mixed(sign.at)
        operands = _operands(expression.tree, ast.LabelAnd)
        names = [part.name for part in operands if isinstance(part, ast.LabelName)]
        rest = tuple(part for part in operands if not isinstance(part, ast.LabelName))
        return Labels(tuple(names), _joined(rest))

    def types(self, children: Children) -> Labels:
        """`A|B` names two types, of which a relationship has one."""
        expression = children[0]
        if expression.colons:
            colon = expression.colons[0]
            raise CypherSyntaxError(
                "A relationship has one type: types are parted by |, not by a colon.",
                detail="UnexpectedSyntax",
                offset=colon.at,
                hint="write [:A|B] for one of several types",
            )
        operands = _operands(expression.tree, ast.LabelOr)
        if all(isinstance(part, ast.LabelName) for part in operands):
            return Labels(tuple(part.name for part in operands), None)  # type: ignore[attr-defined]
        if isinstance(expression.tree, ast.LabelAny):
            return NO_LABELS
        return Labels((), expression.tree)

    # --- parts --------------------------------------------------------------------------

    def label_either(self, children: Children) -> _Expression:
        left, bar, *colon, right = children
        sign = Token("LABEL_BAR", "|:", bar.at) if colon else bar
        return _combined(ast.LabelOr, left, right, (), (sign,))

    def label_both(self, children: Children) -> _Expression:
        left, sign, right = children
        if sign.type == "COLON":
            return _combined(ast.LabelAnd, left, right, (sign,), ())
        return _combined(ast.LabelAnd, left, right, (), (sign,))

    def label_negated(self, children: Children) -> _Expression:
        sign, operand = children
        tree = ast.LabelNot(operand.tree, at=sign.at)
        return _Expression(tree, operand.colons, (sign, *operand.signs))

    def label_name(self, children: Children) -> _Expression:
        token = children[0]
        return _Expression(ast.LabelName(name_text(token), at=token.at))

    def label_any(self, children: Children) -> _Expression:
        sign = children[0]
        return _Expression(ast.LabelAny(at=sign.at), (), (sign,))

    def label_group(self, children: Children) -> _Expression:
        bracket: Token = children[0]
        inside: _Expression = children[1]
        return inside._replace(signs=(bracket, *inside.signs))

    def label_dynamic(self, children: Children) -> _Expression:
        sign, names = children
        if sign.text not in ("$", "$all", "$any"):
            raise CypherSyntaxError(
                "Labels by an expression are $(...), $all(...) or $any(...).",
                detail="UnexpectedSyntax",
                offset=sign.at,
            )
        return _Expression(ast.LabelDynamic(names, sign.text == "$any", at=sign.at))


def _combined(
    kind: type[ast.LabelAnd] | type[ast.LabelOr],
    left: _Expression,
    right: _Expression,
    colons: tuple[Token, ...],
    signs: tuple[Token, ...],
) -> _Expression:
    operands = (*_operands(left.tree, kind), *_operands(right.tree, kind))
    return _Expression(
        kind(operands, at=left.tree.at),
        (*left.colons, *colons, *right.colons),
        (*left.signs, *signs, *right.signs),
    )


def _operands(
    tree: ast.LabelExpression, kind: type[ast.LabelAnd] | type[ast.LabelOr]
) -> tuple[ast.LabelExpression, ...]:
    return tree.operands if isinstance(tree, kind) else (tree,)


def _joined(operands: tuple[ast.LabelExpression, ...]) -> ast.LabelExpression | None:
    if len(operands) < 2:
        return operands[0] if operands else None
    return ast.LabelAnd(operands, at=operands[0].at)


def _checked(expression: _Expression) -> _Expression:
    if expression.colons and expression.signs:
        raise _mixed(expression.colons[0].at)
    return expression


def _mixed(offset: int) -> CypherSyntaxError:
    return CypherSyntaxError(
        "Label expressions with |, &, ! or % cannot have a colon between labels.",
        detail="UnexpectedSyntax",
        offset=offset,
        hint="write & instead of the colon: :A&B",
    )


def listed_labels(
    labels: Labels, clause: str, offset: int
) -> tuple[tuple[str, ...], tuple[ast.Expression, ...]]:
    """Names, and expressions that give names, where labels can only be listed.

    Raises CypherSyntaxError for any other form."""
    rest = () if labels.matching is None else _operands(labels.matching, ast.LabelAnd)
    names = [part.names for part in rest if isinstance(part, ast.LabelDynamic) and not part.any]
    if len(names) < len(rest):
        return plain_labels(labels, clause, offset), ()
    return labels.names, tuple(names)


def plain_labels(labels: Labels, clause: str, offset: int) -> tuple[str, ...]:
    """The names, where labels can only be listed. Raises CypherSyntaxError for any other form."""
    if labels.matching is not None:
        raise CypherSyntaxError(
            f"{clause} takes labels one by one: n:A:B.", detail="UnexpectedSyntax", offset=offset
        )
    return labels.names
