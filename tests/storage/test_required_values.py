"""Contract: existence constraints and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from cypherd.batch.columns import EntityKind, IntArray
from cypherd.errors import ConstraintValidationFailed, SchemaRuleExists
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.writing import LmdbWriteTransaction
from cypherd.storage.protocols import GraphStore, WriteTransaction

Ids = Callable[..., IntArray]
P, Q = 0, 1
V, W = 0, 1
KNOWS = 0


@pytest.fixture
def write(store: GraphStore) -> Iterator[WriteTransaction]:
    with store.write() as transaction:
        for label in ("Person", "City"):
            transaction.label_token(label)
        transaction.type_token("KNOWS")
        for key in ("id", "name"):
            transaction.property_token(key)
        yield transaction


@pytest.fixture
def demanding(write: WriteTransaction, ids: Ids) -> WriteTransaction:
    """Nodes 0 and 1 and relationship 0 have what is demanded of them; node 2 is free."""
    write.create_constraint("node", "existence", "node", P, [V])
    write.create_constraint("relationship", "existence", "relationship", KNOWS, [W])
    write.create_nodes([(P,), (P, Q), (Q,)], [{V: 1}, {V: 2}, {}])
    write.create_relationships([KNOWS], ids(0), ids(1), [{W: "w"}])
    write.end_statement()
    return write


BREAKS: dict[str, Callable[[WriteTransaction, Ids], object]] = {
    "created": lambda write, ids: write.create_nodes([(P,)], [{W: 1}]),
    "created with null": lambda write, ids: write.create_nodes([(P,)], [{V: None}]),
    "removed": lambda write, ids: write.set_node_properties(ids(1), [{V: None}]),
    "label": lambda write, ids: write.add_labels(ids(2), [P]),
    "relationship created": lambda write, ids: write.create_relationships(
        [KNOWS], ids(2), ids(0), [{V: 1}]
    ),
    "relationship removed": lambda write, ids: write.set_relationship_properties(
        ids(0), [{W: None}]
    ),
}
RELEASES: dict[str, Callable[[WriteTransaction, Ids], object]] = {
    "created": lambda write, ids: write.set_node_properties(ids(3), [{V: 0}]),
    "created with null": lambda write, ids: write.delete_nodes(ids(3)),
    "removed": lambda write, ids: write.remove_labels(ids(1), [P]),
    "label": lambda write, ids: write.set_node_properties(ids(2), [{V: False}]),
    "relationship created": lambda write, ids: write.delete_relationships(ids(1)),
    "relationship removed": lambda write, ids: write.set_relationship_properties(ids(0), [{W: ""}]),
}


@pytest.mark.parametrize("how", BREAKS)
def test_what_lacks_a_property_cannot_be_committed(
    demanding: WriteTransaction, ids: Ids, how: str
) -> None:
    BREAKS[how](demanding, ids)
    for _ in range(2):
        with pytest.raises(ConstraintValidationFailed):
            demanding.end_statement()
    with pytest.raises(ConstraintValidationFailed):
        demanding.commit()


@pytest.mark.parametrize("how", BREAKS)
def test_it_may_lack_it_for_a_while(
    store: GraphStore, demanding: WriteTransaction, ids: Ids, how: str
) -> None:
    BREAKS[how](demanding, ids)
    RELEASES[how](demanding, ids)
    demanding.end_statement()
    demanding.commit()
    with store.read() as read:
        assert read.counts.nodes() >= 3


@pytest.mark.parametrize("how", BREAKS)
def test_a_dropped_constraint_demands_nothing(
    demanding: WriteTransaction, ids: Ids, how: str
) -> None:
    BREAKS[how](demanding, ids)
    for constraint in list(demanding.schema.constraints):
        demanding.drop_constraint(constraint.id)
    demanding.end_statement()
    demanding.commit()


def test_messages_are_neo4js_and_name_the_first(demanding: WriteTransaction, ids: Ids) -> None:
    demanding.set_relationship_properties(ids(0), [{W: None}])
    with pytest.raises(ConstraintValidationFailed) as caught:
        demanding.end_statement()
    assert caught.value.message == (
        "Relationship(0) with type `KNOWS` must have the property `name`"
    )
    demanding.set_node_properties(ids(1, 0), [{V: None}, {V: None}])
    with pytest.raises(ConstraintValidationFailed) as caught:
        demanding.end_statement()
    assert caught.value.message == "Node(0) with label `Person` must have the property `id`"


@pytest.mark.parametrize("ending", ["commit", "abort"])
def test_what_a_child_leaves(demanding: WriteTransaction, ids: Ids, ending: str) -> None:
    child = demanding.child()
    child.create_nodes([(P,)], [{}])
    getattr(child, ending)()
    if ending == "abort":
        demanding.end_statement()
        demanding.commit()
        return
    with pytest.raises(ConstraintValidationFailed):
        demanding.commit()


def test_a_child_may_settle_what_its_parent_left(demanding: WriteTransaction, ids: Ids) -> None:
    demanding.create_nodes([(P,)], [{}])
    child = demanding.child()
    with pytest.raises(ConstraintValidationFailed):
        child.end_statement()
    child.set_node_properties(ids(3), [{V: 1}])
    child.commit()
    demanding.commit()


@pytest.mark.parametrize("entity", ["node", "relationship"])
@pytest.mark.parametrize("kind", ["existence", "key"])
def test_constraint_over_data_that_break_it(
    write: WriteTransaction, ids: Ids, entity: EntityKind, kind: str
) -> None:
    write.create_nodes([(P,)] * 3, [{V: 1}, {}, {}])
    write.create_relationships([KNOWS] * 2, ids(0, 1), ids(1, 2), [{V: 1}, {W: 1}])
    with pytest.raises(ConstraintValidationFailed, match=r"\(1\) with (label|type)"):
        write.create_constraint(None, kind, entity, 0, [V])


def test_rules_beside_each_other(write: WriteTransaction) -> None:
    write.create_constraint("a", "existence", "node", P, [V])
    with pytest.raises(SchemaRuleExists, match="called `a`"):
        write.create_constraint("a", "existence", "node", P, [W])
    with pytest.raises(SchemaRuleExists, match="called `a`"):
        write.create_index("a", "node", P, [W])
    with pytest.raises(SchemaRuleExists, match=r"existence constraint on .* named `a`"):
        write.create_constraint("b", "existence", "node", P, [V])
    write.create_constraint(None, "uniqueness", "node", P, [V])
    write.create_constraint(None, "existence", "relationship", KNOWS, [V])
    key = write.create_constraint(None, "key", "node", P, [V, W])
    names = [constraint.name for constraint in write.schema.constraints]
    assert len(set(names)) == 4
    with pytest.raises(SchemaRuleExists, match="key constraint on"):
        write.create_constraint(None, "uniqueness", "node", P, [V, W])
    write.drop_constraint(key.id)
    assert [index.name for index in write.schema.indexes] == [names[1]]


def test_constraints_are_there_after_reopening(
    store: GraphStore, demanding: WriteTransaction
) -> None:
    before = list(demanding.schema.constraints)
    demanding.commit()
    with store.write() as write:
        assert list(write.schema.constraints) == before
        write.create_nodes([(P,)], [{}])
        with pytest.raises(ConstraintValidationFailed):
            write.commit()


@pytest.mark.parametrize("values", [{V: 1}, {W: 1}], ids=["kept", "broken"])
def test_loading_in_bulk(store: GraphStore, values: dict[int, int]) -> None:
    with store.write() as write:
        assert isinstance(write, LmdbWriteTransaction)
        write.label_token("Person")
        write.property_token("id")
        write.property_token("name")
        write.create_constraint(None, "existence", "node", P, [V])
        load = BulkLoad(write)
        load.add_nodes([(P,)], [values])
        load.finish()
        if V in values:
            write.fill_indexes()
            write.commit()
            return
        with pytest.raises(ConstraintValidationFailed, match=r"Node\(0\) with label `Person`"):
            write.fill_indexes()
