"""What CREATE and MERGE make: nodes and relationships, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, Column, IdColumn, IntArray
from cypherd.errors import CypherTypeError, EntityNotFound, SemanticError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.expressions.labels import label_names
from cypherd.executor.operator import Expression
from cypherd.executor.rows import entity_ids
from cypherd.planner.logical.operators import CreateNode, CreateRelationship
from cypherd.storage.protocols import WriteTransaction
from cypherd.values.description import type_of
from cypherd.values.lists import to_list


@dataclass(slots=True, frozen=True)
class CompiledNode:
    variable: str
    labels: tuple[str, ...]
    names: tuple[Expression, ...]
    properties: Expression | None


@dataclass(slots=True, frozen=True)
class CompiledRelationship:
    variable: str
    start: str
    end: str
    type: str | None
    name: Expression | None
    properties: Expression | None


@dataclass(slots=True, frozen=True)
class Creation:
    """The nodes and relationships that one operator makes for each row."""

    nodes: tuple[CompiledNode, ...]
    relationships: tuple[CompiledRelationship, ...]
    nulls_refused: bool
    """MERGE: null in a property could never be matched (SemanticError MergeReadOwnWrites)."""

    @property
    def variables(self) -> tuple[str, ...]:
        nodes = tuple(node.variable for node in self.nodes)
        return nodes + tuple(made.variable for made in self.relationships)

    def create(self, context: ExecutionContext, batch: Batch) -> Batch:
        """The batch with a column for all that was made."""
        for node in self.nodes:
            batch = batch.with_columns({node.variable: self._node(context, batch, node)})
        for relationship in self.relationships:
            made = self._relationship(context, batch, relationship)
            batch = batch.with_columns({relationship.variable: made})
        return batch

    def _node(self, context: ExecutionContext, batch: Batch, node: CompiledNode) -> Column:
        writer = context.writer()
        properties = self._properties(context, batch, node.properties)
        labels = _labels(context, batch, node)
        ids = writer.create_nodes(labels, properties)
        context.stats.nodes_created += batch.length
        context.stats.labels_added += sum(map(len, labels))
        context.stats.properties_set += sum(map(len, properties))
        return IdColumn("node", ids)

    def _relationship(
        self, context: ExecutionContext, batch: Batch, made: CompiledRelationship
    ) -> Column:
        writer = context.writer()
        starts = _endpoints(batch, made.start, made)
        ends = _endpoints(batch, made.end, made)
        properties = self._properties(context, batch, made.properties)
        types = [writer.type_token(name) for name in _types(context, batch, made)]
        ids = writer.create_relationships(types, starts, ends, properties)
        context.stats.relationships_created += batch.length
        context.stats.properties_set += sum(map(len, properties))
        return IdColumn("relationship", ids)

    def _properties(
        self, context: ExecutionContext, batch: Batch, expression: Expression | None
    ) -> Sequence[dict[int, Any]]:
        """Properties by key id, nulls left out."""
        if expression is None:
            return [{} for _ in range(batch.length)]
        maps = [checked_map(value) for value in expression(batch, context).to_list()]
        if self.nulls_refused and any(None in values.values() for values in maps):
            raise SemanticError(
                "MERGE cannot use a null value for a property", detail="MergeReadOwnWrites"
            )
        return tokenized(context.writer(), maps)


def _labels(context: ExecutionContext, batch: Batch, node: CompiledNode) -> list[tuple[int, ...]]:
    writer = context.writer()
    labels = {writer.label_token(name) for name in node.labels}
    if not node.names:
        return [tuple(sorted(labels))] * batch.length
    given = [names(batch, context).to_list() for names in node.names]
    rows = []
    for values in zip(*given, strict=True):
        more = {writer.label_token(name) for value in values for name in label_names(value)}
        rows.append(tuple(sorted(labels | more)))
    return rows


def _types(context: ExecutionContext, batch: Batch, made: CompiledRelationship) -> Sequence[str]:
    if made.name is None:
        return [str(made.type)] * batch.length
    types = []
    for value in made.name(batch, context).to_list():
        names = label_names(value)
        if len(names) != 1:
            raise CypherTypeError(
                f"A relationship is made with one type; $(...) gives {len(names)} of them",
                detail="InvalidArgumentType",
            )
        types.append(names[0])
    return types


def _endpoints(batch: Batch, variable: str, made: CompiledRelationship) -> IntArray:
    nodes = entity_ids(batch.columns[variable], "node")
    if len(nodes) and int(np.min(nodes)) < 0:
        raise EntityNotFound(
            f"Cannot create a relationship{'' if made.type is None else f' of type {made.type}'}: "
            f"its node {variable.split('@')[0].strip()} is null"
        )
    return nodes


def checked_map(value: Any) -> dict[str, Any]:
    """A map of properties; null is an empty one. Raises CypherTypeError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CypherTypeError(
            f"Properties have to be a map, not a {type_of(value).value}",
            detail="InvalidArgumentType",
        )
    return value


def tokenized(
    writer: WriteTransaction, maps: Sequence[dict[str, Any]], *, keep_nulls: bool = False
) -> list[dict[int, Any]]:
    """Maps by key id instead of name."""
    tokens = {name: -1 for properties in maps for name in properties}
    for name in tokens:
        if keep_nulls or any(properties.get(name) is not None for properties in maps):
            tokens[name] = writer.property_token(name)
    return [
        {
            tokens[name]: storable(value)
            for name, value in properties.items()
            if keep_nulls or value is not None
        }
        for properties in maps
    ]


def storable(value: Any) -> Any:
    """A list that `range()` made has to be a real one to be kept."""
    return to_list(value) if isinstance(value, range) else value


def compile_creation(
    nodes: tuple[CreateNode, ...],
    relationships: tuple[CreateRelationship, ...],
    *,
    nulls_refused: bool,
) -> Creation:
    return Creation(
        tuple(
            CompiledNode(
                n.variable,
                n.labels,
                tuple(map(compile_expression, n.names)),
                _compiled(n.properties),
            )
            for n in nodes
        ),
        tuple(
            CompiledRelationship(
                r.variable, r.start, r.end, r.type, _compiled(r.name), _compiled(r.properties)
            )
            for r in relationships
        ),
        nulls_refused,
    )


def _compiled(expression: Any) -> Expression | None:
    return None if expression is None else compile_expression(expression)
