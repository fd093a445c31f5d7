"""A query gives the same bag of rows with indexes and without, whatever the graph."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from cypherd.storage.protocols import GraphStore, WriteTransaction
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

QUERIES = {
    "equality": "MATCH (a:A {i: 2})-[r]-(b) RETURN a.i, b.i, r.w",
    "list": "MATCH (a:A) WHERE a.i IN [1, 3, null, 1] RETURN a.i",
    "alternatives": "MATCH (a:A) WHERE a.i = 1 OR a.i = 4 OR 2 = a.i RETURN a.i",
    "alternatives with a null": "MATCH (a:A) WHERE a.i = 1 OR a.i = null RETURN a.i",
    "alternatives and more": (
        "MATCH (a:A)-[r]->(b:B) WHERE (a.i = 1 AND b.i = 2) OR (b.i = 1 AND a.i > 0 AND a.i = 2) "
        "OR (a.i IN [3, 4] AND b.i = 3) RETURN a.i, b.i, r.w"
    ),
    "an alternative without": "MATCH (a:A) WHERE a.i = 1 OR a.j = 4 RETURN a.i",
    "nested alternatives": (
        "MATCH (a:A) WHERE (a.i = 1 OR a.i = 2) AND (a.i = 2 OR a.i = 3) RETURN a.i"
    ),
    "alternatives of two nodes": (
        "MATCH (a:A)-[r]->(b:B) WHERE a.i = 1 OR b.i = 2 RETURN a.i, b.i, r.w"
    ),
    "alternatives of two ends": (
        "MATCH p = (a:A)-[r*0..2]->(b:B) WHERE a.i IN [1, 4] OR b.i = 2 OR a.i = null "
        "RETURN a.i, b.i, [x IN r | x.w], length(p)"
    ),
    "optional alternatives": (
        "MATCH (c:C) OPTIONAL MATCH (a:A)-[r]-(b:B) WHERE a.i = c.i OR b.i = 2 "
        "RETURN c.i, a.i, b.i, r.w"
    ),
    "range": "MATCH (a:A) WHERE 1 < a.i <= 3 RETURN a.i",
    "pair": "MATCH (a:A {i: 1})-[r:T]->(b:B {i: 2}) RETURN a.i, b.i, r.w",
    "pair, either way": "MATCH (a:A {i: 1})-[r]-(b:A {i: 1}) RETURN a.i, b.i, r.w",
    "chain between two": "MATCH (a:A {i: 1})-[r]-(m)-[q]-(b:B {i: 2}) RETURN m.i, r.w, q.w",
    "variable length to a seek": (
        "MATCH (a:A {i: 1})-[r*1..2]-(b:B {i: 2}) RETURN a.i, b.i, size(r)"
    ),
    "seek by a value from before": "MATCH (b:B)-->(m) MATCH (a:A {i: b.i}) RETURN a.i, b.i, m.i",
    "optional pair": "MATCH (b:B) OPTIONAL MATCH (b)-[r]-(a:A {i: 1}) RETURN b.i, a.i, r.w",
    "predicate pair": "MATCH (b:B) WHERE (b)--(:A {i: 1}) RETURN b.i",
    "predicate without": "MATCH (b:B) WHERE NOT (b)-->(:A {i: 1}) RETURN b.i",
    "the same node": "MATCH (a:A) MATCH (b) WHERE b = a RETURN a.i, b.i",
    "one of the nodes": "MATCH (a:A), (b:B) MATCH (c:A) WHERE c IN [a, b] RETURN a.i, b.i, c.i",
    "null among the nodes": (
        "MATCH (a:A) OPTIONAL MATCH (a)-->(b:B) MATCH (c) WHERE c IN [a, b, a] RETURN a.i, c.i"
    ),
    "relationship": "MATCH (a)-[r:T {w: 3}]->(b) RETURN a.i, b.i, r.w",
    "relationship, either way": "MATCH (a)-[r:T {w: 3}]-(b) RETURN a.i, b.i, r.w",
    "relationships": "MATCH (a)-[r:T]->(b) WHERE r.w IN [1, 2, 5, null] RETURN a.i, b.i, r.w",
    "relationship alternatives": (
        "MATCH (a)-[r:T]-(b) WHERE r.w = 1 OR r.w = 2 RETURN a.i, b.i, r.w"
    ),
    "limit": "MATCH (a:A) WITH a LIMIT 2 RETURN count(a)",
}


def _index(transaction: WriteTransaction) -> None:
    key, weight = transaction.property_token("i"), transaction.property_token("w")
    for label in ("A", "B"):
        transaction.create_index(None, "node", transaction.label_token(label), [key])
    transaction.create_index(None, "relationship", transaction.type_token("T"), [weight])


@pytest.mark.parametrize("name", QUERIES)
@settings(max_examples=20, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_indexes_change_no_rows(
    empty_store: GraphStore,
    name: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps)
        expected = rows_of(ENGINES[0], QUERIES[name], transaction, 1024)
        _index(transaction)
        for engine in ENGINES:
            for size in (1, 3, 1024):
                assert rows_of(engine, QUERIES[name], transaction, size) == expected
        transaction.abort()
