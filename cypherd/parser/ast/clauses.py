"""Clauses, reading and writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from cypherd.parser.ast.base import Node
from cypherd.parser.ast.expressions import Expression, Property, Variable
from cypherd.parser.ast.patterns import PathPattern

if TYPE_CHECKING:
    from cypherd.parser.ast.statements import Query


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
class Finish(Clause):
    """FINISH: the end of a query that returns nothing."""


@dataclass(frozen=True, slots=True)
class Unwind(Clause):
    expression: Expression
    variable: str


@dataclass(frozen=True, slots=True)
class LoadCsv(Clause):
    """`terminator`: what parts the fields, a character."""

    source: Expression
    variable: str
    headers: bool
    terminator: str


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
    """`names`: expressions that give labels too: `n:A:$(x)`."""

    target: Variable
    labels: tuple[str, ...]
    names: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class SetDynamicProperty(Node):
    """`n[key] = value`."""

    target: Variable
    key: Expression
    value: Expression


SetItem: TypeAlias = SetProperty | SetDynamicProperty | SetProperties | SetLabels


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
class RemoveDynamicProperty(Node):
    """`n[key]`."""

    target: Variable
    key: Expression


@dataclass(frozen=True, slots=True)
class RemoveLabels(Node):
    """`names` as of SetLabels."""

    target: Variable
    labels: tuple[str, ...]
    names: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Remove(Clause):
    items: tuple[RemoveProperty | RemoveDynamicProperty | RemoveLabels, ...]


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


OnError = Literal["fail", "break", "continue"]


@dataclass(frozen=True, slots=True)
class InTransactions(Node):
    """`IN TRANSACTIONS OF rows ROWS ON ERROR on_error REPORT STATUS AS status`."""

    rows: Expression | None
    on_error: OnError
    status: Variable | None


@dataclass(frozen=True, slots=True)
class CallSubquery(Clause):
    """`CALL (imports) { query }`. `imports` None: no parentheses, and what the query reads of the
    row it names in a WITH at its beginning; "*": every variable."""

    query: Query
    imports: tuple[Variable, ...] | Literal["*"] | None
    optional: bool
    transactions: InTransactions | None = None


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
