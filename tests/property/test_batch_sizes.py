"""Rows do not depend on the size of batches, nor on the rewrite rules."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.storage.protocols import GraphStore
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

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
    "MATCH (a)-[r]-(b:B) WHERE b.i > 0 AND b.i < 4 AND r.w < 9 RETURN a.i, b.i, b.j, r.w",
    "MATCH (a)-->(b) WHERE a.i <> b.i AND b:B AND b.i IN [0, 2, 3] RETURN a.i, b.i, count(*)",
    "MATCH (a)-[r]-()--()--() RETURN startNode(r).i, endNode(r).j, type(r), count(*)",
    "MATCH ()-[r]-() RETURN r.w, [(x)-->(y) WHERE x.i IN [startNode(r).i, endNode(r).i] | 1]",
    "MATCH (a)--(b)--(c) WHERE c:B OR c.i > a.i RETURN c.j, a.i, c.i",
    "MATCH (a:A) WITH count(*) AS n MATCH (b:B) RETURN n, count(b)",
)


@settings(max_examples=25, deadline=None)
@given(
    nodes=GRAPH_NODES, steps=GRAPH_STEPS, query=st.sampled_from(_QUERIES), size=st.integers(1, 6)
)
def test_sizes_agree(
    empty_store: GraphStore,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
    query: str,
    size: int,
) -> None:
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps)
        expected = rows_of(ENGINES[0], query, transaction, 1024)
        for engine in ENGINES:
            assert rows_of(engine, query, transaction, size) == expected
        transaction.abort()
