"""Random changes against a model of plain dictionaries: reads, counts, indexes, aborts."""

from __future__ import annotations

import copy
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cypherd.storage.lmdb.store import open_store
from cypherd.storage.lmdb.writing import MANY
from cypherd.storage.protocols import IndexDescriptor, ReadTransaction, WriteTransaction
from cypherd.values.ordering import sort_key
from cypherd.values.temporal import Date
from cypherd.values.temporal.duration import duration_of
from cypherd.values.temporal.model import NANOS, zoned

LABELS, TYPES, KEYS = range(3), range(2), range(2)
LONG = "long " * 120
NOON = zoned(0, 12 * 3600 * NANOS, "Europe/Berlin")
DAY = duration_of(0, 1, 0)
VALUES = st.sampled_from(
    [1, 1.0, 2, True, "a", "b", LONG, LONG + "x", LONG + "y", [1], None, NOON, DAY, [Date(7)]]
)
PROPERTIES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2)
LABEL_SETS = st.sets(st.sampled_from(LABELS), max_size=2)
PICK = st.integers(0, 30)

STEPS = st.one_of(
    st.tuples(st.just("node"), LABEL_SETS, PROPERTIES),
    st.tuples(st.just("relationship"), st.sampled_from(TYPES), PICK, PICK, PROPERTIES),
    st.tuples(
        st.just("many nodes"),
        st.lists(st.tuples(LABEL_SETS, PROPERTIES), min_size=MANY, max_size=2 * MANY),
    ),
    st.tuples(
        st.just("many relationships"),
        st.lists(
            st.tuples(st.sampled_from(TYPES), PICK, PICK, PROPERTIES),
            min_size=MANY,
            max_size=2 * MANY,
        ),
    ),
    st.tuples(st.just("set node"), PICK, PROPERTIES),
    st.tuples(st.just("set relationship"), PICK, PROPERTIES),
    st.tuples(st.just("label"), PICK, LABEL_SETS),
    st.tuples(st.just("unlabel"), PICK, LABEL_SETS),
    st.tuples(st.just("delete relationship"), PICK),
    st.tuples(st.just("detach delete"), PICK),
    st.tuples(st.sampled_from(["begin", "commit", "abort"])),
)


@dataclass
class Model:
    nodes: dict[int, tuple[set[int], dict[int, Any]]] = field(default_factory=dict)
    relationships: dict[int, tuple[int, int, int, dict[int, Any]]] = field(default_factory=dict)
    next_node: int = 0
    next_relationship: int = 0

    def node(self, pick: int) -> int | None:
        return sorted(self.nodes)[pick % len(self.nodes)] if self.nodes else None

    def relationship(self, pick: int) -> int | None:
        ids = sorted(self.relationships)
        return ids[pick % len(ids)] if ids else None

    def attached(self, node: int) -> list[int]:
        return [r for r, (_, s, e, _) in self.relationships.items() if node in (s, e)]


def one(number: int) -> Any:
    return np.array([number], dtype=np.int64)


def update(properties: dict[int, Any], change: dict[int, Any]) -> None:
    properties.update(change)
    for key in [key for key, value in properties.items() if value is None]:
        del properties[key]


def apply(step: tuple[Any, ...], model: Model, write: WriteTransaction) -> None:
    match step:
        case ("node", labels, properties):
            made = write.create_nodes([tuple(labels)], [properties])
            assert made.tolist() == [model.next_node]
            model.nodes[model.next_node] = (set(labels), {})
            update(model.nodes[model.next_node][1], properties)
            model.next_node += 1
        case ("relationship", type_, first, second, properties) if model.nodes:
            start, end = model.node(first), model.node(second)
            assert start is not None
            assert end is not None
            write.create_relationships([type_], one(start), one(end), [properties])
            model.relationships[model.next_relationship] = (type_, start, end, {})
            update(model.relationships[model.next_relationship][3], properties)
            model.next_relationship += 1
        case ("many nodes", given):
            first = model.next_node
            made = write.create_nodes(
                [tuple(labels) for labels, _ in given], [dict(values) for _, values in given]
            )
            assert made.tolist() == list(range(first, first + len(given)))
            for labels, properties in given:
                model.nodes[model.next_node] = (set(labels), {})
                update(model.nodes[model.next_node][1], properties)
                model.next_node += 1
        case ("many relationships", given) if model.nodes:
            starts = [model.node(first) or 0 for _, first, _, _ in given]
            ends = [model.node(second) or 0 for _, _, second, _ in given]
            write.create_relationships(
                [type_ for type_, _, _, _ in given],
                np.array(starts, dtype=np.int64),
                np.array(ends, dtype=np.int64),
                [dict(values) for *_, values in given],
            )
            for (type_, _, _, properties), start, end in zip(given, starts, ends, strict=True):
                model.relationships[model.next_relationship] = (type_, start, end, {})
                update(model.relationships[model.next_relationship][3], properties)
                model.next_relationship += 1
        case ("set node", pick, properties) if model.nodes:
            node = model.node(pick)
            assert node is not None
            write.set_node_properties(one(node), [properties])
            update(model.nodes[node][1], properties)
        case ("set relationship", pick, properties) if model.relationships:
            relationship = model.relationship(pick)
            assert relationship is not None
            write.set_relationship_properties(one(relationship), [properties])
            update(model.relationships[relationship][3], properties)
        case ("label", pick, labels) if model.nodes:
            node = model.node(pick)
            assert node is not None
            new = len(labels - model.nodes[node][0])
            assert write.add_labels(one(node), list(labels)) == new
            model.nodes[node][0].update(labels)
        case ("unlabel", pick, labels) if model.nodes:
            node = model.node(pick)
            assert node is not None
            gone = len(labels & model.nodes[node][0])
            assert write.remove_labels(one(node), list(labels)) == gone
            model.nodes[node][0].difference_update(labels)
        case ("delete relationship", pick) if model.relationships:
            relationship = model.relationship(pick)
            assert relationship is not None
            write.delete_relationships(one(relationship))
            del model.relationships[relationship]
        case ("detach delete", pick) if model.nodes:
            node = model.node(pick)
            assert node is not None
            attached = model.attached(node)
            write.delete_relationships(np.array(attached, dtype=np.int64))
            write.delete_nodes(one(node))
            for relationship in attached:
                del model.relationships[relationship]
            del model.nodes[node]


def check(read: ReadTransaction, model: Model, indexes: list[IndexDescriptor]) -> None:
    ids = np.array(sorted(model.nodes), dtype=np.int64)
    scanned = [n for piece in read.scan_nodes(None, 3) for n in piece.tolist()]
    assert scanned == ids.tolist()
    records = read.node_records(ids)
    assert records == [(tuple(sorted(model.nodes[n][0])), model.nodes[n][1]) for n in scanned]
    rows = [
        row
        for piece in read.scan_relationships(None, 3)
        for row in zip(*(column.tolist() for column in piece), strict=True)
    ]
    assert rows == [(r, *model.relationships[r][:3]) for r in sorted(model.relationships)]
    check_adjacency(read, model, ids)
    check_counts(read, model)
    for index in indexes:
        check_index(read, model, index)


def check_adjacency(read: ReadTransaction, model: Model, ids: Any) -> None:
    found = Counter[tuple[int, int, int]]()
    for piece in read.expand(ids, "both", None, 2):
        rows = ids[piece.row]
        found.update(
            zip(rows.tolist(), piece.relationship.tolist(), piece.neighbour.tolist(), strict=True)
        )
    expected = Counter[tuple[int, int, int]]()
    for relationship, (_, start, end, _) in model.relationships.items():
        expected.update({(start, relationship, end), (end, relationship, start)})
    assert found == expected
    degrees = Counter(node for node, _, _ in expected.elements())
    assert read.degree(ids, "both", None).tolist() == [degrees[n] for n in ids.tolist()]


def check_counts(read: ReadTransaction, model: Model) -> None:
    counts = read.counts
    assert counts.nodes() == len(model.nodes)
    for label in LABELS:
        members = {n for n, (labels, _) in model.nodes.items() if label in labels}
        assert counts.nodes(label) == len(members)
        for type_ in (None, *TYPES):
            of_type = [r for r in model.relationships.values() if type_ in (None, r[0])]
            assert counts.relationships(type_) == len(of_type)
            starting = sum(r[1] in members for r in of_type)
            assert counts.relationships(type_, start_label=label) == starting
            ending = sum(r[2] in members for r in of_type)
            assert counts.relationships(type_, end_label=label) == ending


def check_index(read: ReadTransaction, model: Model, index: IndexDescriptor) -> None:
    if index.kind == "node":
        owned = {n: p for n, (labels, p) in model.nodes.items() if index.owner in labels}
    else:
        owned = {r: row[3] for r, row in model.relationships.items() if row[0] == index.owner}
    entries = {
        entity: tuple(properties[key] for key in index.properties)
        for entity, properties in owned.items()
        if all(key in properties for key in index.properties)
    }
    assert read.counts.index_entries(index.id) == len(entries)
    keys = {entity: tuple(map(sort_key, values)) for entity, values in entries.items()}
    asked = [*entries.values(), ("nothing",) * len(index.properties)]
    found = read.index_seek(index, asked)
    expected = [
        (row, entity)
        for row, values in enumerate(asked)
        for entity in sorted(keys)
        if keys[entity] == tuple(map(sort_key, values))
    ]
    assert list(zip(found.row.tolist(), found.id.tolist(), strict=True)) == expected
    if len(index.properties) == 1:
        pieces = read.index_range(index, None, True, None, True, 2)
        in_order = [entity for piece in pieces for entity in piece.tolist()]
        assert in_order == sorted(entries, key=lambda entity: (keys[entity], entity))
        if not any(len(str(values[0])) > 400 for values in entries.values()):
            assert read.counts.index_distinct(index.id) == len(set(keys.values()))


def make_rules(write: WriteTransaction) -> list[IndexDescriptor]:
    for name in "ABC":
        write.label_token(name)
    for name in "ST":
        write.type_token(name)
    for name in "pq":
        write.property_token(name)
    return [
        write.create_index(None, "node", 0, [0]),
        write.create_index(None, "node", 1, [1, 0]),
        write.create_index(None, "relationship", 0, [1]),
    ]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STEPS, min_size=15, max_size=50))
def test_store_agrees_with_model(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder), map_size=1 << 28, max_readers=4, create=True)
        outer = store.write()
        indexes = make_rules(outer)
        model, saved = Model(), Model()
        child: WriteTransaction | None = None
        for step in steps:
            match step, child:
                case (("begin",), None):
                    child, saved = outer.child(), copy.deepcopy(model)
                case (("commit",), open_child) if open_child is not None:
                    open_child.commit()
                    child = None
                case (("abort",), open_child) if open_child is not None:
                    open_child.abort()
                    child, model = None, saved
                case _:
                    apply(step, model, child or outer)
        check(child or outer, model, indexes)
        if child is not None:
            child.commit()
        outer.commit()
        with store.read() as read:
            check(read, model, indexes)
        with store.write() as write:
            late = write.create_index("late", "node", 2, [1])
            check(write, model, [late])
        store.close()
