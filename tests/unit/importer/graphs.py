"""Reading what an import made: a sound store, as lists that compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction

MAP_SIZE = 1 << 28

Node = tuple[list[str], dict[str, Any]]
Relationship = tuple[int, str, int, dict[str, Any]]


def graph_of(path: Path) -> tuple[list[Node], list[Relationship]]:
    """Nodes in the order of their ids, and relationships with the places of their ends in that
    list. Fails where `check` finds a fault."""
    store = open_store(path, map_size=MAP_SIZE, max_readers=8)
    try:
        report = store.check()
        assert report.sound, report.findings
        with store.read() as read:
            return _nodes(read), _relationships(read)
    finally:
        store.close()


def _nodes(read: ReadTransaction) -> list[Node]:
    names = read.schema.property_name
    return [
        (sorted(map(read.schema.label_name, labels)), {names(k): v for k, v in values.items()})
        for ids in read.scan_nodes(None, 1000)
        for labels, values in filter(None, read.node_records(ids))
    ]


def _relationships(read: ReadTransaction) -> list[Relationship]:
    places = {
        node: place
        for place, node in enumerate(
            node for ids in read.scan_nodes(None, 1000) for node in ids.tolist()
        )
    }
    names = read.schema.property_name
    return [
        (
            places[start],
            read.schema.type_name(type_),
            places[end],
            {names(k): v for k, v in values.items()},
        )
        for rows in read.scan_relationships(None, 1000)
        for type_, start, end, values in filter(None, read.relationship_records(rows.id))
    ]
