"""The writing transaction: changes of the graph, all or nothing.

What LMDB rolls back by itself stands in its tables at once. What would be written over and over
is kept in memory until the outermost commit: changes of counts, the next ids. A child begins
with its parent's state and hands its own back when it commits; when it aborts, that is dropped.
After any error but those of questions the transaction should be aborted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import lmdb
import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.errors import (
    ArgumentError,
    ConstraintVerificationFailed,
    CypherdError,
    EntityNotFound,
    InternalError,
)
from cypherd.storage.lmdb import rules
from cypherd.storage.lmdb.counting import LmdbCounts
from cypherd.storage.lmdb.failures import explained
from cypherd.storage.lmdb.index_writing import IndexWriter
from cypherd.storage.lmdb.layout import (
    MAX_NODES,
    MAX_TYPES,
    META_NEXT_NODE,
    META_NEXT_RELATIONSHIP,
    META_NEXT_RULE,
    META_SCHEMA_VERSION,
    META_STATEMENTS,
    Tables,
    adjacency_key,
    pack_big,
    pack_id,
    pack_owned,
    packb,
)
from cypherd.storage.lmdb.reading import LmdbReadTransaction
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
from cypherd.storage.properties import stored_properties, stored_value
from cypherd.storage.protocols import ConstraintDescriptor, EntityKind, IndexDescriptor

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Transaction = TypeVar("Transaction", bound="LmdbWriteTransaction")


class Owner(Protocol):
    """What a transaction asks of the store that began it."""

    def begin_child(self, parent: Any) -> Any: ...
    def next_schema_version(self, present: int) -> int: ...
    def committed(self, schema: LmdbSchema) -> None: ...


def _changing(
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


class LmdbWriteTransaction(LmdbReadTransaction):
    """The protocol's WriteTransaction."""

    def __init__(
        self,
        owner: Owner,
        txn: Any,
        tables: Tables,
        schema: LmdbSchema,
        parent: LmdbWriteTransaction | None = None,
    ) -> None:
        super().__init__(txn, tables, schema)
        self._owner = owner
        self._parent = parent
        self._child: LmdbWriteTransaction | None = None
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

    # --- names ---

    def label_token(self, name: str) -> int:
        return self._token(LABEL, name)

    def type_token(self, name: str) -> int:
        return self._token(TYPE, name)

    def property_token(self, name: str) -> int:
        return self._token(PROPERTY, name)

    # --- nodes and relationships ---

    @_changing
    def create_nodes(
        self, labels: Sequence[tuple[int, ...]], properties: Sequence[Mapping[int, Any]]
    ) -> IntArray:
        stored = [stored_properties(row) for row in properties]
        ids = self._new_nodes(len(stored))
        owners = [sorted(set(row)) for row in labels]
        self._txn.cursor(db=self._tables.nodes).putmulti(
            [
                (pack_id(node), packb([row, values]))
                for node, row, values in zip(ids, owners, stored, strict=True)
            ],
            append=True,
        )
        put = self._txn.put
        for node, row, values in zip(ids, owners, stored, strict=True):
            for label in row:
                put(pack_id(label), pack_id(node), db=self._tables.labels)
            self._counts.add_nodes(row, 1)
            self._index_writer.change("node", node, ((), {}), (row, values))
        return np.array(ids, dtype=np.int64)

    @_changing
    def create_relationships(
        self,
        types: Sequence[int],
        starts: IntArray,
        ends: IntArray,
        properties: Sequence[Mapping[int, Any]],
    ) -> IntArray:
        first = self._relationship_counter
        labels = self._labels_of({*starts.tolist(), *ends.tolist()})
        put, tables = self._txn.put, self._tables
        rows = zip(types, starts.tolist(), ends.tolist(), properties, strict=True)
        number = first
        for number, (type_, start, end, row) in enumerate(rows, first):
            values = stored_properties(row)
            put(
                pack_id(number),
                packb([type_, start, end, values]),
                db=tables.relationships,
                append=True,
            )
            put(adjacency_key(start, type_), pack_owned(end, number), db=tables.out)
            put(adjacency_key(end, type_), pack_owned(start, number), db=tables.in_)
            self._counts.add_relationships(type_, labels[start], labels[end], 1)
            self._index_writer.change("relationship", number, ((), {}), ((type_,), values))
            self._relationship_counter = number + 1
        return np.arange(first, self._relationship_counter, dtype=np.int64)

    @_changing
    def set_node_properties(self, nodes: IntArray, changes: Sequence[Mapping[int, Any]]) -> int:
        written = 0
        for node, change in zip(nodes.tolist(), changes, strict=True):
            record = self._nodes([node])[0]
            if record is None:
                continue
            labels, before = record
            after, count = _changed(before, change)
            if count:
                self._txn.put(pack_id(node), packb([labels, after]), db=self._tables.nodes)
                self._index_writer.change("node", node, (labels, before), (labels, after))
                written += count
        return written

    @_changing
    def set_relationship_properties(
        self, relationships: IntArray, changes: Sequence[Mapping[int, Any]]
    ) -> int:
        written = 0
        for relationship, change in zip(relationships.tolist(), changes, strict=True):
            record = self._relationships([relationship])[0]
            if record is None:
                continue
            type_, start, end, before = record
            after, count = _changed(before, change)
            if count:
                data = packb([type_, start, end, after])
                self._txn.put(pack_id(relationship), data, db=self._tables.relationships)
                self._index_writer.change(
                    "relationship", relationship, ((type_,), before), ((type_,), after)
                )
                written += count
        return written

    @_changing
    def add_labels(self, nodes: IntArray, labels: Sequence[int]) -> int:
        return self._change_labels(nodes, lambda present: present | set(labels))

    @_changing
    def remove_labels(self, nodes: IntArray, labels: Sequence[int]) -> int:
        return self._change_labels(nodes, lambda present: present - set(labels))

    @_changing
    def delete_relationships(self, relationships: IntArray) -> int:
        txn, tables = self._txn, self._tables
        deleted = 0
        for relationship in relationships.tolist():
            record = self._relationships([relationship])[0]
            if record is None:
                continue
            type_, start, end, values = record
            txn.delete(pack_id(relationship), db=tables.relationships)
            txn.delete(adjacency_key(start, type_), pack_owned(end, relationship), db=tables.out)
            txn.delete(adjacency_key(end, type_), pack_owned(start, relationship), db=tables.in_)
            labels = self._labels_of({start, end})
            self._counts.add_relationships(type_, labels[start], labels[end], -1)
            self._index_writer.change("relationship", relationship, ((type_,), values), ((), {}))
            self._deleted[relationship] = (type_, start, end)
            deleted += 1
        return deleted

    @_changing
    def delete_nodes(self, nodes: IntArray) -> int:
        for node in nodes.tolist():
            if node >= 0 and self._adjacency.has_relationships(node):
                raise ConstraintVerificationFailed(
                    f"Cannot delete node<{node}>, because it still has relationships. To delete "
                    "this node, you must first delete its relationships.",
                    detail="DeleteConnectedNode",
                )
        deleted = 0
        for node in nodes.tolist():
            record = self._nodes([node])[0]
            if record is None:
                continue
            labels, values = record
            self._txn.delete(pack_id(node), db=self._tables.nodes)
            for label in labels:
                self._txn.delete(pack_id(label), pack_id(node), db=self._tables.labels)
            self._counts.add_nodes(labels, -1)
            self._index_writer.change("node", node, (labels, values), ((), {}))
            deleted += 1
        return deleted

    # --- indexes and constraints ---

    @_changing
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

    @_changing
    def drop_index(self, index_id: int) -> None:
        self._drop_index(rules.require_index(self._schema, index_id))

    @_changing
    def create_constraint(
        self,
        name: str | None,
        kind: str,
        entity: EntityKind,
        owner: int,
        properties: Sequence[int],
    ) -> ConstraintDescriptor:
        rules.require_uniqueness(kind)
        name = name or rules.generated_name(self._schema, "constraint", entity, owner, properties)
        index = self.create_index(name, entity, owner, properties, unique=True)
        constraint = ConstraintDescriptor(
            self._new_rule(), name, kind, entity, owner, tuple(properties), index.id
        )
        put_constraint(self._txn, self._tables, constraint)
        self._change_schema(constraints=(*self._schema.constraints, constraint))
        return constraint

    @_changing
    def drop_constraint(self, constraint_id: int) -> None:
        constraint = rules.require_constraint(self._schema, constraint_id)
        delete_constraint(self._txn, self._tables, constraint_id)
        kept = [rule for rule in self._schema.constraints if rule.id != constraint_id]
        self._change_schema(constraints=kept)
        if constraint.index_id is not None:
            self._drop_index(rules.require_index(self._schema, constraint.index_id))

    # --- the transaction ---

    @_changing
    def child(self) -> LmdbWriteTransaction:
        txn = self._owner.begin_child(self._txn)
        self._child = LmdbWriteTransaction(self._owner, txn, self._tables, self._schema, self)
        return self._child

    @_changing
    def record_statements(self, sequence: int, statements: Sequence[int]) -> None:
        data = packb([sequence, list(statements)])
        self._txn.put(META_STATEMENTS, data, db=self._tables.meta)

    @_changing
    def commit(self) -> None:
        if self._parent is None:
            self._counts.write()
            self._put_counter(META_NEXT_NODE, self._node_counter)
            self._put_counter(META_NEXT_RELATIONSHIP, self._relationship_counter)
        self._txn.commit()
        self._ended = True
        if self._parent is None:
            self._owner.committed(self._schema)
        else:
            self._parent.take_over(self)

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

    def close(self) -> None:
        self.abort()

    def __enter__(self) -> LmdbWriteTransaction:
        return self

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

    def take_over(self, child: LmdbWriteTransaction) -> None:
        """Make the state of a child that was committed one's own."""
        self._child = None
        self._counts.deltas.clear()
        self._counts.merge(child.counts.deltas)
        self._node_counter = child._node_counter
        self._relationship_counter = child._relationship_counter
        self._deleted = child._deleted
        self._schema = child.schema
        self._owns_schema = False

    # --- inside ---

    @_changing
    def _token(self, kind: bytes, name: str) -> int:
        found = self._schema.tokens(kind).ids.get(name)
        if found is not None:
            return found
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

    def _change_labels(self, nodes: IntArray, change: Callable[[set[int]], set[int]]) -> int:
        changed = 0
        for node in nodes.tolist():
            record = self._nodes([node])[0]
            if record is None:
                continue
            before, values = set(record[0]), record[1]
            after = change(before)
            if after == before:
                continue
            self._txn.put(pack_id(node), packb([sorted(after), values]), db=self._tables.nodes)
            for label in after - before:
                self._txn.put(pack_id(label), pack_id(node), db=self._tables.labels)
            for label in before - after:
                self._txn.delete(pack_id(label), pack_id(node), db=self._tables.labels)
            self._count_labels(node, after - before, 1)
            self._count_labels(node, before - after, -1)
            self._index_writer.change("node", node, (before, values), (after, values))
            changed += len(after ^ before)
        return changed

    def _count_labels(self, node: int, labels: set[int], sign: int) -> None:
        """A node that gains or loses labels takes its relationships along in the counts."""
        if not labels:
            return
        self._counts.add_nodes(labels, sign)
        self._counts.add_nodes((), -sign)
        for type_, degree in self._adjacency.degrees_by_type(node, incoming=False).items():
            for label in labels:
                self._counts.add_started(label, type_, sign * degree)
        for type_, degree in self._adjacency.degrees_by_type(node, incoming=True).items():
            for label in labels:
                self._counts.add_ended(label, type_, sign * degree)

    def _labels_of(self, nodes: set[int]) -> dict[int, Sequence[int]]:
        ids = list(nodes)
        records = self._nodes(ids)
        for node, record in zip(ids, records, strict=True):
            if record is None:
                raise EntityNotFound(f"Node({node}) does not exist", detail="DeletedEntityAccess")
        return {node: record[0] for node, record in zip(ids, records, strict=True)}

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


def _changed(before: dict[int, Any], change: Mapping[int, Any]) -> tuple[dict[int, Any], int]:
    """The properties after a change, and how many Neo4j would count as set."""
    after = dict(before)
    count = 0
    for key, value in change.items():
        if value is not None:
            after[key] = stored_value(value)
            count += 1
        elif key in after:
            del after[key]
            count += 1
    return after, count
