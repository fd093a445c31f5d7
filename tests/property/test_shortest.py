"""A shortest path with a predicate is the shortest of all paths that fulfil it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from cypherd.storage.protocols import GraphStore
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

PREDICATES = (
    "true",
    "all(r IN relationships(p) WHERE r.w > 2)",
    "none(r IN relationships(p) WHERE r.w > 5)",
    "all(n IN nodes(p) WHERE n.i < 4)",
    "none(n IN nodes(p) WHERE n:B)",
    "length(p) > 1",
    "length(p) <> 2 AND all(r IN relationships(p) WHERE r.w < 9)",
    "any(r IN relationships(p) WHERE type(r) = 'S')",
)
STEPS = ("-[*]->", "-[:T*]-", "<-[*..3]-")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("predicate", PREDICATES)
@settings(max_examples=6, deadline=None)
@given(nodes=GRAPH_NODES, steps=GRAPH_STEPS)
def test_shortest_with_a_predicate(
    empty_store: GraphStore,
    predicate: str,
    step: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
) -> None:
    pairs = "MATCH (a:A), (b) WHERE a <> b "
    with empty_store.write() as transaction:
        make_graph(transaction, nodes, steps[:9])
        every = (
            f"{pairs}MATCH p = (a){step}(b) WHERE {predicate} "
            "WITH id(a) AS a, id(b) AS b, length(p) AS l, [r IN relationships(p) | id(r)] AS r "
            "WITH a, b, min(l) AS least, collect([l, r]) AS found "
            "UNWIND [x IN found WHERE x[0] = least | x[1]] AS r RETURN a, b, r"
        )
        shortest = (
            f"{pairs}MATCH p = allShortestPaths((a){step}(b)) WHERE {predicate} "
            "RETURN id(a) AS a, id(b) AS b, [r IN relationships(p) | id(r)] AS r"
        )
        one = (
            f"{pairs}MATCH p = shortestPath((a){step}(b)) WHERE {predicate} "
            "RETURN id(a) AS a, id(b) AS b, length(p) AS l"
        )
        lengths = (
            f"{pairs}MATCH p = (a){step}(b) WHERE {predicate} "
            "RETURN id(a) AS a, id(b) AS b, min(length(p)) AS l"
        )
        for engine in ENGINES:
            for size in (1, 1024):
                assert rows_of(engine, shortest, transaction, size) == rows_of(
                    engine, every, transaction, size
                )
                assert rows_of(engine, one, transaction, size) == rows_of(
                    engine, lengths, transaction, size
                )
        transaction.abort()
