"""What is asked once for nodes that come again is what asking for each row gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cypherd.batch.columns import IntArray, ObjectColumn
from cypherd.executor.operators.seek_values import seek
from cypherd.executor.repeats import (
    between,
    different,
    endpoints,
    expansions,
    have_label,
    properties_of,
)
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import Direction, ReadTransaction


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReadTransaction]:
    """40 nodes, each with up to 6 relationships to others, self-loops and pairs among them."""
    store = open_store(tmp_path_factory.mktemp("repeats"), map_size=64 * MIB, create=True)
    random = np.random.default_rng(7)
    with store.write() as transaction:
        even, key = transaction.label_token("Even"), transaction.property_token("n")
        owners = [(even,) if i % 2 == 0 else () for i in range(40)]
        nodes = transaction.create_nodes(owners, [{key: i % 5} for i in range(40)])
        starts, ends = random.integers(0, 40, 150), random.integers(0, 40, 150)
        types = [transaction.type_token("T" if i % 3 else "S") for i in range(150)]
        transaction.create_relationships(types, nodes[starts], nodes[ends], [{key: 1}] * 150)
        transaction.create_index("by_n", "node", even, [key])
        transaction.commit()
    with store.read() as reading:
        yield reading
    store.close()


def repeated(length: int, kinds: int, seed: int) -> IntArray:
    return np.random.default_rng(seed).integers(0, kinds, length).astype(np.int64)


CASES = [(3, 2), (20, 3), (200, 7), (200, 40), (1000, 1), (1000, 39)]


@pytest.mark.parametrize(("length", "kinds"), CASES)
def test_records(graph: ReadTransaction, length: int, kinds: int) -> None:
    ids = repeated(length, kinds, 1)
    key = graph.schema.property_id("n")
    label = graph.schema.label_id("Even")
    assert key is not None
    assert label is not None
    assert properties_of(graph, "node", ids, [key]) == graph.node_properties(ids, [key])
    assert have_label(graph, ids, label).tolist() == graph.has_label(ids, label).tolist()


@pytest.mark.parametrize(("length", "kinds"), [*CASES, (500, 160)])
def test_ends(graph: ReadTransaction, length: int, kinds: int) -> None:
    """There are 150 relationships, so some of the last case are not there."""
    ids = repeated(length, kinds, 5)
    found = [column.tolist() for column in endpoints(graph, ids)]
    assert found == [column.tolist() for column in graph.endpoints(ids)]


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize(("length", "kinds"), CASES)
@pytest.mark.parametrize("size", [8, 1024])
def test_expansions(
    graph: ReadTransaction, length: int, kinds: int, direction: Direction, size: int
) -> None:
    ids = repeated(length, kinds, 2)

    def rows(pieces: object) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for piece in pieces:  # type: ignore[attr-defined]
            found += zip(*(column.tolist() for column in piece), strict=True)
        assert [row for row, _, _ in found] == sorted(row for row, _, _ in found)
        return sorted(found)

    found = rows(expansions(graph, ids, direction, None, size))
    assert found == rows(graph.expand(ids, direction, None, size))


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize(("length", "kinds"), CASES)
@pytest.mark.parametrize("size", [8, 1024])
def test_pairs(
    graph: ReadTransaction, length: int, kinds: int, direction: Direction, size: int
) -> None:
    starts, ends = repeated(length, kinds, 3), repeated(length, 40, 4)
    found = between(graph, starts, ends, direction, None, size)
    wanted = graph.expand_into(starts, ends, direction, None)
    assert sorted(zip(found.row.tolist(), found.id.tolist(), strict=True)) == sorted(
        zip(wanted.row.tolist(), wanted.id.tolist(), strict=True)
    )


def test_few_or_different_ids_are_left_alone() -> None:
    assert different(np.zeros(3, dtype=np.int64)) is None
    assert different(np.arange(100, dtype=np.int64)) is None
    assert different(np.zeros(100, dtype=np.int64)) is not None


def test_equal_values_are_sought_once_and_kinds_kept_apart(graph: ReadTransaction) -> None:
    [index] = graph.schema.indexes
    values = [1, True, "1", 1.0, None, 1, 3, [1], True, 1]
    rows, ids = seek(graph, index, [ObjectColumn(values)], many=False)
    each = [seek(graph, index, [ObjectColumn([value])], many=False)[1] for value in values]
    expected = [(row, id_) for row, found in enumerate(each) for id_ in found.tolist()]
    assert list(zip(rows.tolist(), ids.tolist(), strict=True)) == expected
    assert len(ids) > 0
