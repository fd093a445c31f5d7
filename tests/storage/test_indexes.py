"""Contract: indexes and uniqueness constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from cypherd.batch.columns import EntityKind, IntArray
from cypherd.errors import (
    ConstraintValidationFailed,
    SchemaRuleExists,
    SchemaRuleNotFound,
)
from cypherd.storage.protocols import GraphStore, IndexDescriptor, WriteTransaction

Ids = Callable[..., IntArray]
P, V, W = 0, 0, 1
LONG = "x" * 600


@pytest.fixture
def write(store: GraphStore) -> Iterator[WriteTransaction]:
    with store.write() as transaction:
        transaction.label_token("Person")
        transaction.type_token("KNOWS")
        transaction.property_token("id")
        transaction.property_token("name")
        yield transaction


def people(write: WriteTransaction, values: Iterable[Any]) -> list[int]:
    rows = [{V: value} for value in values]
    made: list[int] = write.create_nodes([(P,)] * len(rows), rows).tolist()
    return made


def joined(pieces: Iterable[IntArray]) -> list[int]:
    return [number for piece in pieces for number in piece.tolist()]


def index_of(write: WriteTransaction, when: str, values: list[Any]) -> IndexDescriptor:
    """An index on values that were there before it, or that came after it."""
    if when == "before":
        people(write, values)
        return write.create_index(None, "node", P, [V])
    index = write.create_index(None, "node", P, [V])
    people(write, values)
    return index


WHEN = pytest.mark.parametrize("when", ["before", "after"])
MIXED = [3, "b", True, 1.5, None, math.nan, "a", -math.inf, [1, "b"][:1], 2, 2.0, LONG + "b"]


@WHEN
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, [9, 10]),
        (2.0, [9, 10]),
        (True, [2]),
        (1, []),
        (None, []),
        (math.nan, []),
        ([1.0], [8]),
        ([None], []),
        ({}, []),
        (LONG + "b", [11]),
        (LONG + "a", []),
        (LONG, []),
    ],
    ids=lambda value: str(value)[:10] + str(value)[-1:],
)
def test_seek(write: WriteTransaction, when: str, value: Any, expected: list[int]) -> None:
    index = index_of(write, when, MIXED)
    found = write.index_seek(index, [("nothing",), (value,)])
    assert found.id.tolist() == expected
    assert found.row.tolist() == [1] * len(expected)
    assert write.index_holders(index, (value,)) == expected


def test_seek_of_a_value_that_many_have(write: WriteTransaction) -> None:
    index = index_of(write, "after", [7] * 40 + [8])
    assert write.index_seek(index, [(8,), (7,)]).id.tolist() == [40, *range(40)]
    assert joined(write.index_range(index, 7, True, None, True, 3)) == [*range(41)]
    assert joined(write.index_range(index, None, True, 7, True, 3)) == [*range(40)]
    assert joined(write.index_range(index, 7, False, None, True, 3)) == [40]
    assert write.counts.index_entries(index.id) == 41
    assert write.counts.index_distinct(index.id) == 2


@WHEN
@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize(
    ("low", "low_too", "high", "high_too", "expected"),
    [
        (1.5, True, None, True, [3, 9, 10, 0]),
        (1.5, False, 3, False, [9, 10]),
        (None, True, 2, True, [7, 3, 9, 10]),
        (None, True, "b", False, [6]),
        ("a", False, None, True, [1, 11]),
        (LONG, True, None, True, [11]),
        (LONG + "b", False, None, True, []),
        (LONG + "a", False, LONG + "b", True, [11]),
        (None, True, LONG + "b", False, [6, 1]),
        (1, True, "z", True, []),
        (math.nan, True, None, True, []),
        ({}, True, None, True, []),
        (False, False, True, True, [2]),
        ([0], True, [2], True, [8]),
        (["a"], True, None, True, []),
        (None, True, None, True, [8, 6, 1, 11, 2, 7, 3, 9, 10, 0, 5]),
    ],
    ids=lambda value: str(value)[:8] + str(value)[-1:],
)
def test_range(
    write: WriteTransaction,
    when: str,
    size: int,
    low: Any,
    low_too: bool,
    high: Any,
    high_too: bool,
    expected: list[int],
) -> None:
    index = index_of(write, when, MIXED)
    pieces = list(write.index_range(index, low, low_too, high, high_too, size))
    assert joined(pieces) == expected
    assert all(0 < len(piece) <= size for piece in pieces)


@pytest.mark.parametrize("size", [1, 3, 100])
def test_values_that_differ_behind_the_key_limit_come_in_order(
    write: WriteTransaction, size: int
) -> None:
    tails = ["d", "b", "e", "a", "c", "a"]
    index = index_of(write, "after", [LONG + tail for tail in tails] + ["y"])
    everything = write.index_range(index, None, True, None, True, size)
    assert joined(everything) == [3, 5, 1, 4, 0, 2, 6]
    some = write.index_range(index, LONG + "a", False, LONG + "d", False, size)
    assert joined(some) == [1, 4]


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", [4, 1, 0, 2, 3, 5, 6, 7]),
        ("ab", [1, 0, 2]),
        ("ab\x00", [0]),
        (LONG, [5, 6, 7]),
        (LONG + "b", [6, 7]),
        ("b", [3]),
        ("zz", []),
    ],
    ids=["all", "two", "nul", "long", "longer", "one", "none"],
)
def test_prefix(write: WriteTransaction, size: int, prefix: str, expected: list[int]) -> None:
    values = ["ab\x00", "ab", "abc", "b", "a", LONG, LONG + "b", LONG + "bc"]
    index = index_of(write, "after", [*values, 1, ["ab"]])
    assert joined(write.index_prefix(index, prefix, size)) == expected


@pytest.mark.parametrize("first", ["short", LONG], ids=["short", "cut"])
def test_composite(write: WriteTransaction, ids: Ids, first: str) -> None:
    index = write.create_index("both", "node", P, [W, V])
    write.create_nodes(
        [(P,), (P,), (P,), ()],
        [{W: first, V: 1}, {W: first, V: 2}, {W: first}, {W: first, V: 1}],
    )
    assert write.index_seek(index, [(first, 1)]).id.tolist() == [0]
    assert write.counts.index_entries(index.id) == 2
    write.set_node_properties(ids(2), [{V: 1}])
    assert write.index_seek(index, [(first, 1), (first, 2)]).id.tolist() == [0, 2, 1]
    write.remove_labels(ids(0), [P])
    assert write.index_seek(index, [(first, 1)]).id.tolist() == [2]


@pytest.mark.parametrize("kind", ["node", "relationship"])
def test_dropped_index_leaves_nothing(write: WriteTransaction, ids: Ids, kind: EntityKind) -> None:
    people(write, [1, 2])
    write.create_relationships([0, 0], ids(0, 1), ids(1, 0), [{V: 5}, {V: 6}])
    kept = write.create_index("kept", "node", P, [V, W])
    index = write.create_index("gone", kind, 0, [V])
    assert write.counts.index_entries(index.id) == 2
    later = write.create_index("later", "node", P, [W])
    write.set_node_properties(ids(0), [{W: "w"}])
    write.drop_index(index.id)
    assert list(write.schema.indexes) == [kept, later]
    assert write.counts.index_entries(index.id) == 0
    assert write.index_seek(later, [("w",)]).id.tolist() == [0]
    assert write.index_seek(kept, [(1, "w")]).id.tolist() == [0]
    assert write.create_index("gone", kind, 0, [V]).id != index.id


def test_rules_of_the_same_name_or_shape(write: WriteTransaction) -> None:
    index = write.create_index("a", "node", P, [V])
    with pytest.raises(SchemaRuleExists, match="called `a`"):
        write.create_index("a", "node", P, [W])
    with pytest.raises(SchemaRuleExists, match=r"index on \(:Person \{id\}\), named `a`"):
        write.create_index("b", "node", P, [V])
    with pytest.raises(SchemaRuleExists):
        write.create_constraint("b", "uniqueness", "node", P, [V])
    write.drop_index(index.id)
    with pytest.raises(SchemaRuleNotFound):
        write.drop_index(index.id)
    constraint = write.create_constraint("b", "uniqueness", "node", P, [V])
    assert constraint.index_id is not None
    with pytest.raises(SchemaRuleExists, match="belongs to the constraint `b`"):
        write.drop_index(constraint.index_id)
    write.drop_constraint(constraint.id)
    assert not write.schema.indexes
    assert not write.schema.constraints
    with pytest.raises(SchemaRuleNotFound):
        write.drop_constraint(constraint.id)


@pytest.mark.parametrize("value", [1, "one", LONG, [1, 2]], ids=["number", "text", "cut", "list"])
def test_uniqueness(write: WriteTransaction, ids: Ids, value: Any) -> None:
    write.create_constraint(None, "uniqueness", "node", P, [V])
    people(write, [value, "other", LONG + "y", None, None, math.nan, math.nan])
    with pytest.raises(ConstraintValidationFailed, match=r"Node\(0\) already exists with label"):
        people(write, [value])
    with pytest.raises(ConstraintValidationFailed):
        write.set_node_properties(ids(1), [{V: value}])
    write.create_nodes([()], [{V: value}])
    free = int(write.create_nodes([()], [{V: value}])[0])
    with pytest.raises(ConstraintValidationFailed):
        write.add_labels(ids(free), [P])
    write.set_node_properties(ids(0), [{V: value}])


def test_messages_are_neo4js(write: WriteTransaction, ids: Ids) -> None:
    write.create_constraint(None, "uniqueness", "node", P, [V, W])
    write.create_constraint(None, "uniqueness", "relationship", 0, [V])
    write.create_nodes([(P,)], [{V: 1, W: "a"}])
    write.create_relationships([0], ids(0), ids(0), [{V: True}])
    with pytest.raises(ConstraintValidationFailed) as caught:
        write.create_nodes([(P,)], [{V: 1.0, W: "a"}])
    assert caught.value.message == (
        "Node(0) already exists with label `Person` and properties `id` = 1.0, `name` = 'a'"
    )
    with pytest.raises(ConstraintValidationFailed) as caught:
        write.create_relationships([0], ids(0), ids(0), [{V: True}])
    assert caught.value.message == (
        "Relationship(0) already exists with type `KNOWS` and property `id` = true"
    )


def test_constraint_over_data_that_break_it(write: WriteTransaction) -> None:
    people(write, [1, 2, math.nan, math.nan, 1.0])
    with pytest.raises(ConstraintValidationFailed, match=r"Both Node\(0\) and Node\(4\) have"):
        write.create_constraint(None, "uniqueness", "node", P, [V])


def test_a_value_is_free_again_after_delete(write: WriteTransaction, ids: Ids) -> None:
    write.create_constraint(None, "uniqueness", "node", P, [V])
    people(write, [1])
    write.delete_nodes(ids(0))
    assert people(write, [1]) == [1]
