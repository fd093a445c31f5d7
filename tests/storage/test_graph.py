"""Contract: creating, reading, expanding, changing and deleting, in and after a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import IntArray
from cypherd.errors import ConstraintVerificationFailed, CypherTypeError, EntityNotFound
from cypherd.storage.protocols import (
    Direction,
    Expansion,
    GraphStore,
    ReadTransaction,
    WriteTransaction,
)

Ids = Callable[..., IntArray]
P, Q = 0, 1
KNOWS, LIKES = 0, 1
NAME, AGE = 0, 1


def make_social(transaction: WriteTransaction) -> None:
    """(0:P)-[0:KNOWS]->(1:P), 0-[1:LIKES]->1, 1-[2:KNOWS]->2, 1-[3:KNOWS]->1, (3) alone."""
    for name in ("P", "Q"):
        transaction.label_token(name)
    for name in ("KNOWS", "LIKES"):
        transaction.type_token(name)
    for name in ("name", "age"):
        transaction.property_token(name)
    transaction.create_nodes(
        [(P,), (Q, P), (Q,), ()],
        [{NAME: "a", AGE: 1}, {NAME: "b", AGE: None}, {AGE: [1, 2.5]}, {}],
    )
    starts, ends = np.array([0, 0, 1, 1]), np.array([1, 1, 2, 1])
    transaction.create_relationships(
        [KNOWS, LIKES, KNOWS, KNOWS], starts, ends, [{AGE: 7}, {}, {}, {}]
    )


@pytest.fixture(params=["within", "after"])
def graph(store: GraphStore, request: pytest.FixtureRequest) -> Iterator[ReadTransaction]:
    """The same answers inside the writing transaction and in a later snapshot."""
    with store.write() as write:
        make_social(write)
        if request.param == "within":
            yield write
            return
        write.commit()
    with store.read() as read:
        yield read


@contextmanager
def changed(store: GraphStore) -> Iterator[WriteTransaction]:
    with store.write() as write:
        make_social(write)
        yield write


def joined(pieces: Iterable[IntArray]) -> list[int]:
    return [number for piece in pieces for number in piece.tolist()]


def triples(pieces: Iterable[Expansion]) -> list[tuple[int, int, int]]:
    return [
        triple
        for piece in pieces
        for triple in zip(*(column.tolist() for column in piece), strict=True)
    ]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_scans(graph: ReadTransaction, size: int) -> None:
    assert joined(graph.scan_nodes(None, size)) == [0, 1, 2, 3]
    assert joined(graph.scan_nodes(Q, size)) == [1, 2]
    assert all(len(piece) <= size for piece in graph.scan_nodes(None, size))
    rows = [
        row
        for piece in graph.scan_relationships(KNOWS, size)
        for row in zip(*(column.tolist() for column in piece), strict=True)
    ]
    assert rows == [(0, KNOWS, 0, 1), (2, KNOWS, 1, 2), (3, KNOWS, 1, 1)]
    assert joined(piece.id for piece in graph.scan_relationships(None, size)) == [0, 1, 2, 3]


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize(
    ("direction", "types", "expected"),
    [
        ("out", [KNOWS], [(1, 0, 1), (2, 3, 1), (2, 2, 2)]),
        ("out", None, [(1, 0, 1), (1, 1, 1), (2, 3, 1), (2, 2, 2)]),
        ("in", [KNOWS], [(2, 0, 0), (2, 3, 1)]),
        ("in", [LIKES, LIKES], [(2, 1, 0)]),
        ("both", [KNOWS], [(1, 0, 1), (2, 0, 0), (2, 2, 2), (2, 3, 1)]),
        ("both", None, [(1, 0, 1), (1, 1, 1), (2, 0, 0), (2, 1, 0), (2, 2, 2), (2, 3, 1)]),
        ("out", [], []),
        ("out", [99], []),
    ],
)
def test_expand(
    graph: ReadTransaction,
    ids: Ids,
    size: int,
    direction: Direction,
    types: list[int] | None,
    expected: list[tuple[int, int, int]],
) -> None:
    found = triples(graph.expand(ids(3, 0, 1), direction, types, size))
    assert sorted(found) == sorted(expected)
    assert [row for row, _, _ in found] == sorted(row for row, _, _ in found)


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize("types", [None, [KNOWS], [LIKES, KNOWS, LIKES], [], [99]])
def test_neighbours_are_what_expand_gives(
    graph: ReadTransaction, ids: Ids, direction: Direction, types: list[int] | None
) -> None:
    for node in range(4):
        # Two nodes, so that they are read the way many are.
        expected = [(b, c) for a, b, c in triples(graph.expand(ids(3, node), direction, types, 9))]
        found = graph.neighbours(node, direction, types, 9)
        assert found is not None
        assert list(zip(*found, strict=True)) == expected


def test_more_neighbours_than_asked_for_are_none(graph: ReadTransaction) -> None:
    assert graph.neighbours(1, "in", None, 2) is None
    assert graph.neighbours(1, "in", None, 3) is not None


def test_a_node_has_no_neighbours_that_came_while_it_is_read(store: GraphStore, ids: Ids) -> None:
    with changed(store) as write:
        write.create_relationships([KNOWS], ids(0), ids(2), [{}])
        expected = [(b, c) for _, b, c in triples(write.expand(ids(3, 0), "both", None, 9))]
        found = write.neighbours(0, "both", None, 9)
        assert found is not None
        assert list(zip(*found, strict=True)) == expected


def test_expand_answers_for_every_asked_row(graph: ReadTransaction, ids: Ids) -> None:
    found = triples(graph.expand(ids(0, 3, 0), "out", [KNOWS], 10))
    assert found == [(0, 0, 1), (2, 0, 1)]


@pytest.mark.parametrize(
    ("direction", "types", "expected"),
    [
        ("out", None, [2, 2, 0, 0]),
        ("in", None, [0, 3, 1, 0]),
        ("both", None, [2, 4, 1, 0]),
        ("both", [KNOWS], [1, 3, 1, 0]),
        ("out", [LIKES, LIKES], [1, 0, 0, 0]),
    ],
)
def test_degree(
    graph: ReadTransaction,
    ids: Ids,
    direction: Direction,
    types: list[int] | None,
    expected: list[int],
) -> None:
    assert graph.degree(ids(0, 1, 2, 3), direction, types).tolist() == expected


@pytest.mark.parametrize(
    ("direction", "types", "expected"),
    [
        ("out", None, [(0, 0), (0, 1), (2, 3)]),
        ("in", None, [(1, 0), (1, 1), (2, 3)]),
        ("both", [KNOWS], [(0, 0), (1, 0), (2, 3)]),
    ],
)
def test_expand_into(
    graph: ReadTransaction,
    ids: Ids,
    direction: Direction,
    types: list[int] | None,
    expected: list[tuple[int, int]],
) -> None:
    found = graph.expand_into(ids(0, 1, 1, 3), ids(1, 0, 1, 0), direction, types)
    assert list(zip(found.row.tolist(), found.id.tolist(), strict=True)) == expected


def test_records_and_properties(graph: ReadTransaction, ids: Ids) -> None:
    assert graph.node_properties(ids(0, 1, 2, 9, -1), [NAME, AGE]) == [
        ["a", "b", None, None, None],
        [1, None, [1.0, 2.5], None, None],
    ]
    assert graph.relationship_properties(ids(0, 1), [AGE]) == [[7, None]]
    assert graph.node_records(ids(1, 9)) == [((P, Q), {NAME: "b"}), None]
    assert graph.relationship_records(ids(0, 9)) == [(KNOWS, 0, 1, {AGE: 7}), None]
    assert graph.has_label(ids(0, 1, 9), Q).tolist() == [False, True, False]
    assert graph.nodes_exist(ids(3, 4, -1)).tolist() == [True, False, False]
    assert graph.relationships_exist(ids(3, 4)).tolist() == [True, False]
    found = graph.endpoints(ids(2, 9))
    assert [column.tolist() for column in found] == [[2, 9], [KNOWS, -1], [1, -1], [2, -1]]


def test_empty_questions(graph: ReadTransaction, ids: Ids) -> None:
    none = ids()
    assert list(graph.expand(none, "both", None, 10)) == []
    assert graph.node_properties(none, [NAME]) == [[]]
    assert len(graph.endpoints(none).start) == 0
    assert graph.degree(none, "both", None).tolist() == []
    assert graph.has_label(none, P).tolist() == []


@pytest.mark.parametrize(
    ("change", "count", "after"),
    [
        ({NAME: "x"}, 1, {NAME: "x", AGE: 1}),
        ({NAME: None}, 1, {AGE: 1}),
        ({NAME: "a", AGE: None}, 2, {NAME: "a"}),
        ({2: None}, 0, {NAME: "a", AGE: 1}),
    ],
    ids=["set", "remove", "same value counts", "absent does not"],
)
def test_set_properties(
    store: GraphStore, ids: Ids, change: dict[int, Any], count: int, after: dict[int, Any]
) -> None:
    with changed(store) as write:
        assert write.set_node_properties(ids(0), [change]) == count
        assert write.node_records(ids(0)) == [((P,), after)]
        assert write.set_relationship_properties(ids(0), [{AGE: None, NAME: True}]) == 2
        assert write.relationship_records(ids(0)) == [(KNOWS, 0, 1, {NAME: True})]


def test_labels_change(store: GraphStore, ids: Ids) -> None:
    with changed(store) as write:
        assert write.add_labels(ids(0, 1, 3), [P, Q]) == 3
        assert write.remove_labels(ids(0, 2), [P]) == 1
        assert joined(write.scan_nodes(P, 10)) == [1, 3]
        assert joined(write.scan_nodes(Q, 10)) == [0, 1, 2, 3]


def test_delete(store: GraphStore, ids: Ids) -> None:
    with changed(store) as write:
        with pytest.raises(ConstraintVerificationFailed) as caught:
            write.delete_nodes(ids(3, 1))
        assert caught.value.detail == "DeleteConnectedNode"
        assert write.nodes_exist(ids(3)).all()
        assert write.delete_relationships(ids(3, 2, 2, 0, 77)) == 3
        assert write.delete_relationships(ids(3)) == 0
        ends = write.endpoints(ids(2))
        assert (ends.type[0], ends.start[0], ends.end[0]) == (KNOWS, 1, 2)
        assert triples(write.expand(ids(0, 1, 2), "both", None, 10)) == [(0, 1, 1), (1, 1, 0)]
        assert write.delete_relationships(ids(1)) == 1
        assert write.delete_nodes(ids(1, 1, 2)) == 2
        assert write.node_properties(ids(1), [NAME]) == [[None]]
        assert joined(write.scan_nodes(None, 10)) == [0, 3]
        write.commit()
    with store.read() as read:
        assert read.endpoints(ids(2)).start.tolist() == [-1]


def test_ids_are_never_used_again(store: GraphStore, ids: Ids) -> None:
    with changed(store) as write:
        write.delete_nodes(ids(3))
        write.commit()
    with store.write() as write:
        assert write.create_nodes([()], [{}]).tolist() == [4]


@pytest.mark.parametrize(
    "value",
    [{"a": 1}, [1, None], [1, "a"], [True, 1], [[1]], [{}], object()],
    ids=["map", "null in list", "mixed", "boolean and integer", "nested", "list of maps", "other"],
)
def test_what_cannot_be_a_property(store: GraphStore, ids: Ids, value: Any) -> None:
    with changed(store) as write, pytest.raises(CypherTypeError) as caught:
        write.set_node_properties(ids(0), [{NAME: value}])
    assert caught.value.detail == "InvalidPropertyType"


@pytest.mark.parametrize(
    "value",
    [True, 1, -(1 << 63), (1 << 63) - 1, 1.5, float("inf"), "", "x" * 5000, "\ud800", [], [True]],
    ids=str,
)
def test_values_come_back_as_they_were(store: GraphStore, ids: Ids, value: Any) -> None:
    with changed(store) as write:
        write.set_node_properties(ids(0), [{NAME: value}])
        write.commit()
    with store.read() as read:
        ((found,),) = read.node_properties(ids(0), [NAME])
    assert found == value
    assert type(found) is type(value)


def test_relationship_to_a_missing_node(store: GraphStore, ids: Ids) -> None:
    with changed(store) as write, pytest.raises(EntityNotFound):
        write.create_relationships([KNOWS], ids(0), ids(99), [{}])
