"""Expressions of labels and relationship types."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.parser.ast.base import Node
from cypherd.parser.ast.expressions import Expression


@dataclass(frozen=True, slots=True)
class LabelExpression(Node):
    """What is asked of a node's labels, or of a relationship's type."""


@dataclass(frozen=True, slots=True)
class LabelName(LabelExpression):
    name: str


@dataclass(frozen=True, slots=True)
class LabelAny(LabelExpression):
    """`%`: any label at all."""


@dataclass(frozen=True, slots=True)
class LabelDynamic(LabelExpression):
    """`$(names)`, `$all(names)`, `$any(names)`: a string or a list of them."""

    names: Expression
    any: bool


@dataclass(frozen=True, slots=True)
class LabelNot(LabelExpression):
    operand: LabelExpression


@dataclass(frozen=True, slots=True)
class LabelAnd(LabelExpression):
    operands: tuple[LabelExpression, ...]


@dataclass(frozen=True, slots=True)
class LabelOr(LabelExpression):
    operands: tuple[LabelExpression, ...]
