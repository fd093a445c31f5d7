"""Contract: snapshots, children, aborts, names, versions, settled statements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cypherd.batch.columns import IntArray
from cypherd.errors import ConstraintValidationFailed, InternalError
from cypherd.storage.protocols import GraphStore

Ids = Callable[..., IntArray]


def test_a_reader_keeps_its_snapshot(store: GraphStore) -> None:
    with store.read() as before, store.write() as write:
        label = write.label_token("A")
        write.create_nodes([(label,)], [{}])
        assert before.counts.nodes() == 0
        write.commit()
        assert before.counts.nodes() == 0
        assert before.schema.label_id("A") is None
        assert list(before.scan_nodes(None, 10)) == []
    with store.read() as after:
        assert after.counts.nodes(after.schema.label_id("A")) == 1


def test_what_is_not_committed_is_gone(store: GraphStore) -> None:
    with store.write() as write:
        write.create_nodes([(write.label_token("A"),)], [{write.property_token("p"): 1}])
    with store.write() as write:
        assert write.counts.nodes() == 0
        assert list(write.schema.label_names()) == []
        assert write.create_nodes([()], [{}]).tolist() == [0]


def test_an_aborted_child_leaves_nothing(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        a = write.label_token("A")
        p = write.property_token("p")
        write.create_constraint("only", "uniqueness", "node", a, [p])
        write.create_nodes([(a,)], [{p: 1}])
        child = write.child()
        child.create_nodes([(child.label_token("B"),)], [{child.property_token("q"): 2}])
        child.create_relationships([child.type_token("R")], ids(0), ids(1), [{}])
        child.create_index("more", "node", a, [p, child.property_token("q")])
        with pytest.raises(ConstraintValidationFailed):
            child.create_nodes([(a,)], [{p: 1}])
        child.abort()
        assert list(write.schema.label_names()) == ["A"]
        assert list(write.schema.property_names()) == ["p"]
        assert list(write.schema.type_names()) == []
        assert [index.name for index in write.schema.indexes] == ["only"]
        assert write.counts.nodes() == 1
        assert write.counts.relationships() == 0
        assert write.create_nodes([(a,)], [{p: 2}]).tolist() == [1]
        write.commit()
    with store.read() as read:
        assert read.counts.nodes() == 2
        assert list(read.schema.label_names()) == ["A"]
        assert read.counts.index_entries(read.schema.indexes[0].id) == 2


def test_a_checkpoint_commits_and_goes_on(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        first = write.create_nodes([(write.label_token("A"),)], [{write.property_token("p"): 1}])
        write.checkpoint()
        with store.read() as read:
            assert read.counts.nodes(read.schema.label_id("A")) == 1
        # Names, counts and ids go on where they were.
        assert write.label_token("A") == first[0]
        child = write.child()
        child.create_nodes([(child.label_token("B"),)], [{}])
        child.create_relationships([child.type_token("R")], ids(0), ids(1), [{}])
        with pytest.raises(InternalError):
            child.checkpoint()
        child.commit()
        write.checkpoint()
        assert (write.counts.nodes(), write.counts.relationships()) == (2, 1)
        assert write.create_nodes([()], [{}]).tolist() == [2]
        write.label_token("C")
    with store.read() as read:
        assert (read.counts.nodes(), read.counts.relationships()) == (2, 1)
        assert list(read.schema.label_names()) == ["A", "B"]
    with store.write() as write:
        assert write.create_nodes([()], [{}]).tolist() == [2]
        write.label_token("D")
        assert list(write.schema.label_names()) == ["A", "B", "D"]


def test_a_checkpoint_asks_for_required_properties(store: GraphStore) -> None:
    with store.write() as write:
        a, p = write.label_token("A"), write.property_token("p")
        write.create_constraint("must", "existence", "node", a, [p])
        write.checkpoint()
        write.create_nodes([(a,)], [{}])
        with pytest.raises(ConstraintValidationFailed):
            write.checkpoint()
        write.abort()
    with store.read() as read:
        assert read.counts.nodes() == 0


def test_children_one_after_another(store: GraphStore, ids: Ids) -> None:
    with store.write() as write:
        for number in range(6):
            child = write.child()
            made = child.create_nodes([(child.label_token(f"L{number % 2}"),)], [{}])
            if number % 3 == 2:
                child.abort()
            else:
                child.commit()
                assert write.nodes_exist(made).all()
        write.commit()
    with store.read() as read:
        assert read.counts.nodes() == 4
        assert [list(piece) for piece in read.scan_nodes(None, 10)] == [[0, 1, 2, 3]]


def test_a_parent_waits_for_its_child(store: GraphStore) -> None:
    with store.write() as write:
        child = write.child()
        with pytest.raises(InternalError):
            write.create_nodes([()], [{}])
        with pytest.raises(InternalError):
            write.commit()
        child.commit()
        write.create_nodes([()], [{}])
        write.commit()
        with pytest.raises(InternalError):
            write.create_nodes([()], [{}])
        write.abort()


def test_relationships_deleted_in_a_child_have_endpoints_in_the_parent(
    store: GraphStore, ids: Ids
) -> None:
    with store.write() as write:
        write.create_nodes([(), ()], [{}, {}])
        write.create_relationships([write.type_token("R")] * 2, ids(0, 0), ids(1, 1), [{}, {}])
        child = write.child()
        child.delete_relationships(ids(0))
        child.commit()
        child = write.child()
        child.delete_relationships(ids(1))
        child.abort()
        assert write.endpoints(ids(0, 1)).end.tolist() == [1, 1]
        assert write.relationships_exist(ids(0, 1)).tolist() == [False, True]


def test_schema_version_moves_with_names_and_rules_only(store: GraphStore) -> None:
    versions = []

    def run(change: str) -> None:
        with store.write() as write:
            if change in ("label", "both"):
                write.label_token("A")
            if change == "both":
                write.type_token("R")
                write.create_index("i", "node", 0, [write.property_token("p")])
            if change == "drop":
                write.drop_index(write.schema.indexes[0].id)
            write.create_nodes([()], [{}])
            write.commit()
        with store.read() as read:
            versions.append(read.schema.version)

    for change in ("nothing", "label", "label", "both", "nothing", "drop"):
        run(change)
    first = versions[0]
    assert versions == [first, first + 1, first + 1, first + 2, first + 2, first + 3]


def test_a_version_is_never_used_twice(store: GraphStore) -> None:
    with store.write() as write:
        child = write.child()
        child.label_token("A")
        aborted = child.schema.version
        child.abort()
        child = write.child()
        child.label_token("B")
        assert child.schema.version > aborted
        child.commit()
        before = write.schema.version
        write.label_token("C")
        assert write.schema.version > before
        last = write.schema.version
    with store.write() as write:
        write.label_token("D")
        assert write.schema.version > last


def test_last_statements_come_with_the_commit(store: GraphStore) -> None:
    assert store.last_statements() == (0, ())
    with store.write() as write:
        write.record_statements(7, [3, 4])
        assert store.last_statements() == (0, ())
        write.commit()
    assert store.last_statements() == (7, (3, 4))
    with store.write() as write:
        write.record_statements(8, [5])
    assert store.last_statements() == (7, (3, 4))
