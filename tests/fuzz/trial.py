"""One text against parser, binder, planner and executor: what came of it, and whether that may be.

A text may give rows or a CypherdError that tells a client what is wrong. Everything else is a
fault: another exception, an InternalError, an end of the stack, an error without a message or
with a place outside of the text.
"""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from cypherd.engine import Engine
from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    InternalError,
    MemoryLimitExceeded,
    RowLimitExceeded,
)
from cypherd.executor.context import Guard
from cypherd.planner.plan import Plan
from cypherd.settings import MIB, Settings
from cypherd.storage.protocols import GraphStore, ReadTransaction

GRAPH = """
CREATE (a:A:Person {i: 1, name: 'Ada', list: [1, 2, 3], when: date('2020-02-29')}),
       (b:A {i: 2, name: 'b', w: 1.5}), (c:B:Person {i: 3, where: duration('P1M2D')}),
       (d:C {i: null, name: ''}), (e {`a b`: true}), (f:`odd label` {w: 0.0 / 0.0}),
       (a)-[:S {w: 1}]->(b), (b)-[:T {w: 2, when: datetime('2020-01-01T00:00Z')}]->(c),
       (c)-[:T]->(a), (a)-[:S]->(a), (c)-[:S {name: 'x'}]->(d), (b)-[:T]->(c)
"""
PARAMETERS: dict[str, Any] = {
    "p": 1, "0": 0, "list": [1, "a", None, [2.5]], "map": {"i": 1, "name": "Ada"}, "text": "Ada",
    "a b": 2.5, "missing": None,
}  # fmt: skip
_SECONDS = 0.3
_MOST_ROWS = 2_000
_LONG = 2_000
_MOST_MEMORY = 64 * MIB


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind`: rows, or the class of the error; `fault`: what is wrong about it, with a traceback;
    `signature`: the same for the same fault; `planned` and `ran`: CPU seconds."""

    kind: str
    fault: str | None = None
    signature: str = ""
    planned: float = 0.0
    ran: float = 0.0


@dataclass(slots=True)
class Trial:
    """An engine on a small graph. What a text writes is taken back."""

    store: GraphStore
    engine: Engine = field(default_factory=lambda: Engine(Settings(plan_cache=1)))

    def fill(self) -> None:
        """Make the graph, and take away what else there is."""
        with self.store.write() as transaction:
            for text in ("MATCH (n) DETACH DELETE n", GRAPH):
                plan = self.engine.plan(text, transaction)
                for _ in self.engine.run(plan, {}, transaction, _SmallGuard(60.0)).batches:
                    pass
            transaction.commit()

    def run(self, text: str) -> Outcome:
        begun = planned = time.process_time()
        try:
            with self.store.read() as transaction:
                plan = self.engine.plan(text, transaction)
                planned = time.process_time()
                if plan.kind == "read":
                    self._pull(plan, transaction)
            if plan.kind != "read":
                self._write(plan)
        except Exception as error:
            if planned == begun:
                planned = time.process_time()
            return failed(error, text, planned - begun, time.process_time() - planned)
        return Outcome("rows", None, "", planned - begun, time.process_time() - planned)

    def message(self, text: str) -> str:
        """What a client is told about a text that cannot be planned; "" if it can."""
        try:
            with self.store.read() as transaction:
                self.engine.plan(text, transaction)
        except CypherdError as error:
            return error.message
        return ""

    def _write(self, plan: Plan) -> None:
        try:
            with self.store.write() as transaction:
                self._pull(plan, transaction)
                transaction.abort()
        finally:
            if plan.commits:
                self.fill()

    def _pull(self, plan: Plan, transaction: ReadTransaction) -> None:
        parameters = {name: PARAMETERS.get(name, 3) for name in plan.parameters}
        result = self.engine.run(plan, parameters, transaction, _SmallGuard(_SECONDS))
        try:
            for batch in result.batches:
                for name in result.columns:
                    assert len(batch.columns[name].to_list()) == batch.length, name
        finally:
            result.close()
        result.plan_description()


def failed(error: Exception, text: str, planned: float, ran: float) -> Outcome:
    """What an exception is worth: an answer, or a fault with its story."""
    kind = type(error).__name__
    wrong = _wrong_with(error, text)
    if wrong is None:
        return Outcome(kind, None, "", planned, ran)
    story = "".join(traceback.format_exception(error))
    root = _root_of(error)
    last = traceback.extract_tb(root.__traceback__)[-1:]
    where = [f"{frame.filename.rpartition('cypherd/')[2]}:{frame.name}" for frame in last]
    signature = " ".join([wrong, type(root).__name__, *where])
    if isinstance(root, RecursionError) and root.__traceback__ is not None:
        # The stack may end anywhere: what went round is in the middle of it.
        frames = traceback.extract_tb(root.__traceback__)
        signature = f"{wrong} {frames[len(frames) // 2].filename.rpartition('cypherd/')[2]}"
    return Outcome(kind, f"{wrong}\n{story[-6_000:]}", signature, planned, ran)


def _wrong_with(error: Exception, text: str) -> str | None:
    if not isinstance(error, CypherdError):
        return "no CypherdError"
    if isinstance(error, InternalError):
        return "InternalError"
    # Only a text of very many parts may come to the end of the stack.
    allowed = len(text) >= _LONG and "max_stack" in error.message
    if not allowed and any(isinstance(link, RecursionError) for link in _chain(error)):
        return "RecursionError"
    if not error.message or not json.dumps(error.to_dict()):
        return "no message"
    lines = text.split("\n")
    if error.line is not None and not 1 <= error.line <= len(lines):
        return "a line outside of the text"
    if error.column is not None and not 1 <= error.column <= len(lines[(error.line or 1) - 1]) + 1:
        return "a column outside of the text"
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and all that it came from; an error that is raised again may be its own cause."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        yield link
        seen.add(id(link))
        link = link.__cause__ if link.__cause__ not in (None, link) else link.__context__


def _root_of(error: BaseException) -> BaseException:
    return list(_chain(error))[-1]


class _SmallGuard(Guard):
    """Ends a query early: what is looked for shows in a moment or never."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds
        self._rows = 0
        self._held = 0

    def check(self) -> None:
        if monotonic() > self._end:
            raise DeadlinePassed("the trial's time is over")

    def hold(self, nbytes: int) -> None:
        self._held += nbytes
        if self._held > _MOST_MEMORY:
            raise MemoryLimitExceeded("the trial's memory is used up")

    def release(self, nbytes: int) -> None:
        self._held -= nbytes

    def emitted(self, rows: int) -> None:
        self._rows += rows
        if self._rows > _MOST_ROWS:
            raise RowLimitExceeded("the trial has enough rows")

    def committed(self) -> None:
        """As often as it likes."""
