"""Labels and types as predicates: names that stand in the query, and those that a row gives.

column --split--> nodes: one question of storage a label
              \\-> relationships: one question for their types
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, Column, IntArray
from cypherd.binder.expressions import HasDynamicLabels, HasLabels
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.compiler import Compiler, Evaluate, located
from cypherd.executor.expressions.entities import Entities, check_alive, entities_of
from cypherd.executor.expressions.logic import null_mask
from cypherd.executor.expressions.properties import Along, along_of, key_ids
from cypherd.executor.expressions.truth import Truth
from cypherd.executor.remembering import Remembered
from cypherd.executor.repeats import endpoints, have_label
from cypherd.values.description import wrong_type
from cypherd.values.lists import is_list, to_list


def compile_has_labels(expression: HasLabels, compiler: Compiler) -> Evaluate:
    source, labels = compiler.compile(expression.source), expression.labels
    along = along_of(expression)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        column = source(batch, context)
        with located(expression.at):
            entities = _entities(column, context)
            true = np.zeros(batch.length, dtype=np.bool_)
            true[entities.node_rows] = (
                _have_labels(entities.nodes, labels, context, along)
                if labels
                else _have_any(entities.nodes, context)
            )
            true[entities.relationship_rows] = (
                _have_type(entities.relationships, labels, context) if labels else True
            )
        return Truth(true, ~true & ~null_mask(column)).column(compiler.typed)

    return evaluate


def compile_has_dynamic_labels(expression: HasDynamicLabels, compiler: Compiler) -> Evaluate:
    """Rows that name the same labels are asked for together."""
    source, names = compiler.compile(expression.source), compiler.compile(expression.names)

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        column = source(batch, context)
        with located(expression.at):
            entities = _entities(column, context)
            wanted = [label_names(value) for value in names(batch, context).to_list()]
            true = np.zeros(batch.length, dtype=np.bool_)
            for asked in set(wanted):
                here = np.fromiter((row == asked for row in wanted), np.bool_, len(wanted))
                _mark(true, entities, here, asked, expression.any, context)
        return Truth(true, ~true & ~null_mask(column)).column(compiler.typed)

    return evaluate


def label_names(value: Any) -> tuple[str, ...]:
    """The names that the value of `$(...)` gives. Raises CypherTypeError."""
    if isinstance(value, str):
        return (value,)
    if is_list(value):
        names = to_list(value)
        if all(isinstance(name, str) for name in names):
            return tuple(dict.fromkeys(names))
    raise wrong_type("$(...)", "a string or a list of strings", value)


def _entities(column: Column, context: ExecutionContext) -> Entities:
    entities = entities_of(column)
    for _, value in entities.others:
        raise wrong_type("a label predicate", "a node or relationship", value)
    check_alive(entities, context)
    return entities


def _mark(
    true: BoolArray,
    entities: Entities,
    here: BoolArray,
    names: tuple[str, ...],
    any_: bool,
    context: ExecutionContext,
) -> None:
    """Sets `true` for those of the rows `here` that have all, or any, of the names."""
    found = here[entities.node_rows]
    rows, nodes = entities.node_rows[found], entities.nodes[found]
    if any_:
        true[rows] = np.logical_or.reduce(
            [np.zeros(len(nodes), np.bool_)]
            + [_have_labels(nodes, (name,), context) for name in names]
        )
    else:
        true[rows] = _have_labels(nodes, names, context)
    found = here[entities.relationship_rows]
    rows, relationships = entities.relationship_rows[found], entities.relationships[found]
    if any_:
        true[rows] = np.logical_or.reduce(
            [np.zeros(len(rows), np.bool_)]
            + [_have_type(relationships, (name,), context) for name in names]
        )
    else:
        true[rows] = _have_type(relationships, names, context) if names else True


def _have_labels(
    nodes: IntArray,
    labels: tuple[str, ...],
    context: ExecutionContext,
    along: Along | None = None,
) -> BoolArray:
    answer = np.ones(len(nodes), dtype=np.bool_)
    for label in labels if len(answer) else ():
        token = context.transaction.schema.label_id(label)
        if token is None:
            return np.zeros(len(answer), dtype=np.bool_)
        if along is None:
            answer &= have_label(context.transaction, nodes, token)
        else:
            answer &= _read_with_label(nodes, token, context, along)
    return answer


def _read_with_label(
    nodes: IntArray, label: int, context: ExecutionContext, along: Along
) -> BoolArray:
    transaction = context.transaction
    remembered = context.remembered.setdefault(along.variable, Remembered())
    keys = key_ids(along.keys, transaction)
    return remembered.read_with_label(transaction, nodes.tolist(), label, keys)


def _have_any(nodes: IntArray, context: ExecutionContext) -> BoolArray:
    records = context.transaction.node_records(nodes) if len(nodes) else []
    return np.array([record is not None and bool(record[0]) for record in records], np.bool_)


def _have_type(
    relationships: IntArray, types: tuple[str, ...], context: ExecutionContext
) -> BoolArray:
    count = len(relationships)
    token = context.transaction.schema.type_id(types[0])
    if not count or token is None or len(set(types)) > 1:
        return np.zeros(count, dtype=np.bool_)
    found: BoolArray = endpoints(context.transaction, relationships).type == token
    return found
