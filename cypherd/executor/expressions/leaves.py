"""Constants, parameters, variables, list and map literals, and what patterns give: paths and
the uniqueness of relationships."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, Column, IdColumn, ObjectColumn
from cypherd.binder.expressions import (
    Constant,
    DistinctRelationships,
    ListOf,
    MapOf,
    Parameter,
    PathOf,
    Variable,
)
from cypherd.errors import InternalError, ParameterMissing
from cypherd.executor.context import ExecutionContext
from cypherd.executor.expressions.compiler import (
    CHUNK,
    PATH_CHUNK,
    Compiler,
    Evaluate,
    constant_column,
)
from cypherd.executor.expressions.truth import Truth
from cypherd.values.graph import NodeRef, PathRef, RelationshipRef


def compile_constant(expression: Constant, compiler: Compiler) -> Evaluate:
    value, typed = expression.value, compiler.typed
    return lambda batch, context: constant_column(value, batch.length, typed)


def compile_parameter(expression: Parameter, compiler: Compiler) -> Evaluate:
    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        value = parameter_value(expression, context)
        return constant_column(value, batch.length, compiler.typed)

    return evaluate


def parameter_value(expression: Parameter, context: ExecutionContext) -> Any:
    """Raises ParameterMissing, naming it."""
    try:
        return context.parameters[expression.name]
    except KeyError:
        raise ParameterMissing(
            f"the parameter ${expression.name} was not given", offset=expression.at
        ) from None


def compile_variable(expression: Variable, compiler: Compiler) -> Evaluate:
    name = expression.name

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        column = batch.columns.get(name)
        if column is None:
            raise InternalError(f"the rows have no column {name}", offset=expression.at)
        return column if compiler.typed else ObjectColumn(column.to_list())

    return evaluate


def compile_list(expression: ListOf, compiler: Compiler) -> Evaluate:
    items = [compiler.compile(item) for item in expression.items]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        if not items:
            return ObjectColumn([[] for _ in range(batch.length)])
        columns = [item(batch, context).to_list() for item in items]
        return ObjectColumn([list(row) for row in zip(*columns, strict=True)])

    return evaluate


def compile_map(expression: MapOf, compiler: Compiler) -> Evaluate:
    keys = expression.keys
    values = [compiler.compile(value) for value in expression.values]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        if not values:
            return ObjectColumn([{} for _ in range(batch.length)])
        columns = [value(batch, context).to_list() for value in values]
        rows = zip(*columns, strict=True)
        return ObjectColumn([dict(zip(keys, row, strict=True)) for row in rows])

    return evaluate


def compile_distinct_relationships(
    expression: DistinctRelationships, compiler: Compiler
) -> Evaluate:
    operands = [compiler.compile(variable) for variable in expression.variables]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        columns = [operand(batch, context) for operand in operands]
        ids = [column.ids for column in columns if isinstance(column, IdColumn)]
        distinct = np.ones(batch.length, dtype=np.bool_)
        if len(ids) == len(columns):
            for left, right in combinations(ids, 2):
                distinct &= (left != right) | (left < 0)
        else:
            distinct = _distinct_rows(columns, batch.length)
        return Truth(distinct, ~distinct).column(compiler.typed)

    return evaluate


def _distinct_rows(columns: list[Column], length: int) -> BoolArray:
    rows = zip(*(column.to_list() for column in columns), strict=True)
    return np.fromiter((_all_different(row) for row in rows), np.bool_, length)


def _all_different(values: tuple[Any, ...]) -> bool:
    ids: list[int] = []
    for value in values:
        if isinstance(value, list):
            ids.extend(relationship.id for relationship in value)
        elif value is not None:
            ids.append(value.id)
    return len(set(ids)) == len(ids)


def compile_path(expression: PathOf, compiler: Compiler) -> Evaluate:
    operands = [compiler.compile(variable) for variable in expression.variables]

    def evaluate(batch: Batch, context: ExecutionContext) -> Column:
        columns = [operand(batch, context).to_list() for operand in operands]
        rows = list(zip(*columns, strict=True))
        ends = _ends_of_lists(rows, context)
        paths: list[PathRef | None] = []
        for start in range(0, len(rows), PATH_CHUNK):
            context.guard.check()
            part = rows[start : start + PATH_CHUNK]
            paths += [None if None in row else _path(row, ends) for row in part]
        return ObjectColumn(paths)

    return evaluate


def _ends_of_lists(
    rows: list[tuple[Any, ...]], context: ExecutionContext
) -> dict[int, tuple[int, int]]:
    """(start, end) of the relationships in lists: what nodes stand between is not in the row."""
    ids: set[int] = set()
    for start in range(0, len(rows), PATH_CHUNK):
        context.guard.check()
        for row in rows[start : start + PATH_CHUNK]:
            for value in row:
                if isinstance(value, list):
                    ids.update([relationship.id for relationship in value])
    asked = np.fromiter(ids, np.int64, len(ids))
    ends: dict[int, tuple[int, int]] = {}
    for start in range(0, len(asked), CHUNK):
        context.guard.check()
        found = context.transaction.endpoints(asked[start : start + CHUNK])
        pairs = zip(found.start.tolist(), found.end.tolist(), strict=True)
        ends.update(zip(found.id.tolist(), pairs, strict=True))
    return ends


def _path(row: tuple[Any, ...], ends: dict[int, tuple[int, int]]) -> PathRef:
    nodes: list[NodeRef] = [row[0]]
    relationships: list[RelationshipRef] = []
    for step, node in zip(row[1::2], row[2::2], strict=True):
        if not isinstance(step, list):
            relationships.append(step)
            nodes.append(node)
            continue
        for relationship in step:
            start, end = ends[relationship.id]
            relationships.append(relationship)
            nodes.append(NodeRef(end if start == nodes[-1].id else start))
    return PathRef(tuple(nodes), tuple(relationships))
