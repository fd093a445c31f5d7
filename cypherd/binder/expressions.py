"""Bound expressions: names resolved, types known where they can be, picklable.

The binder makes them from the AST; rules rewrite them; the executor compiles them. Variable
names are unique in a whole plan: a name rebound in a new scope gets another bound name
(`x@2`), so operators need no scopes. Operators of the language are Calls: `+`, `=`, `in` ...

    Call functions for operators:
      "+" "-" "*" "/" "%" "^"  "negate" "plus"      arithmetic
      "||"                                          strings, lists
      "entry"                                       {key: value} of SET n[key] = value
      "=" "<>" "<" "<=" ">" ">="                    comparison (ternary)
      "in" "starts with" "ends with" "contains" "=~"
      "subscript" (container, index)   "slice" (list, start or null, end or null)
    A function of Cypher is a Call with its lower-case name ("toupper", "size").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cypherd.values.types import CypherType
from cypherd.values.value_types import ValueType


@dataclass(frozen=True, slots=True)
class BoundExpression:
    """`at` is the offset in the text, for errors at run time; not part of equality."""

    type: CypherType = field(default=CypherType.ANY, kw_only=True)
    at: int = field(default=-1, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Constant(BoundExpression):
    """null, a boolean, integer, float or string, or a folded list or map of such."""

    value: Any


@dataclass(frozen=True, slots=True)
class Parameter(BoundExpression):
    name: str


@dataclass(frozen=True, slots=True)
class Variable(BoundExpression):
    """A column of the batch, or the element variable of an enclosing comprehension."""

    name: str


@dataclass(frozen=True, slots=True)
class ListOf(BoundExpression):
    items: tuple[BoundExpression, ...]


@dataclass(frozen=True, slots=True)
class MapOf(BoundExpression):
    keys: tuple[str, ...]
    values: tuple[BoundExpression, ...]


@dataclass(frozen=True, slots=True)
class Property(BoundExpression):
    """source.key of a node, relationship, map (later: temporal value, point).

    `together` is the planner's: keys of the same variable that are read along with this one, and
    remembered for the expressions that want them next; none: nothing is remembered.
    """

    source: BoundExpression
    key: str
    together: tuple[str, ...] = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class HasLabels(BoundExpression):
    """True if the node has all labels; for a relationship: its type is the only one named.
    Without labels: if it has any at all, which a relationship's type always is. `together` as of
    a property: keys that the records, read for their labels, are asked for too."""

    source: BoundExpression
    labels: tuple[str, ...]
    together: tuple[str, ...] = field(default=(), compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class HasDynamicLabels(BoundExpression):
    """True if the node has all labels (or any of them) that `names` gives, a string or a list of
    strings; for a relationship the same of its type."""

    source: BoundExpression
    names: BoundExpression
    any: bool


@dataclass(frozen=True, slots=True)
class IsTyped(BoundExpression):
    """Never null: a null is of every type that allows it."""

    operand: BoundExpression
    wanted: ValueType
    negated: bool


@dataclass(frozen=True, slots=True)
class Call(BoundExpression):
    function: str
    arguments: tuple[BoundExpression, ...]


@dataclass(frozen=True, slots=True)
class And(BoundExpression):
    """Ternary; evaluated left to right, and not beyond a false operand, row by row."""

    operands: tuple[BoundExpression, ...]


@dataclass(frozen=True, slots=True)
class Or(BoundExpression):
    """Ternary; evaluated left to right, and not beyond a true operand, row by row."""

    operands: tuple[BoundExpression, ...]


@dataclass(frozen=True, slots=True)
class Xor(BoundExpression):
    left: BoundExpression
    right: BoundExpression


@dataclass(frozen=True, slots=True)
class Not(BoundExpression):
    operand: BoundExpression


@dataclass(frozen=True, slots=True)
class IsNull(BoundExpression):
    operand: BoundExpression
    negated: bool


@dataclass(frozen=True, slots=True)
class Case(BoundExpression):
    """With a subject: the simple form, in which null matches null. Only the chosen branch of a
    row is evaluated."""

    subject: BoundExpression | None
    conditions: tuple[BoundExpression, ...]
    results: tuple[BoundExpression, ...]
    default: BoundExpression | None


@dataclass(frozen=True, slots=True)
class ListComprehension(BoundExpression):
    variable: str
    source: BoundExpression
    where: BoundExpression | None
    projection: BoundExpression | None


@dataclass(frozen=True, slots=True)
class Quantifier(BoundExpression):
    """kind: "all", "any", "none", "single"."""

    kind: str
    variable: str
    source: BoundExpression
    where: BoundExpression


@dataclass(frozen=True, slots=True)
class Reduce(BoundExpression):
    accumulator: str
    initial: BoundExpression
    variable: str
    source: BoundExpression
    expression: BoundExpression


@dataclass(frozen=True, slots=True)
class MapProjection(BoundExpression):
    """items: (key, expression), or ("*", None) for all properties of the source."""

    source: BoundExpression
    items: tuple[tuple[str, BoundExpression | None], ...]


@dataclass(frozen=True, slots=True)
class PathOf(BoundExpression):
    """The path through these variables: node, relationship (or list of them, for variable
    length), node, ...; null if any of them is null."""

    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class DistinctRelationships(BoundExpression):
    """True if no relationship occurs twice among these variables (relationships, or lists of
    them for variable length): openCypher's relationship uniqueness within one MATCH."""

    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Aggregate(BoundExpression):
    """Only in EagerAggregation. function: lower-case name; "count(*)" has no arguments."""

    function: str
    arguments: tuple[BoundExpression, ...]
    distinct: bool
