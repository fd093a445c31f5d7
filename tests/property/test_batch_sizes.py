"""Rows do not depend on the size of batches, nor on the rewrite rules."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.planner.rules import RULES
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore, ReadTransaction

_QUERIES = (
    "MATCH (a)-[r]-(b) RETURN a.i, b.i, r.w",
    "MATCH (a:A)-->(b)-->(c) RETURN a.i, c.i",
    "MATCH (a:A) OPTIONAL MATCH (a)-[r:T]->(b:B) WHERE b.i > a.i RETURN a.i, b.i, r.w",
    "MATCH (a)-[r:T*0..3]->(b) RETURN a.i, b.i, size(r)",
    "MATCH (a:A), (b:B) WHERE a.i = b.i RETURN a.i, b.i",
    "MATCH (a) RETURN a.i % 3 AS k, count(*), sum(a.i), min(a.i), max(a.i)",
    "MATCH (a)-->(b) RETURN DISTINCT a.i, labels(b)",
    "MATCH (a) WHERE (a)-[:T]->(:B) OR NOT (a)--() RETURN a.i",
    "MATCH (a) RETURN a.i, [(a)-[r]->(b) WHERE b.i >= a.i | b.i] IS NULL",
    "MATCH (a) UNWIND range(0, a.i) AS x WITH a, x WHERE x % 2 = 1 RETURN a.i, x",
    "MATCH (a) WITH a.i AS i ORDER BY i DESC SKIP 1 LIMIT 4 RETURN i",
    "MATCH p = (a:A)-[*1..2]-(b) RETURN length(p), a.i, b.i",
    "MATCH (a)-[r]->(b) MATCH (b)-[q]->(c) RETURN a.i, c.i, r = q",
    "MATCH (a:A) WITH count(*) AS n MATCH (b:B) RETURN n, count(b)",
)

_NODES = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C"]), st.integers(0, 5)), min_size=1, max_size=8
)
_STEPS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["S", "T"])), max_size=12
)


@pytest.fixture(scope="module")
def store() -> Iterator[GraphStore]:
    with tempfile.TemporaryDirectory() as folder:
        opened = open_store(Path(folder) / "store", map_size=64 * MIB, create=True)
        yield opened
        opened.close()


_ENGINES = (Engine(Settings(), rules=RULES), Engine(Settings(), rules=()))


@settings(max_examples=25, deadline=None)
@given(nodes=_NODES, steps=_STEPS, query=st.sampled_from(_QUERIES), size=st.integers(1, 6))
def test_sizes_agree(
    store: GraphStore,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
    query: str,
    size: int,
) -> None:
    with store.write() as transaction:
        _make(transaction, nodes, steps)
        expected = _rows(_ENGINES[0], query, transaction, 1024)
        for engine in _ENGINES:
            assert _rows(engine, query, transaction, size) == expected
        transaction.abort()


def _make(
    transaction: Any, nodes: list[tuple[str, int]], steps: list[tuple[int, int, str]]
) -> None:
    key, weight = transaction.property_token("i"), transaction.property_token("w")
    labels = [(transaction.label_token(label),) for label, _ in nodes]
    ids = transaction.create_nodes(labels, [{key: i} for _, i in nodes])
    within = [(a, b, kind) for a, b, kind in steps if a < len(nodes) and b < len(nodes)]
    if within:
        transaction.create_relationships(
            [transaction.type_token(kind) for _, _, kind in within],
            ids[[a for a, _, _ in within]],
            ids[[b for _, b, _ in within]],
            [{weight: w} for w in range(len(within))],
        )


def _rows(engine: Engine, query: str, transaction: ReadTransaction, size: int) -> list[str]:
    plan = engine.plan(query, transaction)
    result = engine.run(plan, {}, transaction, Unguarded(), batch_size=size)
    rows: list[str] = []
    for batch in result.batches:
        lists = [batch.columns[name].to_list() for name in result.columns]
        rows.extend(json.dumps(row) for row in zip(*lists, strict=True))
    return sorted(rows)
