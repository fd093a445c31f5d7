"""What every writing transaction needs: names, rules, ids, and how it ends.

What LMDB rolls back by itself stands in its tables at once. What would be written over and over
is kept in memory until the outermost commit: changes of counts, the next ids. A child begins
with its parent's state and hands its own back when it commits; when it aborts, that is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import lmdb

from cypherd.batch.columns import EntityKind
from cypherd.errors import (
    ArgumentError,
    CypherdError,
    InternalError,
)
from cypherd.storage.lmdb import rules
from cypherd.storage.lmdb.failures import explained
from cypherd.storage.lmdb.index_writing import IndexWriter
from cypherd.storage.lmdb.layout import (
    MAX_NODES,
    MAX_TYPES,
    META_LOADS,
    META_NEXT_NODE,
    META_NEXT_RELATIONSHIP,
    META_NEXT_RULE,
    META_SCHEMA_VERSION,
    META_STATEMENTS,
    Tables,
    pack_big,
    packb,
    unpackb,
)
from cypherd.storage.lmdb.reading import CLOSED, LmdbReadTransaction
from cypherd.storage.lmdb.required_values import (
    RequiredValues,
    lacking,
    require_values,
    violated,
)
from cypherd.storage.lmdb.schema import (
    LABEL,
    PROPERTY,
    TYPE,
    LmdbSchema,
    delete_constraint,
    delete_index,
    put_constraint,
    put_index,
    put_token,
)
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor

_LOADS_KEPT = 100

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Transaction = TypeVar("Transaction", bound="TransactionState")


class Owner(Protocol):
    """What a transaction asks of the store that began it."""

    def begin_writing(self) -> Any: ...
    def begin_child(self, parent: Any) -> Any: ...
    def schema_of(self, txn: Any) -> LmdbSchema: ...
    def next_schema_version(self, present: int) -> int: ...
    def committed(self, schema: LmdbSchema) -> None: ...


def changing(
    method: Callable[Concatenate[Transaction, Arguments], Result],
) -> Callable[Concatenate[Transaction, Arguments], Result]:
    """Explains LMDB's errors; after one of them only abort is possible."""

    @wraps(method)
    def change(
        self: Transaction, /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        self.require_usable()
        try:
            return method(self, *arguments, **named)
        except lmdb.Error as error:
            raise self.fail(error) from error

    return change


class TransactionState(LmdbReadTransaction):
    """The part of a writing transaction that is not about nodes and relationships."""

    def __init__(
        self,
        owner: Owner,
        txn: Any,
        tables: Tables,
        schema: LmdbSchema,
        parent: Self | None = None,
    ) -> None:
        self._owner = owner
        self._parent = parent
        self._begin(txn, tables, schema)

    def _begin(self, txn: Any, tables: Tables, schema: LmdbSchema) -> None:
        super().__init__(txn, tables, schema)
        parent = self._parent
        self._child: Self | None = None
        self._owns_schema = False
        self._ended = False
        self._failure: CypherdError | None = None
        if parent is None:
            self._node_counter = self._counter(META_NEXT_NODE)
            self._relationship_counter = self._counter(META_NEXT_RELATIONSHIP)
            self._deleted: dict[int, Sequence[int]] = {}
        else:
            self._node_counter = parent._node_counter
            self._relationship_counter = parent._relationship_counter
            self._deleted = dict(parent._deleted)
            self._counts.merge(parent.counts.deltas)
        self._index_writer = IndexWriter(
            txn, tables, self._counts, self._indexes, lambda: self._schema
        )
        self._required = RequiredValues(lambda: self._schema)
        if parent is not None:
            self._required.owing.update(parent._required.owing)

    # --- names ---

    def label_token(self, name: str) -> int:
        return self._token(LABEL, name)

    def type_token(self, name: str) -> int:
        return self._token(TYPE, name)

    def property_token(self, name: str) -> int:
        return self._token(PROPERTY, name)

    # --- indexes and constraints ---

    @changing
    def create_index(
        self,
        name: str | None,
        kind: EntityKind,
        owner: int,
        properties: Sequence[int],
        unique: bool = False,
    ) -> IndexDescriptor:
        name = name or rules.generated_name(self._schema, "index", kind, owner, properties)
        rules.require_new_rule(self._schema, name, kind, owner, properties)
        index = IndexDescriptor(self._new_rule(), name, kind, owner, tuple(properties), unique)
        self._index_writer.build(index, rules.owned_entities(self, kind, owner))
        put_index(self._txn, self._tables, index)
        self._change_schema(indexes=(*self._schema.indexes, index))
        return index

    @changing
    def drop_index(self, index_id: int) -> None:
        self._drop_index(rules.require_index(self._schema, index_id))

    @changing
    def create_constraint(
        self,
        name: str | None,
        kind: str,
        entity: EntityKind,
        owner: int,
        properties: Sequence[int],
    ) -> ConstraintDescriptor:
        name = name or rules.generated_constraint_name(
            self._schema, kind, entity, owner, properties
        )
        index_id = None
        if kind == "existence":
            rules.require_new_name(self._schema, name)
            rules.require_new_existence(self._schema, entity, owner, properties)
        else:
            index_id = self.create_index(name, entity, owner, properties, unique=True).id
        constraint = ConstraintDescriptor(
            self._new_rule(), name, kind, entity, owner, tuple(properties), index_id
        )
        self._require_values(constraint)
        put_constraint(self._txn, self._tables, constraint)
        self._change_schema(constraints=(*self._schema.constraints, constraint))
        return constraint

    @changing
    def drop_constraint(self, constraint_id: int) -> None:
        constraint = rules.require_constraint(self._schema, constraint_id)
        delete_constraint(self._txn, self._tables, constraint_id)
        kept = [rule for rule in self._schema.constraints if rule.id != constraint_id]
        self._change_schema(constraints=kept)
        if constraint.index_id is not None:
            self._drop_index(rules.require_index(self._schema, constraint.index_id))

    # --- the transaction ---

    @changing
    def child(self) -> Self:
        txn = self._owner.begin_child(self._txn)
        child = type(self)(self._owner, txn, self._tables, self._schema, self)
        self._child = child
        return child

    @changing
    def record_load(self, id: str, state: Mapping[str, int]) -> None:
        stored = self._txn.get(META_LOADS, db=self._tables.meta)
        loads = {} if stored is None else dict(unpackb(stored))
        loads.pop(id, None)
        loads[id] = dict(state)
        for oldest in list(loads)[: max(0, len(loads) - _LOADS_KEPT)]:
            del loads[oldest]
        self._txn.put(META_LOADS, packb(loads), db=self._tables.meta)

    @changing
    def record_statements(self, sequence: int, statements: Sequence[int]) -> None:
        data = packb([sequence, list(statements)])
        self._txn.put(META_STATEMENTS, data, db=self._tables.meta)

    def end_statement(self) -> None:
        if self._required.owing:
            self._check_owing()

    @changing
    def commit(self) -> None:
        if self._parent is None:
            self.end_statement()
            self._counts.write()
            self._put_counter(META_NEXT_NODE, self._node_counter)
            self._put_counter(META_NEXT_RELATIONSHIP, self._relationship_counter)
        self._txn.commit()
        self._ended = True
        if self._parent is None:
            self._owner.committed(self._schema)
        else:
            self._parent.take_over(self)
        self._release()

    def checkpoint(self, between: Callable[[], None] | None = None) -> None:
        if self._parent is not None:
            raise InternalError("a statement that commits in its midst shares a transaction")
        tables = self._tables
        self.commit()
        if between is not None:
            between()
        try:
            txn = self._owner.begin_writing()
            schema = self._owner.schema_of(txn)
        except lmdb.Error as error:
            raise explained(error) from error
        self._begin(txn, tables, schema)

    def abort(self) -> None:
        """Ends the transaction, and its child if there is one; no error when it has ended."""
        if self._ended:
            return
        if self._child is not None:
            self._child.abort()
        self._ended = True
        self._txn.abort()
        if self._parent is not None:
            self._parent._child = None
        self._release()

    def close(self) -> None:
        self.abort()

    def _release(self) -> None:
        super()._release()
        self._index_writer = CLOSED
        self._required = CLOSED

    def require_usable(self) -> None:
        """Raises InternalError after the end and while a child is open, and what made the
        transaction fail after a failure."""
        if self._ended:
            raise InternalError("the transaction has ended")
        if self._child is not None:
            raise InternalError("the transaction has a child that is still open")
        if self._failure is not None:
            raise self._failure

    def fail(self, error: lmdb.Error) -> CypherdError:
        self._failure = explained(error)
        return self._failure

    def take_over(self, child: TransactionState) -> None:
        """Make the state of a child that was committed one's own."""
        self._child = None
        self._counts.deltas.clear()
        self._counts.merge(child.counts.deltas)
        self._node_counter = child._node_counter
        self._relationship_counter = child._relationship_counter
        self._deleted = child._deleted
        self._schema = child.schema
        self._owns_schema = False
        self._required.owing = child._required.owing

    # --- for loading in bulk ---

    def bulk_access(self) -> tuple[Any, Tables]:
        self.require_usable()
        return self._txn, self._tables

    def next_ids(self) -> tuple[int, int]:
        """The ids of the next node and the next relationship."""
        return self._node_counter, self._relationship_counter

    def move_ids(self, nodes: int, relationships: int) -> None:
        self._new_nodes(nodes)
        self._relationship_counter += relationships

    @changing
    def fill_indexes(self) -> None:
        """Build the entries of all indexes; there must be none yet. Raises
        ConstraintValidationFailed where the data break a constraint."""
        for index in self._schema.indexes:
            entities = rules.owned_entities(self, index.kind, index.owner)
            self._index_writer.build(index, entities)
        for constraint in self._schema.constraints:
            self._require_values(constraint)

    # --- inside ---

    def _follow(
        self,
        kind: EntityKind,
        entity: int,
        before: tuple[Iterable[int], dict[int, Any]],
        after: tuple[Iterable[int], dict[int, Any]],
    ) -> None:
        """Indexes and rules take over a change of one entity: its (owners, properties)."""
        self._index_writer.change(kind, entity, before, after)
        self._required.change(kind, entity, *after)

    def _follow_many(
        self,
        kind: EntityKind,
        entities: Sequence[int],
        owners: Sequence[Sequence[int]],
        properties: Sequence[dict[int, Any]],
    ) -> None:
        """The same for entities that are new."""
        self._index_writer.add(kind, entities, owners, properties)
        if self._schema.requiring(kind):
            for entity, own, values in zip(entities, owners, properties, strict=True):
                self._required.change(kind, entity, own, values)

    def _require_values(self, constraint: ConstraintDescriptor) -> None:
        if constraint.requires_values:
            entities = rules.owned_entities(self, constraint.entity, constraint.owner)
            require_values(self._schema, constraint, entities)

    def _check_owing(self) -> None:
        """Those that were noted are read again: their constraint may have been dropped."""
        for kind, entity in sorted(self._required.owing):
            owners: Sequence[int] = ()
            values: dict[int, Any] = {}
            if kind == "node":
                node = self._nodes([entity])[0]
                if node is not None:
                    owners, values = node
            else:
                relationship = self._relationships([entity])[0]
                if relationship is not None:
                    owners, values = relationship[:1], relationship[3]
            found = lacking(self._schema.requiring(kind), owners, values)
            if found is not None:
                raise violated(self._schema, found[0], entity, found[1])
        self._required.owing.clear()

    @changing
    def _token(self, kind: bytes, name: str) -> int:
        found = self._schema.tokens(kind).ids.get(name)
        if found is not None:
            return found
        if not name or "\0" in name:
            raise ArgumentError(
                "the name of a label, type or property cannot be empty or hold a null character",
                detail="InvalidArgumentValue",
            )
        token = len(self._schema.tokens(kind).names)
        if kind == TYPE and token >= MAX_TYPES:
            raise ArgumentError(f"a store has at most {MAX_TYPES:,} relationship types")
        if not self._owns_schema:
            self._change_schema()
        put_token(self._txn, self._tables, kind, token, name)
        return self._schema.tokens(kind).add(name)

    def _change_schema(
        self,
        indexes: Sequence[IndexDescriptor] | None = None,
        constraints: Sequence[ConstraintDescriptor] | None = None,
    ) -> None:
        version = self._schema.version
        if not self._owns_schema:
            version = self._owner.next_schema_version(version)
            self._put_counter(META_SCHEMA_VERSION, version)
            self._owns_schema = True
        self._schema = self._schema.changed(version, indexes, constraints)

    def _drop_index(self, index: IndexDescriptor) -> None:
        self._index_writer.clear(index)
        delete_index(self._txn, self._tables, index.id)
        self._change_schema(indexes=[rule for rule in self._schema.indexes if rule.id != index.id])

    def _new_rule(self) -> int:
        number = self._counter(META_NEXT_RULE)
        self._put_counter(META_NEXT_RULE, number + 1)
        return number

    def _new_nodes(self, count: int) -> range:
        first = self._node_counter
        if first + count > MAX_NODES:
            raise ArgumentError(f"a store has at most {MAX_NODES:,} nodes")
        self._node_counter = first + count
        return range(first, first + count)

    def _put_counter(self, name: bytes, value: int) -> None:
        self._txn.put(name, pack_big(value), db=self._tables.meta)

    def _next_node(self) -> int:
        return self._node_counter

    def _next_relationship(self) -> int:
        return self._relationship_counter

    def _new_relationships(self) -> int | None:
        return self._relationship_counter

    def _deleted_endpoints(self, relationship: int) -> Sequence[int]:
        return self._deleted.get(relationship, (-1, -1, -1))
