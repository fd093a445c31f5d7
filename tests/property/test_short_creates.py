"""Short creates do what the operators do: the same graph, the same counts, bytes and errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.engine import Result
from cypherd.errors import CypherdError, InternalError
from cypherd.executor.context import Unguarded
from cypherd.executor.short_creates import ShortCreate
from cypherd.planner.plan import Plan
from cypherd.render.registry import renderer_named
from cypherd.render.renderer import RenderOptions
from cypherd.storage.protocols import GraphStore, WriteTransaction
from cypherd.values.points import Point
from tests.property.graphs import ENGINES

SHORT = (
    "CREATE (:A {i: $v})",
    "CREATE ()",
    "CREATE (a:B:A:A {i: 1, j: $v, k: null, l: 'x', m: $w})",
    "CREATE (a:A $p)",
    "CREATE (a:A {i: $v})-[r:T {w: $w}]->(b:C)<-[:S $p]-(c)",
    "CREATE (a:New {fresh: $v})-[r:Newer]->(a) CREATE (b:A)",
    "CREATE (a:A {i: [1, 2.5]}), (b:U {i: $v}), (c:U {i: $w})",
    "CREATE (:R {i: $v})",
    "CREATE (a:A {i: $w, i: $v, i: 1, j: 1, j: $v})",
)
OTHER = (
    "CREATE (a:A {i: $v}) RETURN a",
    "CREATE (a:A {i: $v + 1})",
    "CREATE (a:A {i: [$v]})",
    "CREATE (a:$($v))",
    "CREATE (a:A)-[:$($v)]->(b)",
    "MATCH (a:A) CREATE (b:B)",
    "MATCH (a:A) CREATE (a)-[:T]->(b)",
    "UNWIND [1] AS x CREATE (b:B)",
    "CREATE (a:A) SET a.i = 1",
    "PROFILE CREATE (a:A)",
    "MERGE (a:A)",
)
SCALARS = st.sampled_from(
    [1, 2, -(2**63), 2**63, 1.0, math.nan, None, True, "x", "x" * 600, "", Point(4326, (1.0, 2.0))]
)
LISTS = st.sampled_from([[], [1, 2.5], [1, "x"], [None], [[1]], ["a", "b"], range(3)])
VALUES = st.one_of(SCALARS, LISTS, st.sampled_from([{}, {"a": 1}]))
MAPS = st.one_of(
    st.dictionaries(st.sampled_from(["i", "j", "w", "fresh"]), VALUES, max_size=3),
    st.sampled_from([None, 1, [1], "x"]),
)


def _prepared(transaction: WriteTransaction) -> None:
    key = transaction.property_token("i")
    transaction.create_index(None, "node", transaction.label_token("A"), [key])
    transaction.create_constraint(None, "unique", "node", transaction.label_token("U"), [key])
    transaction.create_constraint(None, "existence", "node", transaction.label_token("R"), [key])


def _graph(transaction: WriteTransaction) -> list[bytes]:
    """All there is, with names, and what the store counts and finds by its index."""
    engine = ENGINES[0]
    asked = (
        "MATCH (n) RETURN n ORDER BY id(n)",
        "MATCH ()-[r]->() RETURN r, id(startNode(r)), id(endNode(r)) ORDER BY id(r)",
        "MATCH (n:A) RETURN count(n)",
        "MATCH (n:C)<-[r]-() RETURN count(r)",
        "MATCH (n:A {i: 1}) RETURN id(n)",
        "CALL db.labels() YIELD label RETURN label",
        "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey",
    )
    return [
        _bytes(engine.run(engine.plan(query, transaction), {}, transaction, Unguarded()))
        for query in asked
    ]


def _bytes(result: Result, name: str = "json") -> bytes:
    return b"".join(renderer_named(name).render(result, RenderOptions()))


def _short(plan: Plan, parameters: Mapping[str, Any], transaction: WriteTransaction) -> Result:
    result = ENGINES[0].run_short(plan, parameters, transaction, Unguarded())
    assert result is not None
    return result


def _general(plan: Plan, parameters: Mapping[str, Any], transaction: WriteTransaction) -> Result:
    return ENGINES[0].run(plan, parameters, transaction, Unguarded())


@settings(max_examples=300, deadline=None)
@given(
    query=st.sampled_from(SHORT),
    v=VALUES,
    w=VALUES,
    p=MAPS,
    name=st.sampled_from(["json", "csv", "ndjson", "msgpack", "text"]),
)
def test_graphs_agree(
    empty_store: GraphStore, query: str, v: Any, w: Any, p: Any, name: str
) -> None:
    parameters = {"v": v, "w": w, "p": p}
    found: list[Any] = []
    with empty_store.write() as transaction:
        _prepared(transaction)
        plan = ENGINES[0].plan(query, transaction)
        assert isinstance(ENGINES[0].short_form(plan), ShortCreate)
        for run in (_general, _short):
            child = transaction.child()
            try:
                told: list[Any] = [_bytes(run(plan, parameters, child), name)]
                # Once more: the names are there now, and unique values too.
                told.append(_bytes(run(plan, parameters, child), name))
                told.append(_graph(child))
            except CypherdError as error:
                told = [error.to_wire()]
            found.append(told)
            child.abort()
        transaction.abort()
    assert found[0] == found[1]


@pytest.mark.parametrize("query", OTHER)
def test_other_plans_are_none(empty_store: GraphStore, query: str) -> None:
    with empty_store.write() as transaction:
        _prepared(transaction)
        plan = ENGINES[0].plan(query, transaction)
        assert ENGINES[0].short_form(plan) is None
        assert ENGINES[0].run_short(plan, {"v": 1}, transaction, Unguarded()) is None
        transaction.abort()


def test_a_missing_parameter_is_left_to_the_operators(empty_store: GraphStore) -> None:
    with empty_store.write() as transaction:
        plan = ENGINES[0].plan(SHORT[0], transaction)
        assert ENGINES[0].run_short(plan, {}, transaction, Unguarded()) is None
        assert transaction.counts.nodes() == 0
        transaction.abort()


def test_a_transaction_that_reads_is_refused(empty_store: GraphStore) -> None:
    with empty_store.read() as transaction:
        plan = ENGINES[0].plan(SHORT[0], transaction)
        with pytest.raises(InternalError, match="read transaction"):
            ENGINES[0].run_short(plan, {"v": 1}, transaction, Unguarded())
