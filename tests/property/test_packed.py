"""Properties read out of packed records are those that unpacking gives."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.batch import kernels
from cypherd.settings import GIB
from cypherd.storage.lmdb.layout import packb, unpackb
from cypherd.storage.lmdb.packed import FEWEST, properties_of
from cypherd.storage.lmdb.store import LmdbStore, open_store
from tests.property.temporal_values import POINTS, TEMPORAL

INTEGERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([-129, -128, -33, -32, -1, 0, 127, 128, 255, 256, 2**31, 2**32, -(2**31) - 1]),
)
TEXTS = st.one_of(
    st.text(max_size=40), st.sampled_from(["", "a", "é", "\ud800", "x" * 31, "x" * 32, "x" * 300])
)
SCALARS = st.one_of(INTEGERS, st.floats(), TEXTS, st.booleans())
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=3),
    st.just(list(range(20))),
    st.just("y" * 70_000),
    TEMPORAL,
    POINTS,
    st.lists(POINTS, max_size=3),
    st.lists(TEMPORAL, max_size=3),
)
KEYS = st.one_of(st.integers(0, 6), st.sampled_from([127, 128, 255, 256, 65_535, 65_536]))
MAPS = st.dictionaries(KEYS, VALUES, max_size=20)
LABELS = st.lists(st.integers(0, 70_000), max_size=20)


def _compiled() -> ModuleType:
    assert kernels.load()
    compiled = kernels.loaded()
    assert compiled is not None
    return compiled


def _same(left: Any, right: Any) -> bool:
    """Equal and of one type, all the way down; -0.0 is not 0.0, NaN is itself."""
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and left == right


@settings(deadline=None)
@given(st.lists(st.tuples(LABELS, MAPS), min_size=1, max_size=12), st.lists(KEYS, max_size=4))
def test_of_nodes(records: list[tuple[list[int], dict[int, Any]]], keys: list[int]) -> None:
    _check([packb([labels, values]) for labels, values in records], keys, 1)


@settings(deadline=None)
@given(st.lists(MAPS, min_size=1, max_size=12), st.lists(KEYS, max_size=4), st.integers(0, 2**48))
def test_of_relationships(maps: list[dict[int, Any]], keys: list[int], node: int) -> None:
    _check([packb([3, node, 2**48 - 1, values]) for values in maps], keys, 3)


def _check(packed: list[bytes], keys: list[int], before: int) -> None:
    found = properties_of(packed, keys, before, _compiled())
    maps = [unpackb(data)[-1] for data in packed]
    assert _same(found, [[values.get(key) for values in maps] for key in keys])


@given(st.lists(st.text(max_size=3), min_size=1, max_size=200))
def test_equal_texts_get_one_number(texts: list[str]) -> None:
    [found] = properties_of([packb([[], {0: t}]) for t in texts], [0], 1, _compiled())
    assert found == texts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    store = open_store(tmp_path, map_size=GIB, create=True)
    yield store
    store.close()


def test_of_nodes_in_a_store_with_gaps_repeats_and_unknown_ids(store: LmdbStore) -> None:
    assert kernels.load()
    with store.write() as writing:
        key = writing.property_token("x")
        nodes = writing.create_nodes([()] * 200, [{key: i} for i in range(200)])
        writing.delete_nodes(nodes[50:60])
        writing.commit()
    with store.read() as reading:
        for ids in (np.arange(50), np.arange(100, 200), np.arange(300), np.arange(40, 90),
                    np.repeat(nodes[45:65], 4), nodes[::-1], np.append(nodes, -1),
                    np.full(FEWEST, 55)):  # fmt: skip
            wanted = [i if 0 <= i < 200 and not 50 <= i < 60 else None for i in ids.tolist()]
            assert reading.node_properties(ids.astype(np.int64), [key]) == [wanted]


def test_labels_and_properties_from_one_look(store: LmdbStore) -> None:
    assert kernels.load()
    with store.write() as writing:
        key = writing.property_token("x")
        tokens = [writing.label_token(f"L{i}") for i in range(300)]
        sets = [tuple(tokens[i] for i in (1, 2, 130, 299) if n % (i % 7 + 2)) for n in range(200)]
        nodes = writing.create_nodes(sets, [{key: i} for i in range(200)])
        writing.delete_nodes(nodes[50:60])
        writing.commit()
    with store.read() as reading:
        for ids in (
            nodes[:5],
            nodes,
            nodes[::-1],
            np.repeat(nodes[45:65], 4),
            np.append(nodes, -1),
        ):
            for label in (tokens[0], tokens[1], tokens[130], tokens[299]):
                have, [values] = reading.labelled_properties(ids, label, [key])
                assert have.tolist() == reading.has_label(ids, label).tolist()
                assert [values] == reading.node_properties(ids, [key])
        have, values = reading.labelled_properties(np.zeros(0, np.int64), tokens[1], [key])
        assert (have.tolist(), values) == ([], [[]])
