"""Expressions that read the graph, over a real store; ids in arrays and as references."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import Batch, Column, EntityKind, IdColumn, ObjectColumn
from cypherd.binder.expressions import (
    BoundExpression,
    Call,
    Constant,
    DistinctRelationships,
    HasLabels,
    MapProjection,
    PathOf,
    Property,
    Variable,
)
from cypherd.errors import CypherTypeError, EntityNotFound
from cypherd.executor.context import ExecutionContext, Unguarded
from cypherd.executor.evaluator import compile_expression, compile_predicate
from cypherd.executor.materialize import materialize_column
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import GraphStore
from cypherd.values.graph import Node, NodeRef, Path, PathRef, Relationship, RelationshipRef

N, R, M = Variable("n"), Variable("r"), Variable("m")


@pytest.fixture
def store(tmp_path: FilePath) -> Iterator[GraphStore]:
    """(0:A {name: 'a', x: 1})-[0:T {w: 5}]->(1:A:B {name: 'b'})-[1:U]->(2)."""
    opened = open_store(tmp_path / "store", map_size=64 * MIB, create=True)
    with opened.write() as transaction:
        a, b = transaction.label_token("A"), transaction.label_token("B")
        name, x, w = (transaction.property_token(key) for key in ("name", "x", "w"))
        nodes = transaction.create_nodes([(a,), (a, b), ()], [{name: "a", x: 1}, {name: "b"}, {}])
        types = [transaction.type_token("T"), transaction.type_token("U")]
        transaction.create_relationships(types, nodes[:2], nodes[1:], [{w: 5}, {}])
        transaction.commit()
    assert nodes.tolist() == [0, 1, 2]
    yield opened
    opened.close()


@pytest.fixture
def context(store: GraphStore) -> Iterator[ExecutionContext]:
    with store.read() as transaction:
        yield ExecutionContext(transaction, {}, Unguarded())


def ids(kind: EntityKind, *values: int) -> IdColumn:
    return IdColumn(kind, np.array(values, dtype=np.int64))


ROWS = Batch(4, {"n": ids("node", 0, 1, 2, -1), "r": ids("relationship", 0, -1, 1, 0)})

EXPRESSIONS: list[tuple[str, BoundExpression, list[Any]]] = [
    ("property", Property(N, "name"), ["a", "b", None, None]),
    ("unknown property", Property(N, "nosuch"), [None] * 4),
    ("of a relationship", Property(R, "w"), [5, None, None, 5]),
    ("one label", HasLabels(N, ("A",)), [True, True, False, None]),
    ("two labels", HasLabels(N, ("A", "B")), [False, True, False, None]),
    ("unknown label", HasLabels(N, ("A", "Nosuch")), [False, False, False, None]),
    ("type as label", HasLabels(R, ("T",)), [True, None, False, True]),
    ("two types", HasLabels(R, ("T", "U")), [False, None, False, False]),
    ("id", Call("id", (N,)), [0, 1, 2, None]),
    ("element id", Call("elementid", (R,)), ["r0", None, "r1", "r0"]),
    ("labels", Call("labels", (N,)), [["A"], ["A", "B"], [], None]),
    ("type", Call("type", (R,)), ["T", None, "U", "T"]),
    ("start", Call("startnode", (R,)), [NodeRef(0), None, NodeRef(1), NodeRef(0)]),
    ("end", Call("endnode", (R,)), [NodeRef(1), None, NodeRef(2), NodeRef(1)]),
    ("keys", Call("keys", (N,)), [["name", "x"], ["name"], [], None]),
    ("properties", Call("properties", (R,)), [{"w": 5}, None, {}, {"w": 5}]),
    ("dynamic", Call("subscript", (N, Constant("x"))), [1, None, None, None]),
    ("same", Call("=", (N, N)), [True, True, True, None]),
    ("node and relationship", Call("=", (N, R)), [False, None, False, None]),
    (
        "map projection",
        MapProjection(N, (("*", None), ("x", Constant(9)))),
        [{"name": "a", "x": 9}, {"name": "b", "x": 9}, {"x": 9}, None],
    ),
]


def as_objects(batch: Batch) -> Batch:
    return Batch(batch.length, {n: ObjectColumn(c.to_list()) for n, c in batch.columns.items()})


@pytest.mark.parametrize("batch", [ROWS, as_objects(ROWS)], ids=["ids", "references"])
@pytest.mark.parametrize("typed", [True, False], ids=["typed", "general"])
@pytest.mark.parametrize(
    ("expression", "expected"), [e[1:] for e in EXPRESSIONS], ids=[e[0] for e in EXPRESSIONS]
)
def test_reading(
    context: ExecutionContext,
    expression: BoundExpression,
    expected: list[Any],
    typed: bool,
    batch: Batch,
) -> None:
    assert compile_expression(expression, typed)(batch, context).to_list() == expected


def test_values_of_several_kinds_in_one_column(context: ExecutionContext) -> None:
    column = ObjectColumn([RelationshipRef(0), {"w": "map"}, None, NodeRef(0)])
    batch = Batch(4, {"n": column})
    found = compile_expression(Property(N, "w"))(batch, context).to_list()
    assert found == [5, "map", None, None]
    found = compile_expression(Call("subscript", (N, Constant("w"))))(batch, context).to_list()
    assert found == [5, "map", None, None]
    found = compile_expression(Call("keys", (N,)))(batch, context).to_list()
    assert found == [["w"], ["w"], None, ["name", "x"]]


@pytest.mark.parametrize("name", ["labels", "type", "startnode", "id"])
@pytest.mark.parametrize("value", [0, "", [], True], ids=repr)
def test_other_values_are_refused(context: ExecutionContext, name: str, value: Any) -> None:
    batch = Batch(1, {"n": ObjectColumn([value])})
    with pytest.raises(CypherTypeError) as raised:
        compile_expression(Call(name, (N,), at=7))(batch, context)
    assert (raised.value.detail, raised.value.offset) == ("InvalidArgumentValue", 7)


def test_labels_of_a_relationship_and_type_of_a_node_are_refused(
    context: ExecutionContext,
) -> None:
    for call in (Call("labels", (R,)), Call("type", (N,))):
        with pytest.raises(CypherTypeError):
            compile_expression(call)(ROWS, context)


def test_a_predicate_reads_only_the_rows_still_open(context: ExecutionContext) -> None:
    rows = compile_predicate(HasLabels(N, ("B",)))(ROWS, context)
    assert rows.tolist() == [1]


def test_paths(context: ExecutionContext) -> None:
    step = ObjectColumn([[RelationshipRef(0), RelationshipRef(1)], [], None])
    batch = Batch(3, {"n": ids("node", 0, 1, 1), "r": step, "m": ids("node", 2, 1, 1)})
    forward, empty, null = compile_expression(PathOf((N, R, M)))(batch, context).to_list()
    nodes = (NodeRef(0), NodeRef(1), NodeRef(2))
    assert forward == PathRef(nodes, (RelationshipRef(0), RelationshipRef(1)))
    assert empty == PathRef((NodeRef(1),), ())
    assert null is None
    back = Batch(
        1,
        {
            "n": ids("node", 2),
            "r": ObjectColumn([[RelationshipRef(1), RelationshipRef(0)]]),
            "m": ids("node", 0),
        },
    )
    (found,) = compile_expression(PathOf((N, R, M)))(back, context).to_list()
    assert found == PathRef(nodes[::-1], (RelationshipRef(1), RelationshipRef(0)))
    plain = Batch(1, {"n": ids("node", 0), "r": ids("relationship", 0), "m": ids("node", 1)})
    (found,) = compile_expression(PathOf((N, R, M)))(plain, context).to_list()
    assert found == PathRef(nodes[:2], (RelationshipRef(0),))


LISTS = ObjectColumn([[RelationshipRef(1)], [RelationshipRef(0)], [], None])

UNIQUENESS: list[tuple[str, Column, list[bool]]] = [
    ("ids", ids("relationship", 1, 0, 1, -1), [True, True, False, True]),
    ("lists", LISTS, [True, True, True, True]),
    ("a list that repeats", ObjectColumn([[RelationshipRef(0)]] * 4), [False, True, True, False]),
]


@pytest.mark.parametrize(
    ("other", "expected"), [u[1:] for u in UNIQUENESS], ids=[u[0] for u in UNIQUENESS]
)
def test_relationship_uniqueness(
    context: ExecutionContext, other: Column, expected: list[bool]
) -> None:
    batch = ROWS.with_columns({"m": other})
    distinct = compile_expression(DistinctRelationships((R, M)))
    assert distinct(batch, context).to_list() == expected


NODE_A = Node(0, ("A",), {"name": "a", "x": 1})
NODE_B = Node(1, ("A", "B"), {"name": "b"})
STEP = Relationship(0, "T", 0, 1, {"w": 5})
PATH = PathRef((NodeRef(0), NodeRef(1)), (RelationshipRef(0),))

WHOLE: list[tuple[str, Column, list[Any]]] = [
    ("nodes", ids("node", 0, -1, 0), [NODE_A, None, NODE_A]),
    ("relationships", ids("relationship", 0), [STEP]),
    ("path", ObjectColumn([PATH]), [Path((NODE_A, NODE_B), (STEP,))]),
    (
        "nested",
        ObjectColumn([{"a": [NodeRef(1), 1]}, [[RelationshipRef(0)]], "text"]),
        [{"a": [NODE_B, 1]}, [[STEP]], "text"],
    ),
    ("range", ObjectColumn([range(3), [range(2)]]), [[0, 1, 2], [[0, 1]]]),
]


@pytest.mark.parametrize(("column", "expected"), [w[1:] for w in WHOLE], ids=[w[0] for w in WHOLE])
def test_materialized(context: ExecutionContext, column: Column, expected: list[Any]) -> None:
    assert materialize_column(column, context).to_list() == expected


def test_plain_columns_are_given_back_as_they_are(context: ExecutionContext) -> None:
    column = ObjectColumn([1, "a", None])
    assert materialize_column(column, context) is column


def test_what_the_query_deleted(store: GraphStore) -> None:
    with store.write() as transaction:
        context = ExecutionContext(transaction, {}, Unguarded())
        gone = np.array([0], dtype=np.int64)
        context.stats.relationships_deleted += transaction.delete_relationships(gone)
        context.stats.nodes_deleted += transaction.delete_nodes(gone)
        batch = Batch(1, {"n": ids("node", 0), "r": ids("relationship", 0)})
        for expression in (
            Property(N, "name"),
            Property(R, "w"),
            HasLabels(N, ("A",)),
            Call("labels", (N,)),
            Call("keys", (R,)),
            Call("properties", (N,)),
        ):
            with pytest.raises(EntityNotFound) as raised:
                compile_expression(expression)(batch, context)
            assert raised.value.detail == "DeletedEntityAccess"
        assert compile_expression(Call("type", (R,)))(batch, context).to_list() == ["T"]
        node = materialize_column(batch.columns["n"], context).to_list()
        relationship = materialize_column(batch.columns["r"], context).to_list()
        assert node == [Node(0, (), {})]
        assert relationship == [Relationship(0, "T", 0, 1, {})]
        alive = Batch(1, {"n": ids("node", 1)})
        assert compile_expression(Property(N, "name"))(alive, context).to_list() == ["b"]
        transaction.abort()
