"""Short reads: the commonest of all plans, without the machinery of the others.

    ProduceResults <- [Project] <- [Expand] <- NodeIndexSeek of one value <- Argument

whose values are properties of the node, the relationship and the neighbour, or these whole, or
constants and parameters. A batch of one row costs its operators, generators and arrays several
times what the store needs for the answer; here the store is asked the same questions in the same
order, one after the other, and the answer is one batch. The operators are what it is tested
against. What turns out not to be short (many neighbours) is left to them, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.binder.expressions import BoundExpression, Constant, Parameter, Property, Variable
from cypherd.executor.materialize import read_nodes, read_relationships
from cypherd.executor.tokens import find_index, type_tokens
from cypherd.planner.logical import operators as ops
from cypherd.planner.plan import Plan
from cypherd.storage.protocols import IndexDescriptor, ReadTransaction, Schema
from cypherd.values.lists import is_list

MOST_ROWS = 256

MOST_STARTS = 16
"""From more nodes than these, one question about all of them is quicker than one about each."""

_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of the plan as one version of the schema has them."""

    version: int
    index: IndexDescriptor | None
    types: list[int] | None
    keys: dict[str, int | None]


class ShortRead:
    """A plan of that form, for any snapshot, one query at a time."""

    __slots__ = ("_columns", "_expand", "_keys", "_names", "_seek", "_value", "_whole")

    def __init__(
        self,
        seek: ops.LogicalNodeIndexSeek,
        expand: ops.LogicalExpand | None,
        columns: tuple[tuple[str, BoundExpression], ...],
    ) -> None:
        self._seek = seek
        self._value = seek.values[0]
        self._expand = expand
        self._columns = columns
        reads: dict[str, dict[str, None]] = {}
        for _, expression in columns:
            if isinstance(expression, Property) and isinstance(expression.source, Variable):
                reads.setdefault(expression.source.name, {})[expression.key] = None
        # By variable, the keys that are read of it, together.
        self._keys = {variable: tuple(keys) for variable, keys in reads.items()}
        self._whole = {e.name for _, e in columns if isinstance(e, Variable)}
        self._names: _Names | None = None

    def batch(self, transaction: ReadTransaction, parameters: Mapping[str, Any]) -> Batch | None:
        """All rows; None if this is a case for the operators."""
        schema = transaction.schema
        names = self._names
        if names is None or names.version != schema.version:
            names = self._names = self._look_up(schema)
        if names.index is None:
            return None
        value = _given(self._value, parameters)
        if not isinstance(value, _PLAIN):
            return None
        if value is None:
            return self._rows({}, 0, names, transaction, parameters)
        nodes = transaction.index_holders(names.index, (value,))
        if len(nodes) > (MOST_ROWS if self._expand is None else MOST_STARTS):
            return None
        ids = {self._seek.variable: nodes}
        if self._expand is not None:
            found = self._neighbours(nodes, names, transaction)
            if found is None:
                return None
            ids = found
        length = len(next(iter(ids.values()))) if ids else 0
        return self._rows(ids, length, names, transaction, parameters)

    def _look_up(self, schema: Schema) -> _Names:
        seek, expand = self._seek, self._expand
        return _Names(
            schema.version,
            find_index(schema, "node", seek.label, seek.properties),
            None if expand is None else type_tokens(schema, expand.types),
            {key: schema.property_id(key) for keys in self._keys.values() for key in keys},
        )

    def _neighbours(
        self, nodes: list[int], names: _Names, transaction: ReadTransaction
    ) -> dict[str, list[int]] | None:
        expand = self._expand
        assert expand is not None, "the caller has looked"
        if names.types == []:
            return {}
        starts: list[int] = []
        relationships: list[int] = []
        ends: list[int] = []
        for node in nodes:
            most = MOST_ROWS - len(ends)
            found = transaction.neighbours(node, expand.direction, names.types, most)
            if found is None:
                return None
            relationships += found[0]
            ends += found[1]
            starts += [node] * len(found[1])
        return {expand.relationship: relationships, expand.start: starts, expand.end: ends}

    def _rows(
        self,
        ids: Mapping[str, list[int]],
        length: int,
        names: _Names,
        transaction: ReadTransaction,
        parameters: Mapping[str, Any],
    ) -> Batch:
        read: dict[tuple[str, str | None], list[Any]] = {}
        if length:
            for variable, keys in self._keys.items():
                self._read(variable, keys, ids[variable], names, transaction, read)
            for variable in self._whole:
                read[variable, None] = self._entities(variable, ids[variable], transaction)
        columns: dict[str, Any] = {}
        for name, expression in self._columns:
            if not length:
                values: list[Any] = []
            elif isinstance(expression, Property):
                assert isinstance(expression.source, Variable), "short_read has looked"
                values = read[expression.source.name, expression.key]
            elif isinstance(expression, Variable):
                values = read[expression.name, None]
            else:
                values = [_given(expression, parameters)] * length
            columns[name] = ObjectColumn(values)
        return Batch(length, columns)

    def _is_relationship(self, variable: str) -> bool:
        return self._expand is not None and variable == self._expand.relationship

    def _read(
        self,
        variable: str,
        keys: tuple[str, ...],
        ids: list[int],
        names: _Names,
        transaction: ReadTransaction,
        read: dict[tuple[str, str | None], list[Any]],
    ) -> None:
        known = [key for key in keys if names.keys[key] is not None]
        tokens = [token for key in known if (token := names.keys[key]) is not None]
        if tokens:
            if self._is_relationship(variable):
                found = transaction.relationship_properties(ids, tokens)
            else:
                found = transaction.node_properties(ids, tokens)
            for key, column in zip(known, found, strict=True):
                read[variable, key] = column
        for key in keys:
            if names.keys[key] is None:
                read[variable, key] = [None] * len(ids)

    def _entities(self, variable: str, ids: list[int], transaction: ReadTransaction) -> list[Any]:
        there = sorted(set(ids))
        found: Mapping[int, Any]
        if self._is_relationship(variable):
            found = read_relationships(there, transaction)
        else:
            found = read_nodes(there, transaction)
        return [found[entity] for entity in ids]


def _given(expression: BoundExpression, parameters: Mapping[str, Any]) -> Any:
    if isinstance(expression, Parameter):
        return parameters[expression.name]
    assert isinstance(expression, Constant), "short_read has looked"
    return expression.value


def short_read(plan: Plan) -> ShortRead | None:
    """The plan as a short read, if it is one."""
    if plan.kind != "read" or plan.mode is not None:
        return None
    root = plan.root
    if not isinstance(root, ops.LogicalProduceResults):
        return None
    below = root.source
    items: Mapping[str, BoundExpression] | None = None
    if isinstance(below, ops.LogicalProject):
        items, below = dict(below.items), below.source
    expand = None
    if isinstance(below, ops.LogicalExpand):
        expand, below = below, below.source
    if not isinstance(below, ops.LogicalNodeIndexSeek) or not _is_single(below):
        return None
    if expand is not None and expand.start != below.variable:
        return None
    entities = {below.variable}
    if expand is not None:
        entities |= {expand.relationship, expand.end}
    columns = tuple(
        (name, items[variable] if items is not None else Variable(variable))
        for name, variable in root.columns
    )
    if not all(_is_read(expression, entities) for _, expression in columns):
        return None
    return ShortRead(below, expand, columns)


def _is_single(seek: ops.LogicalNodeIndexSeek) -> bool:
    source = seek.source
    return (
        not seek.many
        and len(seek.values) == 1
        and isinstance(seek.values[0], Parameter | Constant)
        and isinstance(source, ops.LogicalArgument)
        and not source.variables
    )


def _is_read(expression: BoundExpression, entities: set[str]) -> bool:
    match expression:
        case Variable(name) | Property(Variable(name)):
            return name in entities
        case Constant(value):
            return not is_list(value) and not isinstance(value, dict)
        case Parameter():
            return True
    return False
