"""The store as the engine sees it: batch questions in, arrays out.

Every method takes and gives whole arrays or lists, so that a store behind a network costs a
round trip a batch. Node and relationship ids are int64 arrays without nulls (callers leave the
-1 rows out). Labels, relationship types and property keys are token ids (ints); names and ids
are translated through `schema`. Iterators give bounded pieces, so a guard can run in between;
they stay valid while the transaction is open and, in a write transaction, under writes by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self

from cypherd.batch.columns import BoolArray, EntityKind, IntArray

Direction = Literal["out", "in", "both"]

Ids = IntArray | list[int]
"""Ids where few of them come as a list, to save the array."""


class Expansion(NamedTuple):
    """Row i: asked node number `row[i]` has `relationship[i]` leading to `neighbour[i]`.

    Rows are in ascending order. For "both", a self-loop comes once.
    """

    row: IntArray
    relationship: IntArray
    neighbour: IntArray


class RelationshipRows(NamedTuple):
    id: IntArray
    type: IntArray
    start: IntArray
    end: IntArray


class SeekRows(NamedTuple):
    """Row i: asked value number `row[i]` is held by entity `id[i]`."""

    row: IntArray
    id: IntArray


@dataclass(frozen=True, slots=True)
class IndexDescriptor:
    """A property index. `owner` is a label id (kind node) or a type id (kind relationship)."""

    id: int
    name: str
    kind: EntityKind
    owner: int
    properties: tuple[int, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class ConstraintDescriptor:
    """`kind` is "uniqueness" (backed by the index `index_id`), "existence" (no index) or "key":
    both in one, backed by an index too."""

    id: int
    name: str
    kind: str
    entity: EntityKind
    owner: int
    properties: tuple[int, ...]
    index_id: int | None

    @property
    def requires_values(self) -> bool:
        """Must each of its nodes or relationships have the properties?"""
        return self.kind != "uniqueness"


class Schema(Protocol):
    """Names and rules at one snapshot; immutable."""

    @property
    def version(self) -> int:
        """Grows with every new token, index or constraint, and with every dropped one."""

    @property
    def indexes(self) -> Sequence[IndexDescriptor]: ...
    @property
    def constraints(self) -> Sequence[ConstraintDescriptor]: ...

    def label_id(self, name: str) -> int | None: ...
    def type_id(self, name: str) -> int | None: ...
    def property_id(self, name: str) -> int | None: ...
    def label_name(self, token: int) -> str: ...
    def type_name(self, token: int) -> str: ...
    def property_name(self, token: int) -> str: ...
    def label_names(self) -> Sequence[str]: ...
    def type_names(self) -> Sequence[str]: ...
    def property_names(self) -> Sequence[str]: ...


class Counts(Protocol):
    """Exact counts at one snapshot; None as an argument means "any"."""

    def nodes(self, label: int | None = None) -> int: ...
    def relationships(
        self,
        type_: int | None = None,
        *,
        start_label: int | None = None,
        end_label: int | None = None,
    ) -> int:
        """At most one of start_label and end_label may be given."""

    def index_entries(self, index_id: int) -> int: ...
    def index_distinct(self, index_id: int) -> int:
        """Number of different keys (an estimate is allowed; at least 1 when not empty)."""


class ReadTransaction(Protocol):
    """A snapshot. Close it; a context manager that does."""

    @property
    def schema(self) -> Schema: ...
    @property
    def counts(self) -> Counts: ...

    def scan_nodes(
        self, label: int | None, size: int, first: int | None = None
    ) -> Iterator[IntArray]:
        """Ids in ascending order, at most `size` a piece; with `first`, at most so many in the
        first piece and ever more after it."""

    def scan_relationships(
        self, type_: int | None, size: int, first: int | None = None
    ) -> Iterator[RelationshipRows]: ...

    def expand(
        self, nodes: IntArray, direction: Direction, types: Sequence[int] | None, size: int
    ) -> Iterator[Expansion]:
        """Relationships of `nodes`; `types` None is any. Pieces of about `size` rows: one node
        with more relationships than that is spread over several pieces."""

    def neighbours(
        self, node: int, direction: Direction, types: Sequence[int] | None, most: int
    ) -> tuple[list[int], list[int]] | None:
        """The relationships of one node and the nodes at their other ends, in the order in which
        `expand` gives them; None if they are more than `most`."""

    def expand_into(
        self, starts: IntArray, ends: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> SeekRows:
        """Relationships between starts[i] and ends[i]; `id` are relationship ids."""

    def degree(
        self, nodes: IntArray, direction: Direction, types: Sequence[int] | None
    ) -> IntArray:
        """For "both", a self-loop counts once."""

    def node_properties(self, nodes: Ids, keys: Sequence[int]) -> list[list[Any]]:
        """One list a key, each as long as `nodes`; None where absent or the node is deleted."""

    def relationship_properties(self, ids: Ids, keys: Sequence[int]) -> list[list[Any]]: ...
    def labelled_properties(
        self, nodes: IntArray, label: int, keys: Sequence[int]
    ) -> tuple[BoolArray, list[list[Any]]]:
        """Which of the nodes have the label, and `node_properties` of all, from one look at
        each."""

    def node_records(self, nodes: IntArray) -> list[tuple[tuple[int, ...], dict[int, Any]] | None]:
        """(label ids in ascending order, properties by key id) of each; None: no such node."""

    def relationship_records(
        self, ids: IntArray
    ) -> list[tuple[int, int, int, dict[int, Any]] | None]:
        """(type id, start, end, properties by key id) of each; None: no such relationship."""

    def has_label(self, nodes: IntArray, label: int) -> BoolArray: ...
    def endpoints(self, relationships: IntArray) -> RelationshipRows:
        """Types, starts and ends of relationships; also of those deleted in this very
        transaction. Unknown ids give -1."""

    def nodes_exist(self, nodes: IntArray) -> BoolArray: ...
    def relationships_exist(self, relationships: IntArray) -> BoolArray: ...

    def index_seek(self, index: IndexDescriptor, values: Sequence[tuple[Any, ...]]) -> SeekRows:
        """Entities whose indexed properties equal values[i] (1 equals 1.0; null, NaN and lists
        holding them equal nothing)."""

    def index_holders(self, index: IndexDescriptor, value: tuple[Any, ...]) -> list[int]:
        """What `index_seek` finds for one value, ascending."""

    def index_firsts(self, index: IndexDescriptor, values: Sequence[int | str]) -> dict[Any, int]:
        """By value, the first of what `index_holders` finds for it; those of which it finds none
        are not there. For indexes of one property; the values are different."""

    def index_firsts_of_integers(self, index: IndexDescriptor, values: IntArray) -> IntArray:
        """`index_firsts` of ascending integers; -1 where there is none."""

    def index_range(
        self,
        index: IndexDescriptor,
        low: Any,
        low_inclusive: bool,
        high: Any,
        high_inclusive: bool,
        size: int,
    ) -> Iterator[IntArray]:
        """Entities of a single-property index with low < value < high, in ascending order of
        value. A bound that is None is open; comparability as in Cypher: only values of the
        bounds' own type (numbers together, strings, booleans, ...) come."""

    def load_state(self, id: str) -> Mapping[str, int] | None:
        """What `record_load` stored last for that id."""

    def index_prefix(self, index: IndexDescriptor, prefix: str, size: int) -> Iterator[IntArray]:
        """Entities of a single-property index whose string value starts with `prefix`."""

    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...


class WriteTransaction(ReadTransaction, Protocol):
    """The one writer's transaction; reads see its own writes. Nothing is durable before
    `commit()` returns. Raises StorageFull when disk or map is full; then only `abort` is
    possible and nothing is lost."""

    def label_token(self, name: str) -> int:
        """The token's id, made if new. ArgumentError past the limit of 65,536 types, and for a
        new name that is empty or holds a null character; also of the next two."""

    def type_token(self, name: str) -> int: ...
    def property_token(self, name: str) -> int: ...

    def create_nodes(
        self,
        labels: Sequence[tuple[int, ...]],
        properties: Sequence[Mapping[int, Any]],
        *,
        as_stored: bool = False,
    ) -> IntArray:
        """One node an entry. Null values are left out; `as_stored`: the properties are dicts of
        what `stored_properties` gives, and need no further look. Raises CypherTypeError for a value
        that
        cannot be a property (a map, a node, a list holding null or mixed kinds), and
        ConstraintValidationFailed where a uniqueness constraint is violated."""

    def create_relationships(
        self,
        types: Sequence[int],
        starts: IntArray,
        ends: IntArray,
        properties: Sequence[Mapping[int, Any]],
        *,
        as_stored: bool = False,
    ) -> IntArray:
        """EntityNotFound where an end node does not exist."""

    def set_node_properties(self, nodes: IntArray, changes: Sequence[Mapping[int, Any]]) -> int:
        """Set (None removes) the given keys of each node; the number of properties changed
        as Neo4j counts `properties_set`: each key written, and each removal of one there."""

    def set_relationship_properties(
        self, relationships: IntArray, changes: Sequence[Mapping[int, Any]]
    ) -> int: ...

    def add_labels(self, nodes: IntArray, labels: Sequence[int]) -> int:
        """The number of labels that were not there before."""

    def remove_labels(self, nodes: IntArray, labels: Sequence[int]) -> int: ...

    def delete_relationships(self, relationships: IntArray) -> int:
        """Deleting what is deleted already is no error; the number really deleted."""

    def delete_nodes(self, nodes: IntArray) -> int:
        """ConstraintVerificationFailed (detail DeleteConnectedNode) when one still has
        relationships; the number really deleted."""

    def create_index(
        self,
        name: str | None,
        kind: EntityKind,
        owner: int,
        properties: Sequence[int],
        unique: bool = False,
    ) -> IndexDescriptor:
        """Builds it from the data. SchemaRuleExists if there is one of that name or shape."""

    def drop_index(self, index_id: int) -> None: ...
    def create_constraint(
        self,
        name: str | None,
        kind: str,
        entity: EntityKind,
        owner: int,
        properties: Sequence[int],
    ) -> ConstraintDescriptor:
        """SchemaRuleExists if there is one of that name or shape; ConstraintValidationFailed
        where the data break it, naming the first that does."""

    def drop_constraint(self, constraint_id: int) -> None: ...

    def end_statement(self) -> None:
        """Raises ConstraintValidationFailed where a node or relationship lacks a property that
        a constraint demands. In the middle of a statement it may; `commit` asks again."""

    def child(self) -> WriteTransaction:
        """A nested transaction; this one cannot be used until the child ends."""

    def record_load(self, id: str, state: Mapping[str, int]) -> None:
        """Store how far the bulk load of that id has got; the last hundred are kept."""

    def record_statements(self, sequence: int, statements: Sequence[int]) -> None:
        """Store the last statement sequence number and the ids of the statements that this
        transaction holds, so that a front can settle after a crash."""

    def checkpoint(self, between: Callable[[], None] | None = None) -> None:
        """Commit, call `between`, which may write in transactions of its own, and go on in a new
        transaction under the same name. Scans and expansions that are in their midst do not
        outlive it. InternalError in a child."""

    def commit(self) -> None: ...
    def abort(self) -> None: ...


class StoreUsage(NamedTuple):
    """Bytes of the store's file, in use and free for what comes; open snapshots, and how many
    commits have come since the oldest of these began."""

    file_bytes: int
    used_bytes: int
    free_bytes: int
    readers: int
    oldest_reader: int


class GraphStore(Protocol):
    """A store that is open in this process."""

    def read(self) -> ReadTransaction: ...
    def write(self) -> WriteTransaction: ...
    def last_statements(self) -> tuple[int, tuple[int, ...]]:
        """What `record_statements` stored last: (sequence, statement ids); (0, ()) at first."""

    def usage(self) -> StoreUsage:
        """Size and use of what the store keeps. StoreError where it cannot be asked."""

    def reader_check(self) -> int:
        """Free the snapshots of processes that died; how many there were."""

    def close(self) -> None: ...
