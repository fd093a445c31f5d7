"""Runs one scenario against a store of its own: the steps of the TCK and what they check.

    Given/having executed -> store      When -> Outcome, before and after      Then -> checks

A scenario passes when no step raises; ScenarioFailed says which check did not hold.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cypherd.engine import Engine
from cypherd.errors import CypherdError
from cypherd.executor.context import Unguarded
from cypherd.procedures.signature import Field, Procedure
from cypherd.storage.protocols import GraphStore, ReadTransaction
from cypherd.values.types import CypherType
from tests.tck.scenarios import Scenario, Step, Table
from tests.tck.values import Form, canonical, parse_value

QUERY_SECONDS = 10.0
_ERROR = re.compile(r"an? (\w+) should be raised at (compile time|runtime|any time): (\S+)")
_RESULT = re.compile(
    r"the result should be, (in any order|in order)( \(ignoring element order for lists\))?:"
)
_LISTS_RESULT = "the result should be (ignoring element order for lists):"
_PROCEDURE = re.compile(
    r"there exists a procedure (\S+)\((.*?)\) :: \((.*?)\)\s*:", flags=re.DOTALL
)
_NAMED_GRAPH = re.compile(r"the (\S+) graph")


class ScenarioFailed(Exception):
    """A check did not hold."""


class _Deadline(Unguarded):
    """Ends a query that runs away."""

    def __init__(self) -> None:
        self._end = time.monotonic() + QUERY_SECONDS

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise ScenarioFailed(f"the query ran for more than {QUERY_SECONDS:g} s")


@dataclass(frozen=True, slots=True)
class Rows:
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Raised:
    error: CypherdError
    compile_time: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """What the README's observability queries see."""

    nodes: frozenset[int]
    relationships: frozenset[int]
    properties: frozenset[Form]
    labels: frozenset[str]


@dataclass(slots=True)
class ScenarioRun:
    """`root` is the TCK's folder, for its named graphs."""

    store: GraphStore
    engine: Engine
    root: Path
    parameters: dict[str, Any] = field(default_factory=dict)
    outcome: Rows | Raised | None = None
    before: Graph | None = None
    after: Graph | None = None

    def run(self, scenario: Scenario) -> None:
        """Raises ScenarioFailed, or whatever a query raised that should not have."""
        for step in scenario.steps:
            self._step(step)

    def _step(self, step: Step) -> None:
        text = step.text
        if action := _ACTIONS.get(text):
            action(self, step)
        elif match := _RESULT.fullmatch(text):
            self._expect_rows(step.table, match[1] == "in order", bool(match[2]))
        elif text == _LISTS_RESULT:
            self._expect_rows(step.table, False, True)
        elif match := _ERROR.fullmatch(text):
            self._expect_error(match[1], match[2], match[3])
        elif match := _PROCEDURE.fullmatch(text):
            self._make_procedure(match[1], match[2], match[3], step.table)
        elif match := _NAMED_GRAPH.fullmatch(text):
            self._make_graph(match[1])
        else:
            raise ScenarioFailed(f"step not supported: {text}")

    # --- Given and When ---

    def _empty_graph(self, step: Step) -> None:
        if self._graph() != Graph(frozenset(), frozenset(), frozenset(), frozenset()):
            raise ScenarioFailed("the store is not empty at the start")

    def _make_graph(self, name: str) -> None:
        folder = self.root / "graphs" / name
        description = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for script in description["scripts"]:
            path = folder / script
            path = path if path.suffix else path.with_suffix(".cypher")
            for statement in path.read_text(encoding="utf-8").split(";"):
                if statement.strip():
                    self._execute(statement, {})

    def _make_procedure(self, name: str, taken: str, given: str, table: Table) -> None:
        """A procedure that gives the rows of the table whose first cells are its arguments."""
        arguments, results = _declared(taken), _declared(given)
        rows = [[parse_value(cell) for cell in row] for row in table[1:]]

        def body(_: object, *values: Any) -> Iterator[tuple[Any, ...]]:
            wanted = [canonical(value) for value in values]
            for row in rows:
                taken = [canonical(value) for value in row[: len(arguments)]]
                if results and taken == wanted:
                    yield tuple(row[len(arguments) :])

        made = Procedure(name, arguments, results, "READ", "Of a scenario.", body)
        settings, procedures = self.engine.settings, self.engine.procedures
        self.engine = Engine(settings, procedures=procedures.with_more([made]))

    def _having_executed(self, step: Step) -> None:
        self._execute(step.body or "", {})

    def _parameters(self, step: Step) -> None:
        self.parameters = {name: parse_value(value) for name, value in step.table}

    def _query(self, step: Step) -> None:
        self.before = self._graph()
        self.outcome = self._try(step.body or "", self.parameters)
        self.after = self._graph()

    def _control_query(self, step: Step) -> None:
        self.outcome = self._try(step.body or "", {})

    def _try(self, text: str, parameters: Mapping[str, Any]) -> Rows | Raised:
        try:
            return self._execute(text, parameters)
        except CypherdError as error:
            return Raised(error, error.compile_time)

    def _execute(self, text: str, parameters: Mapping[str, Any]) -> Rows:
        with self.store.read() as transaction:
            try:
                plan = self.engine.plan(text, transaction)
            except CypherdError as error:
                error.compile_time = True
                raise
            if plan.kind == "read":
                return self._rows(plan, parameters, transaction)
        writer = self.store.write()
        with writer:
            rows = self._rows(plan, parameters, writer)
            writer.commit()
        return rows

    def _rows(self, plan: Any, parameters: Mapping[str, Any], transaction: ReadTransaction) -> Rows:
        result = self.engine.run(plan, parameters, transaction, _Deadline())
        rows: list[tuple[Any, ...]] = []
        for batch in result.batches:
            columns = [batch.columns[name].to_list() for name in result.columns]
            rows.extend(zip(*columns, strict=True))
        return Rows(result.columns, rows)

    def _graph(self) -> Graph:
        nodes: set[int] = set()
        relationships: set[int] = set()
        properties: set[Form] = set()
        labels: set[str] = set()
        with self.store.read() as transaction:
            schema = transaction.schema
            for ids in transaction.scan_nodes(None, 1000):
                nodes.update(ids.tolist())
                records = transaction.node_records(ids)
                for node, record in zip(ids.tolist(), records, strict=True):
                    assert record is not None
                    labels.update(schema.label_name(label) for label in record[0])
                    properties.update(("node", node, k, canonical(v)) for k, v in record[1].items())
            for rows in transaction.scan_relationships(None, 1000):
                relationships.update(rows.id.tolist())
                found = transaction.relationship_records(rows.id)
                for relationship, one in zip(rows.id.tolist(), found, strict=True):
                    assert one is not None
                    properties.update(
                        ("relationship", relationship, k, canonical(v)) for k, v in one[3].items()
                    )
        return Graph(
            frozenset(nodes), frozenset(relationships), frozenset(properties), frozenset(labels)
        )

    # --- Then ---

    def _expect_rows(self, table: Table, ordered: bool, any_list_order: bool) -> None:
        outcome = self._expect_result()
        header = table[0]
        if sorted(header) != sorted(outcome.columns):
            raise ScenarioFailed(f"columns {outcome.columns}, expected {header}")
        order = [outcome.columns.index(name) for name in header]
        expected = [
            tuple(canonical(parse_value(cell), any_list_order=any_list_order) for cell in row)
            for row in table[1:]
        ]
        actual = [
            tuple(canonical(row[i], any_list_order=any_list_order) for i in order)
            for row in outcome.rows
        ]
        same = actual == expected if ordered else Counter(actual) == Counter(expected)
        if not same:
            raise ScenarioFailed(f"rows {outcome.rows!r}, expected {table[1:]!r}")

    def _expect_empty(self, step: Step) -> None:
        outcome = self._expect_result()
        if outcome.rows:
            raise ScenarioFailed(f"rows {outcome.rows!r}, expected none")

    def _expect_result(self) -> Rows:
        if isinstance(self.outcome, Raised):
            raise self.outcome.error
        assert self.outcome is not None
        return self.outcome

    def _expect_error(self, kind: str, phase: str, detail: str) -> None:
        if not isinstance(self.outcome, Raised):
            raise ScenarioFailed(f"no error, expected {kind}: {detail}")
        error = self.outcome.error
        if error.type != kind or detail not in ("*", error.detail):
            found = f"{error.type}: {error.detail} ({error.message})"
            raise ScenarioFailed(f"error {found}, expected {kind}: {detail}")
        if phase != "any time" and self.outcome.compile_time != (phase == "compile time"):
            raise ScenarioFailed(f"error {kind}: {detail} was not raised at {phase}")
        self._expect_changes({})

    def _no_side_effects(self, step: Step) -> None:
        self._expect_changes({})

    def _side_effects(self, step: Step) -> None:
        self._expect_changes({name: int(count) for name, count in step.table})

    def _expect_changes(self, expected: Mapping[str, int]) -> None:
        if isinstance(self.outcome, Raised) and expected:
            raise self.outcome.error
        assert self.before is not None
        assert self.after is not None
        changes = {}
        for name in ("nodes", "relationships", "properties", "labels"):
            before, after = getattr(self.before, name), getattr(self.after, name)
            changes[f"+{name}"], changes[f"-{name}"] = len(after - before), len(before - after)
        changes = {name: count for name, count in changes.items() if count}
        if changes != {name: count for name, count in expected.items() if count}:
            raise ScenarioFailed(f"side effects {changes}, expected {dict(expected)}")


def _declared(text: str) -> tuple[Field, ...]:
    """`name :: STRING?, id :: INTEGER?`"""
    pairs = (part.split("::") for part in text.split(",") if part.strip())
    return tuple(
        Field(name.strip(), CypherType[type_.strip().removesuffix("?")]) for name, type_ in pairs
    )


_ACTIONS: Mapping[str, Callable[[ScenarioRun, Step], None]] = {
    "an empty graph": ScenarioRun._empty_graph,
    "any graph": ScenarioRun._empty_graph,
    "having executed:": ScenarioRun._having_executed,
    "parameters are:": ScenarioRun._parameters,
    "executing query:": ScenarioRun._query,
    "executing control query:": ScenarioRun._control_query,
    "the result should be empty": ScenarioRun._expect_empty,
    "no side effects": ScenarioRun._no_side_effects,
    "the side effects should be:": ScenarioRun._side_effects,
}
