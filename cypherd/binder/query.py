"""The bound query: clauses with every name resolved, ready to be planned.

A MATCH becomes a pattern graph: nodes and relationships by bound name, and predicates, among
them what stood in property maps. Labels stay with their node, for the planner to choose from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cypherd.binder.expressions import Aggregate, BoundExpression, PathOf
from cypherd.binder.scopes import Names
from cypherd.binder.traversal import variables, walk
from cypherd.parser.ast import OnError

Direction: TypeAlias = Literal["out", "in", "both"]
Items: TypeAlias = tuple[tuple[str, BoundExpression], ...]


# --- patterns ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PatternNode:
    variable: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PatternRelationship:
    """`length` is (minimum, maximum or None) for variable length. `properties` and `each` are given
    for variable length only; otherwise they are predicates of the graph. `each`: (variable,
    predicate) that every relationship on the way must fulfil. `bound`: the variable had a value
    before this clause. With `group` the length is that of a part of more than a relationship, and
    with `selection` it stands for a whole path; the variable is then the list of all that was
    walked, and the path leads from `start` to `end` ("out")."""

    variable: str
    start: str
    end: str
    direction: Direction
    types: tuple[str, ...]
    length: tuple[int, int | None] | None = None
    properties: Items = ()
    bound: bool = False
    each: Items = ()
    group: PatternGroup | None = None
    selection: PathSelection | None = None

    def columns(self) -> tuple[str, ...]:
        """What it binds, without its ends."""
        parts: tuple[PatternGroup, ...] = () if self.group is None else (self.group,)
        if self.selection is not None:
            parts = self.selection.steps
        inside = [column for part in parts for column, _ in part.columns]
        inside += [part.reached for part in parts if part.reached is not None]
        return tuple(dict.fromkeys((self.variable, *inside)))

    def outer(self) -> frozenset[str]:
        """Columns from before the clause that its parts read."""
        if self.group is not None:
            return self.group.reads()
        if self.selection is not None:
            return self.selection.reads() - {self.start, self.end}
        return frozenset()


@dataclass(frozen=True, slots=True)
class PatternGroup:
    """A part of a path that is repeated `minimum` to `maximum` (None: open) times: `graph` from
    its node `start` to its node `end`, over `relationships` (its own, in the order of the path).

    `columns`: (column, variable of the graph), lists of what each time found; with `single` it
    is there just once, and they are values. `reached`: the column of the node behind it. Where
    there are no relationships it is a condition on the node that has been reached."""

    graph: PatternGraph
    start: str
    end: str
    columns: tuple[tuple[str, str], ...]
    relationships: tuple[str, ...]
    minimum: int
    maximum: int | None
    single: bool = False
    reached: str | None = None

    def reads(self) -> frozenset[str]:
        """Columns from outside."""
        used = [variables(predicate) for predicate in self.graph.predicates]
        return frozenset().union(*used) - self.graph.variables()


@dataclass(frozen=True, slots=True)
class PathSelection:
    """Of the paths over `steps` between two nodes that fulfil the `predicates`, `count` of the
    shortest, or all that are as long as one of the `count` shortest (`groups`)."""

    count: BoundExpression
    groups: bool
    steps: tuple[PatternGroup, ...]
    predicates: tuple[BoundExpression, ...]

    def reads(self) -> frozenset[str]:
        """Columns from outside, without the ends of the path."""
        inside = {column for step in self.steps for column, _ in step.columns}
        inside |= {step.reached for step in self.steps if step.reached is not None}
        used = [variables(predicate) for predicate in self.predicates]
        used += [step.reads() for step in self.steps]
        return frozenset().union(*used) - inside


@dataclass(frozen=True, slots=True)
class ShortestPattern:
    """`relationship` runs between two nodes of the graph; `path` is the path's variable."""

    relationship: PatternRelationship
    path: str | None
    all: bool


@dataclass(frozen=True, slots=True)
class PatternGraph:
    """`paths`: (variable, path through variables of the graph)."""

    nodes: tuple[PatternNode, ...]
    relationships: tuple[PatternRelationship, ...]
    shortest: tuple[ShortestPattern, ...] = ()
    paths: tuple[tuple[str, PathOf], ...] = ()
    predicates: tuple[BoundExpression, ...] = ()

    def variables(self) -> frozenset[str]:
        """Every column that the graph binds or uses as node, relationship or path."""
        names = {node.variable for node in self.nodes}
        names |= {name for relationship in self.relationships for name in relationship.columns()}
        names |= {shortest.relationship.variable for shortest in self.shortest}
        names |= {shortest.path for shortest in self.shortest if shortest.path}
        names |= {name for name, _ in self.paths}
        return frozenset(names)


# --- expressions with a query inside ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subquery(BoundExpression):
    """A pattern predicate, pattern comprehension, EXISTS, COUNT or COLLECT.

    `arguments`: (name inside, expression outside) for all that the body reads of the row.
    kind "exists" gives whether there is a row, "count" how many, "list" the list of `value`.
    """

    kind: Literal["exists", "count", "list"]
    arguments: Items
    query: BoundQuery
    value: str | None = None


def holds_subquery(expression: BoundExpression | None) -> bool:
    """Whether it has to be planned before it can be computed."""
    return expression is not None and any(isinstance(part, Subquery) for part in walk(expression))


# --- clauses ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoundClause:
    pass


@dataclass(frozen=True, slots=True)
class BoundMatch(BoundClause):
    """`introduced`: the columns that are new after it."""

    graph: PatternGraph
    optional: bool
    introduced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoundStart(BoundClause):
    """One item of START. `ids` None with `index` None: every entity (`*`). `index`: a legacy
    index name with `key` and `value`; with `term` the value is a list of what a term of an index
    query may stand for."""

    variable: str
    kind: Literal["node", "relationship"]
    ids: BoundExpression | None
    index: str | None
    key: str | None
    value: BoundExpression | None
    start: str
    end: str
    term: bool = False


@dataclass(frozen=True, slots=True)
class BoundShow(BoundClause):
    """The first clause of its query. `what` is a name of `showing.SHOWN`; `kinds`: only rows with
    these values of the column that it selects by, if not None. `columns`: (column of the table,
    variable). `ids`: only what goes by one of these texts (or lists of them), if any are given."""

    what: str
    kinds: tuple[str | bool, ...] | None
    columns: tuple[tuple[str, str], ...]
    ids: tuple[BoundExpression, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundCall(BoundClause):
    """`arguments`: one for each of the procedure. `results`: (place among the results, variable);
    none: the rows pass by it. `reads`: it reads the graph."""

    procedure: str
    arguments: tuple[BoundExpression, ...]
    results: tuple[tuple[int, str], ...]
    reads: bool


@dataclass(frozen=True, slots=True)
class BoundSubqueryCall(BoundClause):
    """CALL { }: the query for every row. `columns`: variables that it adds to the row; with none,
    the rows pass by it. `optional`: a row for which it has none comes once, with nulls."""

    query: BoundQuery
    columns: tuple[str, ...]
    optional: bool
    transactions: BoundInTransactions | None = None


@dataclass(frozen=True, slots=True)
class BoundInTransactions:
    """A commit behind every so many `rows` (a whole number without variables). `status`: the
    variable of a map that tells how the transaction of the row went."""

    rows: BoundExpression
    on_error: OnError
    status: str | None


@dataclass(frozen=True, slots=True)
class BoundReimport(BoundClause):
    """Variables of the row that a CALL { } is run for, which an aggregation has left out."""

    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoundFilter(BoundClause):
    predicate: BoundExpression


@dataclass(frozen=True, slots=True)
class BoundUnwind(BoundClause):
    expression: BoundExpression
    variable: str


@dataclass(frozen=True, slots=True)
class BoundLoadCsv(BoundClause):
    """`line` and `file`: columns for what linenumber() and file() tell."""

    source: BoundExpression
    variable: str
    headers: bool
    terminator: str
    line: str
    file: str


@dataclass(frozen=True, slots=True)
class Aggregation:
    keys: Items
    aggregates: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True, slots=True)
class BoundProjection(BoundClause):
    """WITH or RETURN. With `aggregation` the items are over its columns. `order`, `where`,
    `skip` and `limit` may read the items and, if there is neither aggregation nor DISTINCT,
    also the columns from before."""

    items: Items
    aggregation: Aggregation | None
    distinct: bool
    order: tuple[tuple[BoundExpression, bool], ...]
    skip: BoundExpression | None
    limit: BoundExpression | None
    where: BoundExpression | None


@dataclass(frozen=True, slots=True)
class NewNode:
    """`names`: expressions that give further labels, each a string or a list of strings."""

    variable: str
    labels: tuple[str, ...]
    properties: BoundExpression | None
    names: tuple[BoundExpression, ...] = ()

    def reads(self) -> frozenset[str]:
        return _read_by(self.properties, *self.names)


@dataclass(frozen=True, slots=True)
class NewRelationship:
    """`name`: an expression that gives the type, in place of `type`."""

    variable: str
    start: str
    end: str
    type: str | None
    properties: BoundExpression | None
    name: BoundExpression | None = None

    def reads(self) -> frozenset[str]:
        return _read_by(self.properties, self.name)


def _read_by(*expressions: BoundExpression | None) -> frozenset[str]:
    return frozenset().union(*(variables(part) for part in expressions if part is not None))


@dataclass(frozen=True, slots=True)
class BoundCreate(BoundClause):
    nodes: tuple[NewNode, ...]
    relationships: tuple[NewRelationship, ...]
    paths: tuple[tuple[str, PathOf], ...]


@dataclass(frozen=True, slots=True)
class PropertyChange:
    entity: BoundExpression
    key: str
    value: BoundExpression


@dataclass(frozen=True, slots=True)
class PropertiesChange:
    variable: str
    value: BoundExpression
    replace: bool


@dataclass(frozen=True, slots=True)
class LabelsChange:
    """`names`: expressions that give labels, each a string or a list of strings."""

    variable: str
    labels: tuple[str, ...]
    remove: bool
    names: tuple[BoundExpression, ...] = ()


Change: TypeAlias = PropertyChange | PropertiesChange | LabelsChange


@dataclass(frozen=True, slots=True)
class BoundMerge(BoundClause):
    graph: PatternGraph
    nodes: tuple[NewNode, ...]
    relationships: tuple[NewRelationship, ...]
    on_create: tuple[Change, ...]
    on_match: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class BoundSet(BoundClause):
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class BoundDelete(BoundClause):
    expressions: tuple[BoundExpression, ...]
    detach: bool


@dataclass(frozen=True, slots=True)
class BoundForeach(BoundClause):
    variable: str
    expression: BoundExpression
    updates: tuple[BoundClause, ...]


# --- queries ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoundPart:
    """One side of a UNION. `columns`: (column name, variable); empty without RETURN."""

    clauses: tuple[BoundClause, ...]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """`all`: UNION ALL. `returns`: it ends in RETURN."""

    parts: tuple[BoundPart, ...]
    all: bool
    returns: bool


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """`names` knows the type of every bound name, and makes further ones for the planner."""

    query: BoundQuery
    parameters: frozenset[str]
    names: Names
