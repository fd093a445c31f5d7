"""The abstract syntax tree: what the text says, before anything is looked up.

Frozen, slotted dataclasses. `at` is the character offset of the node in the text (its first
character, or the operator for a binary one); it does not take part in equality.
Names are as written, backquotes removed; function names keep their case and dots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cypherd.values.value_types import ValueType

Direction: TypeAlias = Literal["out", "in", "both"]


@dataclass(frozen=True, slots=True)
class Node:
    at: int = field(default=-1, compare=False, kw_only=True)


# --- expressions ------------------------------------------------------------------------


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
    """operator: "+", "-", "*", "/", "%", "^", "and", "or", "xor", "in", "starts with",
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


# --- labels and types -------------------------------------------------------------------


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


# --- patterns ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NodePattern(Node):
    """It must have all `labels`, and those that `matching` asks for."""

    variable: str | None
    labels: tuple[str, ...]
    properties: Expression | None
    where: Expression | None = None
    matching: LabelExpression | None = None


@dataclass(frozen=True, slots=True)
class VariableLength(Node):
    """`*`, `*2`, `*1..3`, `*..3`, `*2..`; None is an open end."""

    minimum: int | None
    maximum: int | None


@dataclass(frozen=True, slots=True)
class RelationshipPattern(Node):
    """Its type is one of `types` if there are any, and as `matching` asks for."""

    variable: str | None
    types: tuple[str, ...]
    direction: Direction
    length: VariableLength | None
    properties: Expression | None
    where: Expression | None = None
    matching: LabelExpression | None = None


@dataclass(frozen=True, slots=True)
class PathPattern(Node):
    """`elements` alternates NodePattern, RelationshipPattern, ..., NodePattern.
    `shortest`: None, "shortestPath" or "allShortestPaths"."""

    variable: str | None
    elements: tuple[NodePattern | RelationshipPattern, ...]
    shortest: str | None = None


# --- clauses ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clause(Node):
    pass


@dataclass(frozen=True, slots=True)
class Match(Clause):
    patterns: tuple[PathPattern, ...]
    optional: bool
    where: Expression | None


@dataclass(frozen=True, slots=True)
class StartItem(Node):
    """`n=node(1,2)`, `n=node(*)` (ids is "*"), `n=node:person(firstName={x})` (index, key,
    value), `n=node:person('firstName:Bob')` (index, query), the same with relationship.
    `ids` may also be one Parameter: `node({ids})`."""

    variable: str
    kind: Literal["node", "relationship"]
    ids: tuple[Expression, ...] | Literal["*"] | None
    index: str | None
    key: str | None
    value: Expression | None
    query: Expression | None


@dataclass(frozen=True, slots=True)
class Start(Clause):
    items: tuple[StartItem, ...]
    where: Expression | None


@dataclass(frozen=True, slots=True)
class ProjectionItem(Node):
    """`alias` is None where none was written; `text` is the item as written (the name of an
    unaliased column)."""

    expression: Expression
    alias: str | None
    text: str


@dataclass(frozen=True, slots=True)
class SortItem(Node):
    expression: Expression
    ascending: bool


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """The body of WITH and RETURN; `star` is `*`, which may be followed by items."""

    distinct: bool
    star: bool
    items: tuple[ProjectionItem, ...]
    order: tuple[SortItem, ...]
    skip: Expression | None
    limit: Expression | None


@dataclass(frozen=True, slots=True)
class With(Clause):
    projection: Projection
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Return(Clause):
    projection: Projection


@dataclass(frozen=True, slots=True)
class Unwind(Clause):
    expression: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class Create(Clause):
    patterns: tuple[PathPattern, ...]


@dataclass(frozen=True, slots=True)
class SetProperty(Node):
    target: Property
    value: Expression


@dataclass(frozen=True, slots=True)
class SetProperties(Node):
    """`n = map` (replace) or `n += map`."""

    target: Variable
    value: Expression
    replace: bool


@dataclass(frozen=True, slots=True)
class SetLabels(Node):
    target: Variable
    labels: tuple[str, ...]


SetItem: TypeAlias = SetProperty | SetProperties | SetLabels


@dataclass(frozen=True, slots=True)
class Merge(Clause):
    pattern: PathPattern
    on_create: tuple[SetItem, ...]
    on_match: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True)
class Set(Clause):
    items: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True)
class RemoveProperty(Node):
    target: Property


@dataclass(frozen=True, slots=True)
class RemoveLabels(Node):
    target: Variable
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remove(Clause):
    items: tuple[RemoveProperty | RemoveLabels, ...]


@dataclass(frozen=True, slots=True)
class Delete(Clause):
    expressions: tuple[Expression, ...]
    detach: bool


@dataclass(frozen=True, slots=True)
class Foreach(Clause):
    variable: str
    source: Expression
    updates: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class YieldItem(Node):
    name: str
    alias: str | None


@dataclass(frozen=True, slots=True)
class CallProcedure(Clause):
    """`arguments` None: called without parentheses. `yields` None: no YIELD; "*": YIELD *."""

    name: str
    arguments: tuple[Expression, ...] | None
    yields: tuple[YieldItem, ...] | Literal["*"] | None
    where: Expression | None


@dataclass(frozen=True, slots=True)
class Show(Clause):
    """`SHOW words [YIELD ... ORDER BY ... SKIP ... LIMIT ...] [WHERE ...]`. The last of the words,
    which are in capitals, says what is shown: INDEXES, CONSTRAINTS, ... `yields` None: no YIELD;
    "*": YIELD *. TERMINATE and RETURN, if there, are clauses of their own. `ids`: texts and
    parameters behind the words: names of what is wanted."""

    words: tuple[str, ...]
    yields: tuple[YieldItem, ...] | Literal["*"] | None
    order: tuple[SortItem, ...]
    skip: Expression | None
    limit: Expression | None
    where: Expression | None
    ids: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Terminate(Clause):
    """`TERMINATE TRANSACTIONS ids [YIELD ...]`, alone or behind SHOW; YIELD as there."""

    ids: tuple[Expression, ...]
    yields: tuple[YieldItem, ...] | Literal["*"] | None
    order: tuple[SortItem, ...]
    skip: Expression | None
    limit: Expression | None
    where: Expression | None


# --- statements -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query(Node):
    """One query: `parts` joined by UNION; `all` says UNION ALL. Mixing the two is refused by
    the binder, which sees `union_kinds` ("all" or "distinct", one fewer than parts)."""

    parts: tuple[tuple[Clause, ...], ...]
    union_kinds: tuple[Literal["all", "distinct"], ...] = ()


@dataclass(frozen=True, slots=True)
class CreateIndex(Node):
    """`CREATE INDEX [name] [IF NOT EXISTS] FOR (n:L) ON (n.a, n.b)`, `FOR ()-[r:T]-() ON ...`,
    and the old `CREATE INDEX ON :L(a, b)`."""

    name: str | None
    kind: Literal["node", "relationship"]
    owner: str
    properties: tuple[str, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropIndex(Node):
    """By name, or by the old `DROP INDEX ON :L(a, b)` (name None)."""

    name: str | None
    owner: str | None
    properties: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class CreateConstraint(Node):
    """kind: "uniqueness", "existence" or "key". New form `CREATE CONSTRAINT [name] [IF NOT
    EXISTS] FOR (n:L) REQUIRE n.a IS UNIQUE` / `(n.a, n.b) IS UNIQUE` / `IS NOT NULL` / `IS NODE
    KEY`, and the old `CREATE CONSTRAINT ON (n:L) ASSERT n.a IS UNIQUE` / `ASSERT exists(n.a)`."""

    name: str | None
    kind: Literal["uniqueness", "existence", "key"]
    entity: Literal["node", "relationship"]
    owner: str
    properties: tuple[str, ...]
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class DropConstraint(Node):
    """By name, or by the old `DROP CONSTRAINT ON (n:L) ASSERT ...` (name None)."""

    name: str | None
    kind: str | None
    entity: Literal["node", "relationship"] | None
    owner: str | None
    properties: tuple[str, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """mode: None, "explain" or "profile"."""

    body: Query | CreateIndex | DropIndex | CreateConstraint | DropConstraint
    mode: Literal["explain", "profile"] | None
