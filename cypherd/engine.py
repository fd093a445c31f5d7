"""Text and parameters in, batches out: the parser, binder, planner and executor in a row.

An Engine lives in one process and may serve many transactions, one query at a time each.
Compiled plans are kept by (text, schema version); plans themselves are data and may come from
another process.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from cypherd.batch.columns import SINGLE_ROW, Batch
from cypherd.errors import (
    STACK_SPENT,
    CypherdError,
    InternalError,
    MemoryLimitExceeded,
    ParameterMissing,
    StatementError,
)
from cypherd.executor.context import (
    ExecutionContext,
    Guard,
    OperatorProfile,
    Stats,
    writing,
)
from cypherd.executor.mapper import map_plan
from cypherd.executor.operator import Operator
from cypherd.executor.profile import own_times
from cypherd.executor.short_creates import ShortCreate, short_create
from cypherd.executor.short_reads import ShortRead, short_read
from cypherd.parser.parser import parse
from cypherd.planner.explain import describe
from cypherd.planner.plan import Plan
from cypherd.planner.planner import plan_statement
from cypherd.planner.rules import RULES, Rule
from cypherd.procedures.registry import BUILT_IN, Procedures
from cypherd.procedures.running import OnlyThis, RunningQueries
from cypherd.settings import Settings
from cypherd.storage.protocols import ReadTransaction

logger = logging.getLogger(__name__)

_NO_ROWS = Batch(0, {})

ShortForm: TypeAlias = ShortRead | ShortCreate

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class Result:
    """A query that runs: `batches` is pulled by the renderer, once; each batch has the columns
    in order, under their names. `whole`: the only batch, where all is there from the beginning.
    `stats` and `plan_description()` are final when it has ended."""

    columns: tuple[str, ...]
    batches: Iterator[Batch]
    stats: Stats
    plan: Plan
    profile: dict[int, OperatorProfile] | None = None
    whole: Batch | None = None

    def plan_description(self) -> dict[str, Any] | None:
        """The operator tree for EXPLAIN and PROFILE, None otherwise."""
        if self.plan.mode is None:
            return None
        profile = None if self.profile is None else own_times(self.plan.root, self.profile)
        return describe(self.plan.root, profile)

    def close(self) -> None:
        """Close the generators; safe to call twice."""
        close = getattr(self.batches, "close", None)
        if close is not None:
            close()


class Engine:
    def __init__(
        self,
        settings: Settings,
        *,
        rules: tuple[Rule, ...] = RULES,
        procedures: Procedures = BUILT_IN,
    ) -> None:
        # Python's own limit is too low for what max_nesting allows: every level of a tree takes
        # several calls. [A call takes less than 1 KiB of a thread's 8 MiB.]
        sys.setrecursionlimit(settings.max_stack)
        self.settings = settings
        self.procedures = procedures
        self.rules = rules
        self._plans: _Recent[tuple[str, int], Plan] = _Recent(settings.plan_cache)
        self._compiled: _Recent[tuple[str, int], tuple[Plan, Operator]] = _Recent(
            settings.plan_cache
        )
        self._short: _Recent[tuple[str, int], tuple[Plan, ShortForm | None]] = _Recent(
            settings.plan_cache
        )

    def plan(self, text: str, transaction: ReadTransaction) -> Plan:
        """Parse, bind and plan. Raises CypherdError, located in the text."""
        key = (text, transaction.schema.version)
        plan = self._plans.get(key)
        if plan is None:
            try:
                plan = self._planned(text, transaction)
            except Exception as error:
                raise _answer(error, text) from error
            self._plans.put(key, plan)
        return plan

    def _planned(self, text: str, transaction: ReadTransaction) -> Plan:
        statement = parse(
            text,
            max_nesting=self.settings.max_nesting,
            max_pattern=self.settings.max_pattern,
            max_length=self.settings.max_query_length,
        )
        return plan_statement(
            text, statement, transaction, rules=self.rules, procedures=self.procedures
        )

    def run(
        self,
        plan: Plan,
        parameters: Mapping[str, Any],
        transaction: ReadTransaction,
        guard: Guard,
        *,
        batch_size: int | None = None,
        clock: float | None = None,
        queries: RunningQueries | None = None,
    ) -> Result:
        """Start a plan; nothing is computed before the first batch is asked for.

        `clock` is the statement's start, in seconds since the epoch, if it is not now; `queries`
        what knows the queries that run, if this is not the only one. Raises
        ParameterMissing, naming the parameter. Errors while batches are pulled are CypherdErrors,
        located in the text.
        """
        if plan.mode == "explain":
            return Result(plan.columns, iter(()), Stats(), plan)
        missing = plan.parameters.difference(parameters)
        if missing:
            error = ParameterMissing(
                f"Expected parameter(s): {', '.join(sorted(missing))}", detail="MissingParameter"
            )
            # Nothing has run: openCypher counts it among the errors of compile time.
            error.compile_time = True
            raise error
        began = time.time() if clock is None else clock
        context = ExecutionContext(
            transaction=transaction,
            parameters=parameters,
            guard=guard,
            batch_size=batch_size or self.settings.batch_size,
            profile={} if plan.mode == "profile" else None,
            clock=began,
            settings=self.settings,
            procedures=self.procedures,
            queries=queries or OnlyThis(plan.text, parameters, began),
        )
        return Result(
            plan.columns, self._batches(plan, context), context.stats, plan, context.profile
        )

    def run_short(
        self,
        plan: Plan,
        parameters: Mapping[str, Any],
        transaction: ReadTransaction,
        guard: Guard,
    ) -> Result | None:
        """The result of a plan that is a short read or a short create (executor/short_reads.py,
        short_creates.py), whole; None, with nothing done, for another one, and where that is left
        to the operators. Raises CypherdError, also what the guard raises, which is asked when all
        has been read, or before anything is written."""
        short = self.short_form(plan)
        if short is None or not plan.parameters <= parameters.keys():
            return None
        stats = Stats()
        batch: Batch | None
        try:
            if isinstance(short, ShortRead):
                batch = short.batch(transaction, parameters)
                guard.check()
                if batch is not None:
                    guard.emitted(batch.length)
            else:
                guard.check()
                writer = writing(transaction)
                stats, batch = short.run(writer, parameters), _NO_ROWS
                writer.end_statement()
        except Exception as error:
            raise _answer(error, plan.text) from error
        if batch is None:
            return None
        batches = iter((batch,) if batch.length else ())
        return Result(plan.columns, batches, stats, plan, whole=batch)

    def short_form(self, plan: Plan) -> ShortForm | None:
        key = (plan.text, plan.schema_version)
        kept = self._short.get(key)
        if kept is None or kept[0] is not plan:
            kept = (plan, short_read(plan) or short_create(plan))
            self._short.put(key, kept)
        return kept[1]

    def _batches(self, plan: Plan, context: ExecutionContext) -> Iterator[Batch]:
        guard = context.guard
        try:
            guard.check()
            rows: Any = self._operators(plan).batches(context, SINGLE_ROW)
            try:
                for batch in rows:
                    guard.emitted(batch.length)
                    yield batch
            finally:
                rows.close()
            if plan.kind == "write":
                context.writer().end_statement()
        except Exception as error:
            answer = _answer(error, plan.text)
            if answer is error:
                raise
            raise answer from error

    def _operators(self, plan: Plan) -> Operator:
        """The compiled plan. The one that is kept may belong to another plan of the same text
        (planned elsewhere, or with other rules), which is no reason to run that instead."""
        key = (plan.text, plan.schema_version)
        kept = self._compiled.get(key)
        if kept is not None and (kept[0] is plan or kept[0] == plan):
            return kept[1]
        operators = map_plan(plan.root)
        self._compiled.put(key, (plan, operators))
        return operators


def _answer(error: Exception, text: str) -> CypherdError:
    """The error as one that a client can be told, located in the text."""
    if isinstance(error, CypherdError):
        return error.located(text)
    if isinstance(error, MemoryError):
        return MemoryLimitExceeded(
            "the query needs more memory than its process may have (setting worker_memory)"
        )
    if isinstance(error, RecursionError):
        return StatementError(STACK_SPENT)
    logger.exception("a query failed in a way that it should not", exc_info=error)
    return InternalError(f"internal error: {type(error).__name__}: {error}")


class _Recent(Generic[Key, Value]):
    """The values used last, at most `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        value = self.values.get(key)
        if value is not None:
            self.values.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> None:
        self.values[key] = value
        self.values.move_to_end(key)
        while len(self.values) > self.size:
            self.values.popitem(last=False)
