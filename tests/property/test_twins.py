"""A query and its rewritten twin give the same bag of rows, whatever the graph, the size of the
batches and the rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from cypherd.storage.protocols import GraphStore
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

SIZES = (1, 3, 1024)
TWINS = {
    "a quantifier": (
        "MATCH (a:A)-[r:T]->{1,2}(b) RETURN a.i, b.i, size(r)",
        "MATCH (a:A)-[r:T*1..2]->(b) RETURN a.i, b.i, size(r)",
    ),
    "a subquery": (
        "MATCH (a:A) CALL (a) { MATCH (a)-[r]->(b) WHERE b.i <> a.i RETURN r, b } "
        "RETURN a.i, b.i, r.w",
        "MATCH (a:A) MATCH (a)-[r]->(b) WHERE b.i <> a.i RETURN a.i, b.i, r.w",
    ),
    "an optional subquery": (
        "MATCH (a:A) OPTIONAL CALL { WITH a MATCH (a)-[r]-(b:B) RETURN r.w AS w, b.i AS i } "
        "RETURN a.i, w, i",
        "MATCH (a:A) OPTIONAL MATCH (a)-[r]-(b:B) RETURN a.i, r.w, b.i",
    ),
    "a subquery that counts": (
        "MATCH (a) CALL (a) { MATCH (a)-[r]->() WITH count(r) AS c RETURN c + a.i AS s } "
        "RETURN a.i, s",
        "MATCH (a) OPTIONAL MATCH (a)-[r]->() WITH a, count(r) AS c RETURN a.i, c + a.i",
    ),
    "a subquery with a union": (
        "MATCH (a:A) CALL (a) { MATCH (a)-->(b) RETURN b UNION ALL MATCH (a)<--(b) WHERE a <> b "
        "RETURN b } RETURN a.i, b.i",
        "MATCH (a:A)--(b) RETURN a.i, b.i",
    ),
    "predicate in the pattern": (
        "MATCH (a:A {i: 2})-[r:T]->(b) RETURN a.i, b.i, r.w",
        "MATCH (a)-[r]->(b) WHERE a:A AND a.i = 2 AND type(r) = 'T' RETURN a.i, b.i, r.w",
    ),
    "relationship property in the pattern": (
        "MATCH (a)-[r:T {w: 1}]-(b:B) RETURN a.i, b.i",
        "MATCH (a)-[r:T]-(b) WHERE r.w = 1 AND b:B RETURN a.i, b.i",
    ),
    "split with uniqueness": (
        "MATCH (a)-[r]-(b)-[q]-(c) RETURN a.i, b.i, c.i, r.w, q.w",
        "MATCH (a)-[r]-(b) MATCH (b)-[q]-(c) WHERE r <> q RETURN a.i, b.i, c.i, r.w, q.w",
    ),
    "split in the other order": (
        "MATCH (a:A)-[r:T]->(b)<-[q:T]-(c:B) RETURN a.i, b.i, c.i, r.w, q.w",
        "MATCH (c:B)-[q:T]->(b) MATCH (a:A)-[r:T]->(b) WHERE r <> q RETURN a.i, b.i, c.i, r.w, q.w",
    ),
    "triangle split": (
        "MATCH (a)-[r]->(b)-[q]->(c)-[s]->(a) RETURN a.i, r.w, q.w, s.w",
        "MATCH (a)-[r]->(b) MATCH (b)-[q]->(c) MATCH (c)-[s]->(a) "
        "WHERE r <> q AND q <> s AND r <> s RETURN a.i, r.w, q.w, s.w",
    ),
    "partitions": (
        "MATCH (a)-[r]->(b) RETURN a.i AS x, b.i AS y, r.w AS w",
        "MATCH (a)-[r]->(b) WHERE a.i < 3 RETURN a.i AS x, b.i AS y, r.w AS w UNION ALL "
        "MATCH (a)-[r]->(b) WHERE NOT a.i < 3 RETURN a.i AS x, b.i AS y, r.w AS w UNION ALL "
        "MATCH (a)-[r]->(b) WHERE (a.i < 3) IS NULL RETURN a.i AS x, b.i AS y, r.w AS w",
    ),
    "partitions of what may be null": (
        "MATCH (a) OPTIONAL MATCH (a)-[r:T]->(b) RETURN a.i AS x, b.i AS y",
        "MATCH (a)-[r:T]->(b) RETURN a.i AS x, b.i AS y UNION ALL "
        "MATCH (a) WHERE NOT (a)-[:T]->() RETURN a.i AS x, null AS y",
    ),
    "reversed": (
        "MATCH (a:A)-[r:T]->(b)-[q]-(c:B) RETURN a.i, b.i, c.i, r.w, q.w",
        "MATCH (c:B)-[q]-(b)<-[r:T]-(a:A) RETURN a.i, b.i, c.i, r.w, q.w",
    ),
    "variable length reversed": (
        "MATCH (a:A)-[r:T*1..3]->(b) RETURN a.i, b.i, [x IN r | x.w]",
        "MATCH (b)<-[r:T*1..3]-(a:A) RETURN a.i, b.i, [x IN reverse(r) | x.w]",
    ),
    "lengths as a union": (
        "MATCH (a)-[:T*1..2]-(b) RETURN a.i AS x, b.i AS y",
        "MATCH (a)-[:T]-(b) RETURN a.i AS x, b.i AS y UNION ALL "
        "MATCH (a)-[:T]-()-[:T]-(b) RETURN a.i AS x, b.i AS y",
    ),
    "zero length as a union": (
        "MATCH (a:A)-[*0..1]->(b) RETURN a.i AS x, b.i AS y",
        "MATCH (a:A) RETURN a.i AS x, a.i AS y UNION ALL "
        "MATCH (a:A)-->(b) RETURN a.i AS x, b.i AS y",
    ),
    "both directions": (
        "MATCH (a)-[r]-(b) RETURN a.i AS x, b.i AS y, r.w AS w",
        "MATCH (a)-[r]->(b) RETURN a.i AS x, b.i AS y, r.w AS w UNION ALL "
        "MATCH (a)<-[r]-(b) WHERE a <> b RETURN a.i AS x, b.i AS y, r.w AS w",
    ),
    "null in MATCH": (
        "MATCH (a) OPTIONAL MATCH (a)-[:T]->(b:B) MATCH (b) RETURN a.i, b.i",
        "MATCH (a)-[:T]->(b:B) RETURN a.i, b.i",
    ),
    "pattern as predicate": (
        "MATCH (a) WHERE (a)-[:T]->(:B) RETURN a.i",
        "MATCH (a)-[:T]->(b:B) WITH DISTINCT a RETURN a.i",
    ),
    "typed and untyped": (
        "MATCH (a)-[r]->(b) WHERE a.i + 1 > b.i RETURN a.i * 2 + b.i, r.w",
        "MATCH (a)-[r]->(b) WITH [a.i, b.i, 'x'] AS l, r WHERE l[0] + 1 > l[1] "
        "RETURN l[0] * 2 + l[1], r.w",
    ),
    "read before and after the limit": (
        "MATCH (a) RETURN a.i % 3 AS k, a.i AS i ORDER BY i DESC LIMIT 3",
        "MATCH (a) WITH a, a.i AS i ORDER BY i DESC LIMIT 3 RETURN a.i % 3 AS k, i",
    ),
    "count": (
        "MATCH (a:A)-[:T]->() RETURN count(*) AS n",
        "MATCH (a:A)-[r:T]->(b) WITH collect(r) AS l RETURN size(l) AS n",
    ),
}


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=12, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_twins(
    empty_store: GraphStore,
    name: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps)
        one, other = TWINS[name]
        expected = rows_of(ENGINES[0], one, transaction, 1024)
        for engine in ENGINES:
            for size in SIZES:
                assert rows_of(engine, one, transaction, size) == expected
                assert rows_of(engine, other, transaction, size) == expected
        transaction.abort()
