"""TransactionApply: the inner plan for so many rows at a time, and a commit behind each lot.

source batches --> lots of n rows --> inner plan --> rows wait --> commit --> rows
                                          \\ error --> undone --> the lot's rows, with nulls

The source has been read whole where it reads the graph: the planner puts an Eager there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.errors import (
    ConstraintValidationFailed,
    ConstraintVerificationFailed,
    CypherdError,
    CypherSyntaxError,
    StatementError,
)
from cypherd.executor.context import ExecutionContext, Stats
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.memory import Holding, batch_bytes
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.operators.row_count import row_count
from cypherd.executor.rows import join_batches, null_column, pieces
from cypherd.parser.ast import OnError
from cypherd.planner.logical.operators import LogicalTransactionApply

_OF_THE_DATA = (StatementError, ConstraintVerificationFailed, ConstraintValidationFailed)


@dataclass(slots=True, kw_only=True)
class TransactionApply(Operator):
    source: Operator
    inner: Operator
    variables: tuple[str, ...]
    rows: Expression
    on_error: OnError
    status: str | None

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        size = self._size(context)
        broken = False
        lots = lots_of(self.source.batches(context, argument), size, context)
        for number, lot in enumerate(lots, 1):
            if broken:
                yield from self._passed(context, lot, None, number)
                continue
            error = None
            with Holding(context.guard) as held:
                done: list[Batch] = []
                if self.on_error == "fail":
                    self._run(context, lot, done, held)
                else:
                    error = self._try(context, lot, done, held)
                if error is None:
                    context.commit()
                    yield from self._told(done, number)
            if error is not None:
                yield from self._passed(context, lot, error, number)
                broken = self.on_error == "break"

    def _size(self, context: ExecutionContext) -> int:
        size = row_count(self.rows, context, "OF ... ROWS")
        if not size:
            error = CypherSyntaxError(
                "OF ... ROWS takes a number above 0", detail="NegativeIntegerArgument"
            )
            error.compile_time = False
            raise error
        return size

    def _run(self, context: ExecutionContext, lot: Batch, done: list[Batch], held: Holding) -> None:
        for piece in pieces(lot, context.batch_size):
            for batch in self.inner.batches(context, piece):
                held.add(batch_bytes(batch))
                done.append(batch)

    def _try(
        self, context: ExecutionContext, lot: Batch, done: list[Batch], held: Holding
    ) -> CypherdError | None:
        """The error that has been undone, if there was one. What stops the statement, and faults
        of the server, are not let pass."""
        child = context.writer().child()
        before = replace(context.stats)
        try:
            self._run(replace(context, transaction=child), lot, done, held)
            child.end_statement()
            child.commit()
        except _OF_THE_DATA as error:
            _restore(context.stats, before)
            error.__traceback__ = None
            return error
        finally:
            child.abort()
        return None

    def _told(self, done: list[Batch], number: int) -> Iterator[Batch]:
        told: dict[str, Any] = {
            "started": True,
            "committed": True,
            "transactionId": _transaction_id(number),
            "errorMessage": None,
        }
        for batch in done:
            yield batch if self.status is None else _with_status(batch, self.status, told)

    def _passed(
        self, context: ExecutionContext, lot: Batch, error: CypherdError | None, number: int
    ) -> Iterator[Batch]:
        """The rows of a transaction that came to nothing; without an error, it never began."""
        told: dict[str, Any] = {
            "started": error is not None,
            "committed": False,
            "transactionId": None if error is None else _transaction_id(number),
            "errorMessage": None if error is None else error.message,
        }
        for piece in pieces(lot, context.batch_size):
            batch = piece.with_columns({name: null_column(piece.length) for name in self.variables})
            yield batch if self.status is None else _with_status(batch, self.status, told)


def lots_of(source: Iterator[Batch], size: int, context: ExecutionContext) -> Iterator[Batch]:
    """The rows of the source, `size` at a time; fewer in the last lot."""
    waiting: list[Batch] = []
    missing = size
    with Holding(context.guard) as held:
        for batch in source:
            first = 0
            while first < batch.length:
                part = batch.take(np.arange(first, min(first + missing, batch.length)))
                first += part.length
                missing -= part.length
                waiting.append(part)
                held.add(batch_bytes(part))
                if not missing:
                    yield join_batches(waiting)
                    held.set(0)
                    waiting, missing = [], size
        if waiting:
            yield join_batches(waiting)


def _transaction_id(number: int) -> str:
    return f"cypherd-transaction-{number}"


def _with_status(batch: Batch, name: str, told: dict[str, Any]) -> Batch:
    return batch.with_columns({name: ObjectColumn([told] * batch.length)})


def _restore(stats: Stats, before: Stats) -> None:
    for counter in fields(Stats):
        setattr(stats, counter.name, getattr(before, counter.name))


def map_transaction_apply(plan: LogicalTransactionApply, number: int, mapping: Mapping) -> Operator:
    return TransactionApply(
        number=number,
        source=mapping.map(plan.source),
        inner=mapping.map(plan.inner),
        variables=plan.variables,
        rows=compile_expression(plan.rows),
        on_error=plan.on_error,
        status=plan.status,
    )
