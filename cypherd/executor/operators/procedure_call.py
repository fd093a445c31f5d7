"""ProcedureCall: for every row of the source the rows that a procedure gives for its arguments.

source batch --arguments--> a call a row --> the row's columns and the results
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch
from cypherd.errors import CypherTypeError, ProcedureError
from cypherd.executor.columns_of import column_of
from cypherd.executor.context import ExecutionContext
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.planner.logical.operators import LogicalProcedureCall
from cypherd.procedures.signature import Field, Procedure
from cypherd.values.description import type_of, type_text
from cypherd.values.lists import is_list
from cypherd.values.types import CypherType as T


@dataclass(slots=True, kw_only=True)
class ProcedureCall(Operator):
    source: Operator
    procedure: str
    arguments: tuple[Expression, ...]
    results: tuple[tuple[int, str], ...]

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        procedure = context.procedures.find(self.procedure)
        if procedure is None:
            raise ProcedureError(
                f"there is no procedure `{self.procedure}`", detail="ProcedureNotFound"
            )
        for batch in self.source.batches(context, argument):
            if self.results:
                yield from self._rows(procedure, batch, context)
            else:
                for _ in self._calls(procedure, batch, context):
                    context.guard.check()
                yield batch

    def _calls(
        self, procedure: Procedure, batch: Batch, context: ExecutionContext
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """(row of the batch, row of results) of every call."""
        columns = [expression(batch, context).to_list() for expression in self.arguments]
        for row in range(batch.length):
            context.guard.check()
            values = [
                checked(field, column[row], procedure.name)
                for field, column in zip(procedure.arguments, columns, strict=True)
            ]
            for found in procedure.body(context, *values):
                yield row, found

    def _rows(
        self, procedure: Procedure, batch: Batch, context: ExecutionContext
    ) -> Iterator[Batch]:
        rows: list[int] = []
        found: list[tuple[Any, ...]] = []
        for row, values in self._calls(procedure, batch, context):
            rows.append(row)
            found.append(values)
            if len(rows) == context.batch_size:
                yield self._joined(batch, rows, found)
                rows, found = [], []
        if rows:
            yield self._joined(batch, rows, found)

    def _joined(self, batch: Batch, rows: list[int], found: list[tuple[Any, ...]]) -> Batch:
        added = {
            variable: column_of([values[place] for values in found])
            for place, variable in self.results
        }
        return batch.take(np.array(rows, dtype=np.int64)).with_columns(added)


_ACCEPTED: dict[T, tuple[T, ...]] = {
    T.NUMBER: (T.INTEGER, T.FLOAT),
    T.FLOAT: (T.FLOAT, T.INTEGER),
    T.TEMPORAL: (T.DATE, T.TIME, T.LOCAL_TIME, T.DATE_TIME, T.LOCAL_DATE_TIME, T.DURATION),
}


def checked(field: Field, value: Any, procedure: str) -> Any:
    """The value as the argument takes it; null is of every type.

    Raises CypherTypeError (InvalidArgumentType)."""
    if value is None or field.type is T.ANY:
        return value
    found = type_of(value)
    if found not in _ACCEPTED.get(field.type, (field.type,)):
        raise CypherTypeError(
            f"argument `{field.name}` of {procedure} is of type {field.type_text()}, "
            f"not {type_text(found)}",
            detail="InvalidArgumentType",
        )
    if field.type is T.FLOAT:
        return float(value)
    return list(value) if is_list(value) else value


def map_procedure_call(plan: LogicalProcedureCall, number: int, mapping: Mapping) -> Operator:
    return ProcedureCall(
        number=number,
        source=mapping.map(plan.source),
        procedure=plan.procedure,
        arguments=tuple(compile_expression(argument) for argument in plan.arguments),
        results=plan.results,
    )
