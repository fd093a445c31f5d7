"""Names and rules of the store at one snapshot: tables `tokens` and `schema`.

A reading transaction shares the object of its schema version. A writing transaction that adds a
name changes a copy of its own, so nothing of it is seen before the commit, or after an abort.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cypherd.batch.columns import EntityKind
from cypherd.storage.lmdb.layout import (
    META_SCHEMA_VERSION,
    Tables,
    pack_index,
    packb,
    unpack_big,
    unpackb,
)
from cypherd.storage.protocols import ConstraintDescriptor, IndexDescriptor

LABEL, TYPE, PROPERTY = b"L", b"T", b"P"
_INDEX, _CONSTRAINT = b"i", b"c"


class TokenSet:
    """Names with dense ids from 0."""

    __slots__ = ("ids", "names")

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self.ids = {name: token for token, name in enumerate(self.names)}

    def add(self, name: str) -> int:
        token = len(self.names)
        self.names.append(name)
        self.ids[name] = token
        return token


class LmdbSchema:
    """The protocol's Schema."""

    def __init__(
        self,
        version: int,
        tokens: dict[bytes, TokenSet],
        indexes: Sequence[IndexDescriptor],
        constraints: Sequence[ConstraintDescriptor],
    ) -> None:
        self.version = version
        self.indexes = tuple(indexes)
        self.constraints = tuple(constraints)
        self._tokens = tokens
        self._labels = tokens[LABEL]
        self._types = tokens[TYPE]
        self._properties = tokens[PROPERTY]
        self._by_owner: dict[EntityKind, dict[int, tuple[IndexDescriptor, ...]]] = {
            "node": {},
            "relationship": {},
        }
        for index in self.indexes:
            owners = self._by_owner[index.kind]
            owners[index.owner] = (*owners.get(index.owner, ()), index)
        self._requiring: dict[EntityKind, dict[int, tuple[ConstraintDescriptor, ...]]] = {
            "node": {},
            "relationship": {},
        }
        for rule in self.constraints:
            if rule.requires_values:
                rules = self._requiring[rule.entity]
                rules[rule.owner] = (*rules.get(rule.owner, ()), rule)

    def label_id(self, name: str) -> int | None:
        return self._labels.ids.get(name)

    def type_id(self, name: str) -> int | None:
        return self._types.ids.get(name)

    def property_id(self, name: str) -> int | None:
        return self._properties.ids.get(name)

    def label_name(self, token: int) -> str:
        return self._labels.names[token]

    def type_name(self, token: int) -> str:
        return self._types.names[token]

    def property_name(self, token: int) -> str:
        return self._properties.names[token]

    def label_names(self) -> Sequence[str]:
        return tuple(self._labels.names)

    def type_names(self) -> Sequence[str]:
        return tuple(self._types.names)

    def property_names(self) -> Sequence[str]:
        return tuple(self._properties.names)

    def indexes_of(self, kind: EntityKind) -> dict[int, tuple[IndexDescriptor, ...]]:
        """Indexes by the label or type that owns them."""
        return self._by_owner[kind]

    def requiring(self, kind: EntityKind) -> dict[int, tuple[ConstraintDescriptor, ...]]:
        """Constraints that demand properties, by the label or type that they are for."""
        return self._requiring[kind]

    def tokens(self, kind: bytes) -> TokenSet:
        return self._tokens[kind]

    def changed(
        self,
        version: int,
        indexes: Sequence[IndexDescriptor] | None = None,
        constraints: Sequence[ConstraintDescriptor] | None = None,
    ) -> LmdbSchema:
        """A copy that its maker may add names to."""
        return LmdbSchema(
            version,
            {kind: TokenSet(tokens.names) for kind, tokens in self._tokens.items()},
            self.indexes if indexes is None else indexes,
            self.constraints if constraints is None else constraints,
        )


def read_version(txn: Any, tables: Tables) -> int:
    return int(unpack_big(txn.get(META_SCHEMA_VERSION, db=tables.meta))[0])


def load_schema(txn: Any, tables: Tables) -> LmdbSchema:
    tokens = {kind: TokenSet() for kind in (LABEL, TYPE, PROPERTY)}
    for key, name in txn.cursor(db=tables.tokens):
        # Ids are big-endian, so the names come in the order of their ids.
        tokens[key[:1]].add(name.decode("utf-8", "surrogatepass"))
    indexes, constraints = [], []
    for key, data in txn.cursor(db=tables.schema):
        if key[:1] == _INDEX:
            indexes.append(read_index(unpackb(data)))
        else:
            constraints.append(read_constraint(unpackb(data)))
    return LmdbSchema(read_version(txn, tables), tokens, indexes, constraints)


def put_token(txn: Any, tables: Tables, kind: bytes, token: int, name: str) -> None:
    key = kind + pack_index(token)
    txn.put(key, name.encode("utf-8", "surrogatepass"), db=tables.tokens, overwrite=False)


def put_index(txn: Any, tables: Tables, index: IndexDescriptor) -> None:
    row = [index.id, index.name, index.kind, index.owner, list(index.properties), index.unique]
    txn.put(_INDEX + pack_index(index.id), packb(row), db=tables.schema)


def put_constraint(txn: Any, tables: Tables, constraint: ConstraintDescriptor) -> None:
    row = [
        constraint.id,
        constraint.name,
        constraint.kind,
        constraint.entity,
        constraint.owner,
        list(constraint.properties),
        constraint.index_id,
    ]
    txn.put(_CONSTRAINT + pack_index(constraint.id), packb(row), db=tables.schema)


def delete_index(txn: Any, tables: Tables, index_id: int) -> None:
    txn.delete(_INDEX + pack_index(index_id), db=tables.schema)


def delete_constraint(txn: Any, tables: Tables, constraint_id: int) -> None:
    txn.delete(_CONSTRAINT + pack_index(constraint_id), db=tables.schema)


def read_index(row: list[Any]) -> IndexDescriptor:
    number, name, kind, owner, properties, unique = row
    return IndexDescriptor(number, name, kind, owner, tuple(properties), unique)


def read_constraint(row: list[Any]) -> ConstraintDescriptor:
    number, name, kind, entity, owner, properties, index_id = row
    return ConstraintDescriptor(number, name, kind, entity, owner, tuple(properties), index_id)
