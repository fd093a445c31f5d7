"""Expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cypherd.parser.ast.base import Node
from cypherd.values.value_types import ValueType

if TYPE_CHECKING:
    from cypherd.parser.ast.labels import LabelExpression
    from cypherd.parser.ast.patterns import PathPattern
    from cypherd.parser.ast.statements import Query


@dataclass(frozen=True, slots=True)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """null, true, false, an integer (checked to fit 64 bits), a float or a string."""

    value: Any


@dataclass(frozen=True, slots=True)
class ListLiteral(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MapLiteral(Expression):
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    name: str


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """`$name`, `$0`, or the old `{name}`."""

    name: str


@dataclass(frozen=True, slots=True)
class Property(Expression):
    source: Expression
    key: str


@dataclass(frozen=True, slots=True)
class Subscript(Expression):
    source: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    source: Expression
    start: Expression | None
    end: Expression | None


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """operator: "not", "+", "-"."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """operator: "+", "-", "*", "/", "%", "^", "||", "and", "or", "xor", "in", "starts with",
    "ends with", "contains", "=~"."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    """`a < b <= c`: len(operators) == len(operands) - 1; "=", "<>", "<", "<=", ">", ">="."""

    operands: tuple[Expression, ...]
    operators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IsNull(Expression):
    operand: Expression
    negated: bool


@dataclass(frozen=True, slots=True)
class IsTyped(Expression):
    """`x IS [NOT] :: INTEGER`."""

    operand: Expression
    type: ValueType
    negated: bool


@dataclass(frozen=True, slots=True)
class IsNormalized(Expression):
    """`x IS [NOT] NFKC NORMALIZED`; form: "NFC", "NFD", "NFKC" or "NFKD"."""

    operand: Expression
    form: str
    negated: bool


@dataclass(frozen=True, slots=True)
class HasLabels(Expression):
    """`n:A:B` as a predicate, and whatever else `matching` asks for: `n:A|B`, `n:!C`."""

    source: Expression
    labels: tuple[str, ...]
    matching: LabelExpression | None = None


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class CountStar(Expression):
    pass


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """With a subject: the simple form."""

    subject: Expression | None
    alternatives: tuple[tuple[Expression, Expression], ...]
    default: Expression | None


@dataclass(frozen=True, slots=True)
class ListComprehension(Expression):
    variable: str
    source: Expression
    where: Expression | None
    projection: Expression | None


@dataclass(frozen=True, slots=True)
class Quantifier(Expression):
    """kind: "all", "any", "none", "single"."""

    kind: str
    variable: str
    source: Expression
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Reduce(Expression):
    accumulator: str
    initial: Expression
    variable: str
    source: Expression
    expression: Expression


@dataclass(frozen=True, slots=True)
class MapProjection(Expression):
    """`n {.*, .name, key: expression, other}`; an item is (key, expression) or ("*", None)
    for all properties; `.name` is ("name", Property), a bare variable ("other", Variable)."""

    variable: Variable
    items: tuple[tuple[str, Expression | None], ...]


@dataclass(frozen=True, slots=True)
class PatternExpression(Expression):
    """`(a)-[:T]->(b)` as a predicate, also inside `exists(...)`."""

    pattern: PathPattern


@dataclass(frozen=True, slots=True)
class PatternComprehension(Expression):
    pattern: PathPattern
    where: Expression | None
    projection: Expression


@dataclass(frozen=True, slots=True)
class SubqueryExpression(Expression):
    """kind: "exists", "count", "collect"; the body is a query, or `MATCH`-less patterns as a
    query of one Match clause."""

    kind: str
    query: Query
