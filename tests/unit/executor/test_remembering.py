"""What is remembered of a variable is what the store gives, and is not asked for again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cypherd.batch.columns import EntityKind, IntArray
from cypherd.executor.context import OperatorProfile
from cypherd.executor.profile import counting
from cypherd.executor.remembering import Remembered, properties_together
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction

COUNT = 30
A, B, LABEL = 0, 1, 0


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadTransaction]:
    """Nodes and relationships with the same ids and other values; every third node has a label."""
    store = open_store(tmp_path_factory.mktemp("remembering"), map_size=64 * MIB, create=True)
    with store.write() as writing:
        a, b = writing.property_token("a"), writing.property_token("b")
        assert (a, b, writing.label_token("L")) == (A, B, LABEL)
        labels = [() if i % 3 else (LABEL,) for i in range(COUNT)]
        nodes = writing.create_nodes(labels, [{a: i, b: str(i)} for i in range(COUNT)])
        types = [writing.type_token("T")] * COUNT
        writing.create_relationships(types, nodes, nodes, [{a: -i} for i in range(COUNT)])
        writing.commit()
    with store.read() as reading:
        yield reading
    store.close()


@pytest.fixture
def hits() -> OperatorProfile:
    return OperatorProfile()


@pytest.fixture
def counted(graph: ReadTransaction, hits: OperatorProfile) -> ReadTransaction:
    return counting(graph, hits)


def ids(*numbers: int) -> IntArray:
    return np.array(numbers, dtype=np.int64)


def test_each_of_a_batch_is_read_once(counted: ReadTransaction, hits: OperatorProfile) -> None:
    remembered = Remembered()
    wanted = ids(4, 2, 4, 4, 2)
    found = properties_together(counted, remembered, "node", wanted, [A], [A, B])
    assert (found, hits.store_hits) == ([[4, 2, 4, 4, 2]], 2)
    found = properties_together(counted, remembered, "node", ids(2, 4, 2), [B, A], [])
    assert (found, hits.store_hits) == ([["2", "4", "2"], [2, 4, 2]], 2)


@pytest.mark.parametrize(
    ("kind", "wanted", "key", "values"),
    [
        pytest.param("node", ids(4, 5), A, [4, 5], id="another node"),
        pytest.param("node", ids(4, 2), B, ["4", "2"], id="another key"),
        pytest.param("relationship", ids(4, 2), A, [-4, -2], id="relationships with the same ids"),
        pytest.param("node", ids(4, COUNT), A, [4, None], id="a node that is not there"),
    ],
)
def test_what_is_not_remembered_is_read(
    counted: ReadTransaction,
    hits: OperatorProfile,
    kind: EntityKind,
    wanted: IntArray,
    key: int,
    values: list[object],
) -> None:
    remembered = Remembered()
    properties_together(counted, remembered, "node", ids(4, 2), [A], [])
    found = properties_together(counted, remembered, kind, wanted, [key], [])
    assert (found, hits.store_hits) == ([values], 4)


def test_one_batch_is_remembered(counted: ReadTransaction, hits: OperatorProfile) -> None:
    remembered = Remembered()
    for start in range(0, COUNT, 10):
        batch = np.arange(start, start + 10)
        properties_together(counted, remembered, "node", batch, [A], [B])
        assert len(remembered.places) == len(remembered.values[B]) == 10
    assert hits.store_hits == COUNT


def test_labels_are_read_with_properties(counted: ReadTransaction, hits: OperatorProfile) -> None:
    remembered = Remembered()
    nodes = [3, 1, 3, 0, COUNT]
    have = remembered.read_with_label(counted, nodes, LABEL, [A])
    assert have.tolist() == [True, False, True, True, False]
    found = properties_together(counted, remembered, "node", ids(0, 3), [A], [])
    assert (found, hits.store_hits) == ([[0, 3]], 4)
