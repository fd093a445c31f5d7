"""Table `nodes` against `labels` and the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.checking.catalog import Catalog
from cypherd.storage.lmdb.checking.decoding import decoded
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.layout import Tables, unpack_id

STEP = 50_000
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class CheckedNodes:
    """`ids` ascending. Pairs (`label[i]`, `member[i]`) say which node has which label, by
    label, then node."""

    ids: IntArray
    label: IntArray
    member: IntArray

    def there(self, nodes: IntArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return np.isin(nodes, self.ids, assume_unique=False)


def check_nodes(
    txn: Any, tables: Tables, catalog: Catalog, findings: Findings, progress: Progress
) -> CheckedNodes:
    total = txn.stat(tables.nodes)["entries"]
    ids: list[int] = []
    pairs: list[tuple[int, int]] = []
    for key, data in txn.cursor(db=tables.nodes):
        number = int(unpack_id(key)[0])
        ids.append(number)
        if len(ids) % STEP == 0:
            progress("nodes", len(ids), total)
        record = decoded("nodes", f"node {number}", data, 2, findings)
        if record is None:
            continue
        labels, properties = record
        if labels != sorted(set(labels)) or any(label >= catalog.labels for label in labels):
            findings.add("nodes", f"node {number} has the labels {labels}")
        check_keys("nodes", f"node {number}", properties, catalog, findings)
        pairs.extend((label, number) for label in labels)
    progress("nodes", total, total)
    if ids and ids[-1] >= catalog.next_node:
        findings.add("meta", f"node {ids[-1]} has the id of a coming node")
    label, member = as_columns(pairs, 2)
    order = np.lexsort((member, label))
    nodes = CheckedNodes(np.array(ids, dtype=np.int64), label[order], member[order])
    _compare_labels(txn, tables, nodes, findings)
    return nodes


def check_keys(
    table: str, what: str, properties: dict[int, Any], catalog: Catalog, findings: Findings
) -> None:
    unknown = [key for key in properties if key >= catalog.keys]
    if unknown:
        findings.add(table, f"{what} has a property whose key {unknown[0]} has no name")


def as_columns(rows: Iterable[tuple[int, ...]], width: int) -> list[IntArray]:
    table = np.array(list(rows), dtype=np.int64).reshape(-1, width)
    return [np.ascontiguousarray(table[:, column]) for column in range(width)]


def _compare_labels(txn: Any, tables: Tables, nodes: CheckedNodes, findings: Findings) -> None:
    stored = [
        (int(unpack_id(key)[0]), int(unpack_id(value)[0]))
        for key, value in txn.cursor(db=tables.labels)
    ]
    expected = set(zip(nodes.label.tolist(), nodes.member.tolist(), strict=True))
    for label, node in sorted(expected.difference(stored)):
        findings.add("labels", f"node {node} is missing under its label {label}")
    for label, node in sorted(set(stored) - expected):
        findings.add("labels", f"node {node} stands under label {label}, which it has not")
