"""What is joined and what is expanded give the same bag of rows, whatever the graph."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from cypherd.planner import ordering
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.walk import walk
from cypherd.storage.protocols import GraphStore, ReadTransaction
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

QUERIES = {
    "two hops": "MATCH (a:A) WITH a MATCH (a)-[r]->(m)-[q]->(b:B) RETURN a.i, m.i, b.i, r.w, q.w",
    "rows that come again": (
        "MATCH (a:A)--() WITH a MATCH (a)-[r]-(m)-[q]-(b:B {i: 2}) RETURN a.i, m.i, r.w, q.w"
    ),
    "both ends bound": (
        "MATCH (a:A), (c:C) WITH a, c MATCH (a)-[r]->(m)<-[q]-(c) RETURN a.i, m.i, c.i, r.w, q.w"
    ),
    "a seek by what is bound": (
        "MATCH (a:A), (x:B) WITH a, x MATCH (a)-[r]->(m)-[q]->(b) WHERE id(b) = id(x) "
        "RETURN a.i, x.i, m.i, r.w, q.w"
    ),
    "a seek by values, null among them": (
        "MATCH (a) WITH a, CASE WHEN a.i > 2 THEN null ELSE [id(a), 1] END AS ids "
        "MATCH (a)-[r]-(m)-[q]-(b) WHERE id(b) IN ids RETURN a.i, m.i, b.i, ids"
    ),
    "a predicate over both sides": (
        "MATCH (a:A) WITH a, a.i AS i MATCH (a)-[r]->(m)-[q]->(b:B) WHERE b.i > i RETURN a.i, b.i"
    ),
    "a bound node that is null": (
        "MATCH (c:C) OPTIONAL MATCH (c)-->(a:A) WITH c, a MATCH (a)-[r]->(m)-->(b) "
        "RETURN c.i, a.i, b.i"
    ),
    "variable length": "MATCH (a:A) WITH a MATCH (a)-[r*1..2]->(m)-[q]->(b:B) RETURN a.i, b.i, q.w",
    "unique": "MATCH (a:A) WITH a MATCH (a)-[r]-(m)-[q]-(b) WHERE b:A RETURN a.i, b.i, r.w, q.w",
}


def _joins(query: str, transaction: ReadTransaction) -> int:
    plan = ENGINES[0].plan(query, transaction)
    return sum(isinstance(operator, ops.LogicalNodeHashJoin) for operator in walk(plan.root))


@pytest.mark.parametrize("name", QUERIES)
@settings(max_examples=20, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_joined_or_expanded(
    empty_store: GraphStore,
    name: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    query = QUERIES[name]
    with empty_store.write() as transaction, pytest.MonkeyPatch.context() as patch:
        make_graph(transaction, nodes, steps)
        patch.setattr(ordering, "JOIN_GAIN", math.inf)
        assert _joins(query, transaction) == 0
        expected = rows_of(ENGINES[0], query, transaction, 1024)
        patch.setattr(ordering, "JOIN_GAIN", -1e9)
        for engine in ENGINES:
            for size in (1, 3, 1024):
                assert rows_of(engine, query, transaction, size) == expected
        transaction.abort()


@pytest.mark.parametrize("name", QUERIES)
def test_what_the_property_is_about(
    empty_store: GraphStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ordering, "JOIN_GAIN", -1e9)
    with empty_store.write() as transaction:
        make_graph(transaction, [("A", 1), ("B", 2), ("C", 3)], [(0, 1, "S"), (1, 2, "T")])
        assert _joins(QUERIES[name], transaction) == 1
        transaction.abort()
