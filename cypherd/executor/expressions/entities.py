"""The nodes and relationships of a column, apart from its other values: storage is asked once
for all of a kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray
from cypherd.errors import EntityNotFound
from cypherd.executor.context import ExecutionContext
from cypherd.values.graph import NodeRef, RelationshipRef

_NONE: IntArray = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Entities:
    """`node_rows[i]` is the row of node `nodes[i]`, likewise relationships; `others` are the
    (row, value) of all other values that are not null."""

    node_rows: IntArray = field(default_factory=lambda: _NONE)
    nodes: IntArray = field(default_factory=lambda: _NONE)
    relationship_rows: IntArray = field(default_factory=lambda: _NONE)
    relationships: IntArray = field(default_factory=lambda: _NONE)
    others: list[tuple[int, Any]] = field(default_factory=list)


def entities_of(column: Column) -> Entities:
    if isinstance(column, IdColumn):
        rows = np.flatnonzero(column.ids >= 0)
        ids = column.ids[rows]
        if column.kind == "node":
            return Entities(node_rows=rows, nodes=ids)
        return Entities(relationship_rows=rows, relationships=ids)
    return _split(column.to_list())


def _split(values: list[Any]) -> Entities:
    nodes: list[tuple[int, int]] = []
    relationships: list[tuple[int, int]] = []
    others: list[tuple[int, Any]] = []
    for row, value in enumerate(values):
        if isinstance(value, NodeRef):
            nodes.append((row, value.id))
        elif isinstance(value, RelationshipRef):
            relationships.append((row, value.id))
        elif value is not None:
            others.append((row, value))
    return Entities(*_arrays(nodes), *_arrays(relationships), others)


def _arrays(pairs: list[tuple[int, int]]) -> tuple[IntArray, IntArray]:
    if not pairs:
        return _NONE, _NONE
    both = np.array(pairs, dtype=np.int64)
    return both[:, 0], both[:, 1]


def check_alive(entities: Entities, context: ExecutionContext) -> None:
    """Raises EntityNotFound for what this very query has deleted; only then is storage asked."""
    transaction, stats = context.transaction, context.stats
    dead_node = stats.nodes_deleted and len(entities.nodes) and not (
        transaction.nodes_exist(entities.nodes).all()
    )  # fmt: skip
    dead_relationship = stats.relationships_deleted and len(entities.relationships) and not (
        transaction.relationships_exist(entities.relationships).all()
    )  # fmt: skip
    if dead_node or dead_relationship:
        kind = "node" if dead_node else "relationship"
        raise EntityNotFound(
            f"a {kind} that this query has deleted cannot be read", detail="DeletedEntityAccess"
        )
