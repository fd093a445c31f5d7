"""Every case file: a query over a small graph, with its rows or its error.

Each case runs at batch sizes 1, 3 and 1,024, with the rewrite rules and without; all must agree
with what the file says. A case is a map of

    name, query       and optionally
    graph             statements that make the graph, separated by ";" at line ends
    parameters        a map
    rows              a list of rows, in any order unless `ordered: true`; absent: not checked
    columns           names of the columns
    error             type and detail (or only the type), and `when`: compile or run
    stats             counters that moved
    after             query and rows: what is in the graph afterwards

A node in a row is written {labels: [A], properties: {}}, a relationship {type: T, properties: {}},
a path {path: [node, relationship, node]}, a temporal value {date: "2015-01-01"} by its kind.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path as FilePath
from typing import Any

import pytest
import yaml

from cypherd.engine import Engine
from cypherd.errors import CypherdError
from cypherd.executor.context import Unguarded
from cypherd.planner.rules import RULES
from cypherd.queries.lifting import lift
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, ReadTransaction
from cypherd.values.graph import Node, Path, Relationship
from cypherd.values.temporal import TemporalValue

_FOLDER = FilePath(__file__).parent
_WAYS = [(size, ruled) for size in (1, 3, 1024) for ruled in (True, False)]


def _cases() -> Iterator[Any]:
    for path in sorted(_FOLDER.glob("*/*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield pytest.param(case, id=f"{path.parent.name}/{path.stem}/{case['name']}")


@pytest.mark.parametrize("case", list(_cases()))
def test_case(case: dict[str, Any], tmp_path: FilePath) -> None:
    engines = {True: Engine(Settings(), rules=RULES), False: Engine(Settings(), rules=())}
    if "IN TRANSACTIONS" not in case["query"]:
        with closing(_store_of(case, engines[True], tmp_path / "store")) as store:
            for size, ruled in _WAYS:
                _check(case, engines[ruled], store, size)
        return
    # What is committed on one way would be there on the next.
    for number, (size, ruled) in enumerate(_WAYS):
        with closing(_store_of(case, engines[True], tmp_path / f"store{number}")) as store:
            _check(case, engines[ruled], store, size)


def _liftable() -> Iterator[Any]:
    for found in _cases():
        case = found.values[0]
        if "error" not in case and "rows" in case and lift(case["query"]) is not None:
            yield found


@pytest.mark.parametrize("case", list(_liftable()))
def test_literals_lifted_to_parameters_mean_the_same(
    case: dict[str, Any], tmp_path: FilePath
) -> None:
    lifted = lift(case["query"])
    assert lifted is not None
    given = {**case.get("parameters", {}), **lifted.parameters}
    engine = Engine(Settings(), rules=RULES)
    with closing(_store_of(case, engine, tmp_path / "store")) as store:
        _check({**case, "query": lifted.text, "parameters": given}, engine, store, 1024)


def _store_of(case: dict[str, Any], engine: Engine, path: FilePath) -> GraphStore:
    store = open_store(path, map_size=64 * MIB, create=True)
    with store.write() as transaction:
        for statement in _statements(case.get("graph", "")):
            _run(engine, statement, {}, transaction, 1024)
        transaction.commit()
    return store


def _statements(graph: str) -> list[str]:
    return [part for part in graph.replace(";\n", "\0").split("\0") if part.strip(" ;\n")]


def _check(case: dict[str, Any], engine: Engine, store: GraphStore, size: int) -> None:
    parameters = case.get("parameters", {})
    with store.read() as reading:
        try:
            kind = engine.plan(case["query"], reading).kind
        except CypherdError as error:
            _check_error(case, error, "compile")
            return
        if kind == "read":
            _check_run(case, engine, parameters, reading, size)
            return
    with store.write() as writing:
        _check_run(case, engine, parameters, writing, size)
        writing.abort()


def _check_run(
    case: dict[str, Any],
    engine: Engine,
    parameters: dict[str, Any],
    transaction: ReadTransaction,
    size: int,
) -> None:
    try:
        columns, rows, stats = _run(engine, case["query"], parameters, transaction, size)
    except CypherdError as error:
        _check_error(case, error, "run")
        return
    assert "error" not in case, f"no error, but {rows}"
    if "columns" in case:
        assert list(columns) == case["columns"]
    if "rows" in case:
        assert _comparable(rows, case) == _comparable(case["rows"], case)
    if "stats" in case:
        assert stats == case["stats"]
    if "after" in case:
        _, found, _ = _run(engine, case["after"]["query"], {}, transaction, size)
        assert _comparable(found, case["after"]) == _comparable(
            case["after"]["rows"], case["after"]
        )


def _run(
    engine: Engine,
    text: str,
    parameters: dict[str, Any],
    transaction: ReadTransaction,
    size: int,
) -> tuple[tuple[str, ...], list[list[Any]], dict[str, int]]:
    plan = engine.plan(text, transaction)
    result = engine.run(plan, parameters, transaction, Unguarded(), batch_size=size)
    rows: list[list[Any]] = []
    for batch in result.batches:
        assert batch.length > 0
        lists = [batch.columns[name].to_list() for name in result.columns]
        rows.extend(map(list, zip(*lists, strict=True)))
    return result.columns, rows, result.stats.to_dict()


def _check_error(case: dict[str, Any], error: CypherdError, when: str) -> None:
    assert "error" in case, f"{type(error).__name__}: {error.message} ({error.detail})"
    wanted = case["error"]
    assert error.type == wanted["type"], error.message
    if "detail" in wanted:
        assert error.detail == wanted["detail"], error.message
    if "when" in wanted:
        assert when == wanted["when"], error.message


def _comparable(rows: list[list[Any]], case: dict[str, Any]) -> list[str]:
    """Rows as JSON, which tells 1 from 1.0 and from true; sorted unless the order counts."""
    texts = [json.dumps(_plain(row), sort_keys=True) for row in rows]
    return texts if case.get("ordered") else sorted(texts)


def _plain(value: Any) -> Any:
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _plain(value.properties)}
        case Relationship():
            return {"type": value.type, "properties": _plain(value.properties)}
        case Path():
            steps = [value.nodes[0]]
            for relationship, node in zip(value.relationships, value.nodes[1:], strict=True):
                steps.extend((relationship, node))  # type: ignore[arg-type]
            return {"path": _plain(steps)}
        case TemporalValue():
            return {value.name: str(value)}
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | range():
            return [_plain(item) for item in value]
    return value
