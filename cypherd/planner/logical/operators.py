"""Logical operators: the plan as data, picklable, from source to result.

Every operator but Argument has a `source` (two-sided ones `left` and `right`) and sees its
rows. A scan or seek with a source gives, for every row of the source, each entity found: at the
start of a query the source is an Argument, which gives the rows it was called with (a single
empty row at the top; for an `inner` plan the rows of the operator that owns it, with all their
columns). Inner plans are run for a whole batch of outer rows at once.

Variables are bound names (unique in the plan); labels, types and keys are names, looked up in
the snapshot the plan runs in. `estimated_rows` is filled by the planner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cypherd.binder.expressions import Aggregate, BoundExpression

Direction: TypeAlias = Literal["out", "in", "both"]
Items: TypeAlias = tuple[tuple[str, BoundExpression], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalOperator:
    estimated_rows: float = field(default=-1.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnary(LogicalOperator):
    source: LogicalOperator


# --- leaves, scans and seeks ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalArgument(LogicalOperator):
    variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalAllNodesScan(LogicalUnary):
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeByLabelScan(LogicalUnary):
    variable: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnionNodeByLabelsScan(LogicalUnary):
    """Every node that has one of the labels, once."""

    variable: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeByIdSeek(LogicalUnary):
    """`ids` gives an integer or a list of them. `strict`: EntityNotFound if one is not there
    (START); otherwise it gives no row (WHERE id(n) = ...)."""

    variable: str
    ids: BoundExpression
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexSeek(LogicalUnary):
    """Equality on all properties of an index. With `many` (single property only) the value is
    a list and each different element of it is sought."""

    variable: str
    label: str
    properties: tuple[str, ...]
    values: tuple[BoundExpression, ...]
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexRangeSeek(LogicalUnary):
    variable: str
    label: str
    property: str
    low: BoundExpression | None
    low_inclusive: bool
    high: BoundExpression | None
    high_inclusive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeIndexPrefixSeek(LogicalUnary):
    variable: str
    label: str
    property: str
    prefix: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipScan(LogicalUnary):
    """Every relationship of the types (empty: all); undirected gives each twice, a self-loop
    once."""

    relationship: str
    start: str
    end: str
    types: tuple[str, ...]
    directed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipByIdSeek(LogicalUnary):
    relationship: str
    start: str
    end: str
    ids: BoundExpression
    directed: bool
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipIndexSeek(LogicalUnary):
    """As NodeIndexSeek, `many` included."""

    relationship: str
    start: str
    end: str
    type: str
    properties: tuple[str, ...]
    values: tuple[BoundExpression, ...]
    directed: bool
    many: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeCount(LogicalUnary):
    """NodeCountFromCountStore: one row with the number of nodes (with the label)."""

    variable: str
    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRelationshipCount(LogicalUnary):
    """RelationshipCountFromCountStore: one row, the sum over the types (empty: all)."""

    variable: str
    types: tuple[str, ...]
    start_label: str | None
    end_label: str | None


# --- expanding --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExpand(LogicalUnary):
    """From `start` along relationships of the types (empty: all) to new variables. A null
    start gives no row."""

    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExpandInto(LogicalUnary):
    """As Expand, but `end` is bound already."""

    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalVarLengthExpand(LogicalUnary):
    """Paths of `minimum` to `maximum` (None: open) relationships, none of them twice.

    `relationships` becomes a list of relationships, in the order from `start`; `reverse` turns
    the list round (the pattern was walked from its end). `into`: `end` is bound already.
    `properties`: every relationship must have these; `each`: (variable, predicate) that it must
    fulfil. `bound`: the list variable is bound already and must be equal.
    """

    start: str
    relationships: str
    end: str
    direction: Direction
    types: tuple[str, ...]
    minimum: int
    maximum: int | None
    into: bool
    reverse: bool = False
    properties: Items = ()
    bound: bool = False
    each: Items = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalShortestPath(LogicalUnary):
    """Shortest path(s) between two bound nodes; `all`: each of the shortest. `predicates` are of
    the path: the shortest that fulfils them is wanted, not the shortest if it does. What they
    demand of each relationship or node of it is in `each_relationship` and `each_node`, too, as
    (variable, predicate), so that a search need not walk what cannot be on the path."""

    start: str
    end: str
    relationships: str
    path: str | None
    direction: Direction
    types: tuple[str, ...]
    minimum: int
    maximum: int | None
    all: bool
    properties: Items = ()
    predicates: tuple[BoundExpression, ...] = ()
    each_relationship: Items = ()
    each_node: Items = ()


# --- rows -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalFilter(LogicalUnary):
    predicate: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProject(LogicalUnary):
    """Exactly the items come out, under their names; all else ends here."""

    items: Items


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExtend(LogicalUnary):
    """The items are added to the columns that are there."""

    items: Items


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnwind(LogicalUnary):
    """null gives no row; a value that is no list gives itself."""

    expression: BoundExpression
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProcedureCall(LogicalUnary):
    """For every row the rows of the procedure, each with the row's columns. `results`: (place
    among the procedure's results, variable); without any the row itself passes, once."""

    procedure: str
    arguments: tuple[BoundExpression, ...]
    results: tuple[tuple[int, str], ...]
    reads: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalDistinct(LogicalUnary):
    """Distinct over all `variables`, which are exactly the columns that come out."""

    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEagerAggregation(LogicalUnary):
    """One row a group; without keys exactly one row, also for no input. Keys and aggregates
    are exactly the columns that come out."""

    keys: Items
    aggregates: tuple[tuple[str, Aggregate], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSort(LogicalUnary):
    """keys: (expression, ascending). Stable; orderability as openCypher defines it."""

    keys: tuple[tuple[BoundExpression, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalTop(LogicalUnary):
    """The first `limit` rows of the sort, never holding more (skip is inside the limit and
    cut off by a Skip above)."""

    keys: tuple[tuple[BoundExpression, bool], ...]
    limit: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSkip(LogicalUnary):
    count: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLimit(LogicalUnary):
    """Over a source that writes, the source is run to its end all the same."""

    count: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEager(LogicalUnary):
    """Takes every row of the source before it gives the first."""

    reason: str


# --- inner plans ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalApply(LogicalUnary):
    """For every row of the source the rows of `inner`; inner's columns replace the row's (its
    Argument passes on what is needed). Rows stay in the order of the source."""

    inner: LogicalOperator


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalOptional(LogicalUnary):
    """As Apply, but a row for which inner gives nothing comes once, `variables` null."""

    inner: LogicalOperator
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSemiApply(LogicalUnary):
    """The rows for which inner gives at least one row (`negated`: none)."""

    inner: LogicalOperator
    negated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLetSemiApply(LogicalUnary):
    """Adds `variable`: true if inner gives at least one row, else false."""

    inner: LogicalOperator
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalRollUpApply(LogicalUnary):
    """Adds `variable`: the list of `value` over inner's rows for this row."""

    inner: LogicalOperator
    value: str
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalForeach(LogicalUnary):
    """For every row and every element of the list runs `inner` for its writes; the rows pass
    through unchanged. Inner's Argument gives the row with `variable` added."""

    variable: str
    expression: BoundExpression
    inner: LogicalOperator


# --- two sources ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalBinary(LogicalOperator):
    left: LogicalOperator
    right: LogicalOperator


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalUnion(LogicalBinary):
    """UNION ALL; both sides give the same columns. A Distinct above makes it UNION."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalCartesianProduct(LogicalBinary):
    """The right side is run once and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalNodeHashJoin(LogicalBinary):
    """On node variables bound on both sides; the left side is kept."""

    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalValueHashJoin(LogicalBinary):
    """left_key = right_key with Cypher's equality; nulls join nothing; the left is kept."""

    left_key: BoundExpression
    right_key: BoundExpression


# --- writes -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNode:
    variable: str
    labels: tuple[str, ...]
    properties: BoundExpression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRelationship:
    """start and end are node variables, bound or created before it in the same operator."""

    variable: str
    start: str
    end: str
    type: str
    properties: BoundExpression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPropertyItem:
    """entity.key = value; null removes. A null entity is passed over."""

    entity: BoundExpression
    key: str
    value: BoundExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPropertiesItem:
    """The value is a map, or a node or relationship whose properties are copied."""

    variable: str
    value: BoundExpression
    replace: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLabelsItem:
    variable: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveLabelsItem:
    variable: str
    labels: tuple[str, ...]


SetItem: TypeAlias = SetPropertyItem | SetPropertiesItem | SetLabelsItem | RemoveLabelsItem


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalCreate(LogicalUnary):
    nodes: tuple[CreateNode, ...]
    relationships: tuple[CreateRelationship, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalMerge(LogicalUnary):
    """For each row in turn: the rows of `match` (an inner plan), or, if there is none, what
    `nodes` and `relationships` create; later rows see what earlier ones created. Null in a
    property of what is to be created: SemanticError, detail MergeReadOwnWrites."""

    match: LogicalOperator
    nodes: tuple[CreateNode, ...]
    relationships: tuple[CreateRelationship, ...]
    on_create: tuple[SetItem, ...]
    on_match: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSet(LogicalUnary):
    """SET and REMOVE; items in order, each row."""

    items: tuple[SetItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalDelete(LogicalUnary):
    """Nodes, relationships and paths; others: CypherTypeError. Without `detach` a node that
    still has relationships when the statement ends is a ConstraintVerificationFailed: the
    check is made after all rows of this operator."""

    expressions: tuple[BoundExpression, ...]
    detach: bool


# --- results and schema -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalProduceResults(LogicalUnary):
    """columns: (column name, variable). Entities become Node, Relationship and Path."""

    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalEmptyResult(LogicalUnary):
    """Runs the source to its end and gives no row: a write without RETURN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalSchemaCommand(LogicalOperator):
    """command: "create index", "drop index", "create constraint", "drop constraint";
    arguments as the AST node has them."""

    command: str
    arguments: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalShow(LogicalOperator):
    """See BoundShow."""

    what: str
    kinds: tuple[str | bool, ...] | None
    columns: tuple[tuple[str, str], ...]
    ids: tuple[BoundExpression, ...] = ()
