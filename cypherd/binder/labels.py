"""Label expressions: from the AST to predicates on a node or relationship."""

from __future__ import annotations

from cypherd.binder import expressions as bound
from cypherd.binder.expressions import BoundExpression
from cypherd.binder.expressions_binder import bind, binds
from cypherd.binder.scopes import Environment
from cypherd.binder.types import require
from cypherd.parser import ast
from cypherd.values.types import CypherType as T

_NAMES = frozenset({T.STRING, T.LIST})


@binds(ast.HasLabels)
def _has_labels(node: ast.HasLabels, environment: Environment) -> BoundExpression:
    source = bind(node.source, environment)
    require(source, frozenset({T.NODE, T.RELATIONSHIP}), "a node or relationship")
    return labels_predicate(source, node.labels, node.matching, environment, node.at)


def labels_predicate(
    source: BoundExpression,
    labels: tuple[str, ...],
    matching: ast.LabelExpression | None,
    environment: Environment,
    at: int,
) -> BoundExpression:
    """That `source` has all labels, and those that `matching` asks for; one of both is given."""
    parts: list[BoundExpression] = []
    if labels:
        parts.append(bound.HasLabels(source, labels, type=T.BOOLEAN, at=at))
    if matching is not None:
        parts.append(matches(source, matching, environment))
    return parts[0] if len(parts) == 1 else bound.And(tuple(parts), type=T.BOOLEAN, at=at)


def matches(
    source: BoundExpression, expression: ast.LabelExpression, environment: Environment
) -> BoundExpression:
    """Whether the labels of a node, or the type of a relationship, are as the expression says."""
    at = expression.at
    match expression:
        case ast.LabelName(name):
            return bound.HasLabels(source, (name,), type=T.BOOLEAN, at=at)
        case ast.LabelAny():
            return bound.HasLabels(source, (), type=T.BOOLEAN, at=at)
        case ast.LabelDynamic(names, any_):
            value = bind(names, environment)
            require(value, _NAMES, "a string or a list of strings")
            return bound.HasDynamicLabels(source, value, any_, type=T.BOOLEAN, at=at)
        case ast.LabelNot(operand):
            return bound.Not(matches(source, operand, environment), type=T.BOOLEAN, at=at)
    assert isinstance(expression, ast.LabelAnd | ast.LabelOr)
    kind = bound.And if isinstance(expression, ast.LabelAnd) else bound.Or
    operands = tuple(matches(source, part, environment) for part in expression.operands)
    return kind(operands, type=T.BOOLEAN, at=at)
