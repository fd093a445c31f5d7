"""The base of all physical operators.

An operator is a generator over batches: it pulls from its source and gives batches of at most
about `context.batch_size` rows, never an empty one. `batches()` is the one place that checks the
guard, counts rows and time and closes the inner generator; operators write `_batches()`.

`argument` travels down the pull chain next to the context: it is the batch that the plan's
Argument operator gives. At the top it is a single empty row; an operator that owns an inner plan
calls it with rows of its own source. Operators hold no state of a run (that lives in their
generators), so one compiled plan may run several times at once, also inside itself.

Columns whose names begin with "#" are hidden: row numbers with which the owner of an inner plan
finds the outer row of an inner one. Every operator passes them on, save those that must run for
one outer row at a time (see `executor.correlation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol, TypeAlias

from cypherd.batch.columns import Batch, Column, IntArray
from cypherd.executor.context import ExecutionContext, OperatorProfile
from cypherd.executor.profile import counting
from cypherd.planner.logical.operators import LogicalOperator

HIDDEN = "#"
Expression: TypeAlias = Callable[[Batch, ExecutionContext], Column]
Predicate: TypeAlias = Callable[[Batch, ExecutionContext], IntArray]


class Mapping(Protocol):
    """What a mapper beside an operator is given: the way to map its children.

    Children are mapped in the order of the numbering: source or left, right, inner or match.
    """

    used: frozenset[str]
    """Variables that some operator of the plan reads."""

    def map(self, plan: LogicalOperator) -> Operator: ...


@dataclass(slots=True, kw_only=True)
class Operator:
    """`number` is the operator's place in the pre-order walk of the logical plan."""

    number: int

    def batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        """The rows, batch by batch; raises what the guard raises."""
        if context.profile is not None:
            yield from self._profiled(context, argument, context.profile)
            return
        check = context.guard.check
        inner: Any = self._batches(context, argument)
        try:
            for batch in inner:
                check()
                if batch.length:
                    yield batch
        finally:
            inner.close()

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        raise TypeError(f"{type(self).__name__} gives no rows")

    def _profiled(
        self,
        context: ExecutionContext,
        argument: Batch,
        profile: dict[int, OperatorProfile],
    ) -> Iterator[Batch]:
        """As `batches`, with rows, seconds (sources included) and store hits counted."""
        mine = profile.setdefault(self.number, OperatorProfile())
        check = context.guard.check
        own = replace(context, transaction=counting(context.transaction, mine))
        inner: Any = self._batches(own, argument)
        try:
            while True:
                started = perf_counter()
                batch = next(inner, None)
                mine.seconds += perf_counter() - started
                if batch is None:
                    return
                check()
                mine.rows += batch.length
                if batch.length:
                    yield batch
        finally:
            inner.close()
