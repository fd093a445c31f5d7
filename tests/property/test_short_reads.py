"""Short reads give what the operators give: the same bytes, whatever the graph and the value."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.executor.context import Unguarded
from cypherd.executor.short_reads import MOST_ROWS, MOST_STARTS, short_read
from cypherd.render.registry import renderer_named
from cypherd.render.renderer import RenderOptions
from cypherd.storage.protocols import GraphStore, ReadTransaction
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph

SHORT = (
    "MATCH (a:A {i: $v}) RETURN a.i, a.j",
    "MATCH (a:A {i: $v}) RETURN a",
    "MATCH (a:A {i: $v}) RETURN a.i AS x, a AS y, $v AS z, 1 AS one, null AS none, a.i AS again",
    "MATCH (a:A) WHERE a.i = 3 RETURN a.i",
    "MATCH (a:A {i: $v})-[r:T]->(b) RETURN a.i, r.w, b.i, b.j",
    "MATCH (a:A {i: $v})<-[r]-(b) RETURN r, b, r.w",
    "MATCH (a:A {i: $v})-[r]-(b) RETURN a, b.i, r.absent",
    "MATCH (a:A {i: $v})-[:T|S]-(b) RETURN b.i",
    "MATCH (a:A {i: $v})-[:ABSENT]-(b) RETURN b.i",
    "MATCH (a:A {i: $v}) RETURN $v",
)
LONG = (
    "MATCH (a:A {i: $v}) RETURN a.i + 1",
    "MATCH (a:A {i: $v}) RETURN count(*)",
    "MATCH (a:A {i: $v})-->(b)-->(c) RETURN c.i",
    "MATCH (a:A {i: $v}) WHERE a.j > 0 RETURN a.i",
    "MATCH (a:A {i: $v}) RETURN a.i LIMIT 1",
    "MATCH (a:A) WHERE a.i IN $v RETURN a.i",
    "MATCH (a:A {i: $v})-[r*1..2]-(b) RETURN b.i",
    "MATCH (a:A {i: $v}) RETURN [1, 2] AS xs",
    "PROFILE MATCH (a:A {i: $v}) RETURN a.i",
)
VALUES = st.one_of(
    st.integers(0, 5),
    st.sampled_from([1.0, 2.5, math.nan, None, True, "x", "x" * 600, -(2**63)]),
)
OPTIONS = st.sampled_from([RenderOptions(), RenderOptions(rows="objects", integers="string")])


def _prepared(transaction: Any, nodes: Any, steps: Any) -> None:
    make_graph(transaction, nodes, steps)
    key = transaction.property_token("i")
    transaction.create_index(None, "node", transaction.label_token("A"), [key])


def _check(query: str, value: Any, transaction: ReadTransaction, options: RenderOptions) -> None:
    engine, parameters = ENGINES[0], {"v": value}
    plan = engine.plan(query, transaction)
    short = engine.run_short(plan, parameters, transaction, Unguarded())
    assert short is not None
    assert short.whole is not None
    for name in ("json", "csv", "ndjson", "msgpack"):
        general = engine.run(plan, parameters, transaction, Unguarded())
        expected = b"".join(renderer_named(name).render(general, options))
        again = engine.run_short(plan, parameters, transaction, Unguarded())
        assert again is not None
        assert b"".join(renderer_named(name).render(again, options)) == expected


@settings(max_examples=150, deadline=None)
@given(
    nodes=GRAPH_NODES,
    steps=GRAPH_STEPS,
    query=st.sampled_from(SHORT),
    value=VALUES,
    options=OPTIONS,
)
def test_bytes_agree(
    empty_store: GraphStore,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
    query: str,
    value: Any,
    options: RenderOptions,
) -> None:
    with empty_store.write() as transaction:
        _prepared(transaction, [("A", 3), *nodes], steps)
        _check(query, value, transaction, options)
        transaction.abort()


@pytest.mark.parametrize("query", LONG)
def test_other_plans_are_none(empty_store: GraphStore, query: str) -> None:
    with empty_store.write() as transaction:
        _prepared(transaction, [("A", 1)], [])
        assert short_read(ENGINES[0].plan(query, transaction)) is None
        transaction.abort()


def test_many_neighbours_and_lists_are_left_to_the_operators(empty_store: GraphStore) -> None:
    with empty_store.write() as transaction:
        _prepared(transaction, [("A", 1), ("B", 2)], [(0, 1, "T")] * (MOST_ROWS + 1))
        engine = ENGINES[0]
        plan = engine.plan(SHORT[4], transaction)
        assert engine.run_short(plan, {"v": 1}, transaction, Unguarded()) is None
        assert engine.run_short(plan, {"v": [1]}, transaction, Unguarded()) is None
        assert engine.run_short(plan, {}, transaction, Unguarded()) is None
        transaction.abort()


def test_neighbours_of_many_nodes_are_left_to_the_operators(empty_store: GraphStore) -> None:
    engine = ENGINES[0]
    with empty_store.write() as transaction:
        nodes = [("A", 1)] * (MOST_STARTS + 1) + [("A", 2)] * MOST_STARTS
        # So that an index is the way to plan it.
        nodes += [("A", i) for i in range(10, 100)]
        ring = [(place, (place + 1) % len(nodes), "T") for place in range(len(nodes))]
        _prepared(transaction, nodes, ring * 3)
        plan = engine.plan(SHORT[4], transaction)
        assert engine.run_short(plan, {"v": 1}, transaction, Unguarded()) is None
        assert engine.run_short(plan, {"v": 2}, transaction, Unguarded()) is not None
        plan = engine.plan(SHORT[0], transaction)
        assert engine.run_short(plan, {"v": 1}, transaction, Unguarded()) is not None
        transaction.abort()
