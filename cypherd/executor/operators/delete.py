"""Delete: nodes, relationships and paths; with `detach` a node's relationships go with it.

Relationships go at once, and so do nodes that have none. A node that still has some waits for the
end of the rows: its relationships may be deleted by a later one. If they are not, the store
refuses to delete it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, Column, IdColumn, IntArray
from cypherd.errors import CypherTypeError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import NO_IDS
from cypherd.planner.logical.operators import LogicalDelete
from cypherd.values.description import type_of
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef

_ENTRY = 60


@dataclass(slots=True, kw_only=True)
class Delete(Operator):
    source: Operator
    expressions: tuple[Expression, ...]
    detach: bool

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        waiting: set[int] = set()
        with Holding(context.guard) as held:
            for batch in self.source.batches(context, argument):
                nodes, relationships = self._named(context, batch)
                _delete_relationships(context, relationships)
                if self.detach:
                    _delete_attached(context, nodes)
                    _delete_nodes(context, nodes)
                elif len(nodes):
                    waiting.update(_delete_free(context, nodes))
                    held.set(_ENTRY * len(waiting))
                yield batch
            if waiting:
                _delete_nodes(context, np.array(sorted(waiting), dtype=np.int64))

    def _named(self, context: ExecutionContext, batch: Batch) -> tuple[IntArray, IntArray]:
        """(nodes, relationships) that the rows name, each once."""
        nodes: list[IntArray] = [NO_IDS]
        relationships: list[IntArray] = [NO_IDS]
        for expression in self.expressions:
            found = _entities(expression(batch, context))
            nodes.append(found[0])
            relationships.append(found[1])
        return np.unique(np.concatenate(nodes)), np.unique(np.concatenate(relationships))


def _entities(column: Column) -> tuple[IntArray, IntArray]:
    if isinstance(column, IdColumn):
        ids = column.ids[column.ids >= 0]
        return (ids, NO_IDS) if column.kind == "node" else (NO_IDS, ids)
    nodes: list[int] = []
    relationships: list[int] = []
    for value in column.to_list():
        _collect(value, nodes, relationships)
    return np.array(nodes, dtype=np.int64), np.array(relationships, dtype=np.int64)


def _collect(value: Any, nodes: list[int], relationships: list[int]) -> None:
    if isinstance(value, NodeRef):
        nodes.append(value.id)
    elif isinstance(value, RelationshipRef):
        relationships.append(value.id)
    elif isinstance(value, PathRef):
        nodes.extend(node.id for node in value.nodes)
        relationships.extend(relationship.id for relationship in value.relationships)
    elif value is not None:
        raise CypherTypeError(
            "DELETE takes nodes, relationships and paths, "
            f"but was given a value of type {type_of(value).value}",
            detail="InvalidArgumentType",
        )


def _delete_relationships(context: ExecutionContext, relationships: IntArray) -> None:
    if len(relationships):
        deleted = context.writer().delete_relationships(relationships)
        context.stats.relationships_deleted += deleted


def _delete_nodes(context: ExecutionContext, nodes: IntArray) -> None:
    if len(nodes):
        context.stats.nodes_deleted += context.writer().delete_nodes(nodes)


def _delete_attached(context: ExecutionContext, nodes: IntArray) -> None:
    """Delete all relationships of the nodes, in bounded pieces."""
    if not len(nodes):
        return
    for found in context.transaction.expand(nodes, "both", None, max(context.batch_size, 1024)):
        context.guard.check()
        _delete_relationships(context, np.unique(found.relationship))


def _delete_free(context: ExecutionContext, nodes: IntArray) -> list[int]:
    """Delete the nodes that have no relationships; the others."""
    free = context.transaction.degree(nodes, "both", None) == 0
    _delete_nodes(context, nodes[free])
    others: list[int] = nodes[~free].tolist()
    return others


def map_delete(plan: LogicalDelete, number: int, mapping: Mapping) -> Operator:
    return Delete(
        number=number,
        source=mapping.map(plan.source),
        expressions=tuple(compile_expression(expression) for expression in plan.expressions),
        detach=plan.detach,
    )
