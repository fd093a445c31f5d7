"""Exporting a graph and importing the files gives the same graph, whatever is in it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cypherd.errors import StoreError
from cypherd.exporter import export_store
from cypherd.importer import import_folder
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.points import Point
from cypherd.values.temporal import parsing
from cypherd.values.temporal.zones import UTC

MAP_SIZE = 1 << 26

# What a UTF-8 file can hold; a lone surrogate it cannot.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
awkward = st.sampled_from(["", ";", '"', '""', ",", "a;b", "\n", "\r\n", "\r", " ", "null", "\\"])
names = st.sampled_from(["A", "B", "x y", "p:int", ':LABEL"', "a,b", "é;", "id"])
integers = st.integers(-(1 << 63), (1 << 63) - 1)
temporal = st.sampled_from(
    [
        parsing.parse_date("-0044-03-15"),
        parsing.parse_date("+10000-01-01"),
        parsing.parse_local_time("23:59:59.999999999"),
        parsing.parse_time("10:00:00.5+02:30", UTC),
        parsing.parse_local_date_time("2015-07-21T10:00:01"),
        parsing.parse_date_time("2015-10-25T02:30+01:00[Europe/Berlin]"),
        parsing.parse_date_time("2015-10-25T02:30Z"),
        parsing.parse_duration("P1Y2M3DT4H5M6.789S"),
        parsing.parse_duration("P-1M2DT-0.000000001S"),
    ]
)
points = st.sampled_from(
    [
        Point(7203, (1.5, -2e-7)),
        Point(9157, (1.0, 2.0, 1e300)),
        Point(4326, (-179.5, 90.0)),
        Point(4979, (12.25, 55.0, -3.5)),
    ]
)
scalars = (
    st.booleans(),
    integers,
    st.floats(),
    texts | awkward,
    temporal,
    points,
)
lists = [st.lists(kind, max_size=3) for kind in (*scalars[:4], points)]
properties = st.dictionaries(names, st.one_of(*scalars, *lists), max_size=4)
nodes = st.lists(st.tuples(st.sets(names, max_size=2), properties), max_size=6)
relationships = st.lists(
    st.tuples(st.integers(0, 5), names, st.integers(0, 5), properties), max_size=8
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(nodes, relationships)
def test_the_same_again(
    given_nodes: list[tuple[set[str], dict[str, Any]]],
    given_relationships: list[tuple[int, str, int, dict[str, Any]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, files, second = (Path(folder) / name for name in ("first", "files", "second"))
        make(first, given_nodes, given_relationships)
        report = export_store(first, files, map_size=MAP_SIZE)
        again = import_folder(files, second, map_size=MAP_SIZE)
        assert (again.nodes, again.relationships) == (report.nodes, report.relationships)
        assert graph_of(second) == graph_of(first)


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "store", [({"A"}, {"id": "x\ud800"})], [])
    with pytest.raises(StoreError, match="half of a surrogate pair"):
        export_store(tmp_path / "store", tmp_path / "files", map_size=MAP_SIZE)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def make(
    path: Path,
    given_nodes: list[tuple[set[str], dict[str, Any]]],
    given_relationships: list[tuple[int, str, int, dict[str, Any]]],
) -> None:
    """Each node and relationship has a number of its own as `#`."""
    path.mkdir()
    store = open_store(path, map_size=MAP_SIZE, create=True)
    with store.write() as write:

        def stored(values: dict[str, Any], number: int) -> dict[int, Any]:
            return {write.property_token(k): v for k, v in {**values, "#": number}.items()}

        ids = write.create_nodes(
            [tuple(map(write.label_token, sorted(labels))) for labels, _ in given_nodes],
            [stored(values, number) for number, (_, values) in enumerate(given_nodes)],
        ).tolist()
        chosen = [row for row in given_relationships if max(row[0], row[2]) < len(ids)]
        write.create_relationships(
            [write.type_token(type_) for _, type_, _, _ in chosen],
            np.array([ids[start] for start, _, _, _ in chosen], dtype=np.int64),
            np.array([ids[end] for _, _, end, _ in chosen], dtype=np.int64),
            [stored(values, number) for number, (*_, values) in enumerate(chosen)],
        )
        write.commit()
    store.close()


def graph_of(path: Path) -> tuple[list[str], list[str]]:
    """Sound, and told by numbers instead of ids; values as text, which tells 1 from 1.0."""
    store = open_store(path, map_size=MAP_SIZE)
    assert store.check().sound
    with store.read() as read:
        ids = [node for batch in read.scan_nodes(None, 100) for node in batch.tolist()]
        found = [row for row in read.node_records(np.array(ids, dtype=np.int64)) if row is not None]
        values = [_named(read, row[1]) for row in found]
        numbers = dict(zip(ids, (row["#"] for row in values), strict=True))
        labels = [sorted(map(read.schema.label_name, row[0])) for row in found]
        told = [repr(row) for row in zip(labels, map(_shown, values), strict=True)]
        links = [
            repr((numbers[start], read.schema.type_name(type_), numbers[end], _shown(row)))
            for rows in read.scan_relationships(None, 100)
            for type_, start, end, raw in filter(None, read.relationship_records(rows.id))
            for row in [_named(read, raw)]
        ]
    store.close()
    return sorted(told), sorted(links)


def _named(read: ReadTransaction, values: dict[int, Any]) -> dict[str, Any]:
    return {read.schema.property_name(key): value for key, value in values.items()}


def _shown(values: dict[str, Any]) -> list[tuple[str, str, str]]:
    return sorted((name, type(value).__name__, repr(value)) for name, value in values.items())
