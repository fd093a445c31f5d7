"""Table `nodes` against `labels` and the catalog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.checking.catalog import Catalog
from cypherd.storage.lmdb.checking.decoding import decoded
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.checking.rows import Rows
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
    ids, pairs = Rows(1), Rows(2)
    for key, data in txn.cursor(db=tables.nodes):
        number = int(unpack_id(key)[0])
        ids.add((number,))
        if len(ids) % STEP == 0:
            progress("nodes", len(ids), total)
        record = decoded("nodes", f"node {number}", data, 2, findings)
        if record is None:
            continue
        labels, properties = record
        if labels != sorted(set(labels)) or any(label >= catalog.labels for label in labels):
            findings.add("nodes", f"node {number} has the labels {labels}")
        check_keys("nodes", f"node {number}", properties, catalog, findings)
        for label in labels:
            pairs.add((label, number))
    progress("nodes", total, total)
    (known,) = ids.columns()
    if len(known) and known[-1] >= catalog.next_node:
        findings.add("meta", f"node {known[-1]} has the id of a coming node")
    label, member = pairs.columns()
    order = np.lexsort((member, label))
    nodes = CheckedNodes(known, label[order], member[order])
    _compare_labels(txn, tables, nodes, findings)
    return nodes


def check_keys(
    table: str, what: str, properties: dict[int, Any], catalog: Catalog, findings: Findings
) -> None:
    unknown = [key for key in properties if key >= catalog.keys]
    if unknown:
        findings.add(table, f"{what} has a property whose key {unknown[0]} has no name")


def _compare_labels(txn: Any, tables: Tables, nodes: CheckedNodes, findings: Findings) -> None:
    rows = Rows(2)
    for key, value in txn.cursor(db=tables.labels):
        rows.add((int(unpack_id(key)[0]), int(unpack_id(value)[0])))
    label, member = rows.columns()
    if np.array_equal(label, nodes.label) and np.array_equal(member, nodes.member):
        return
    stored = set(zip(label.tolist(), member.tolist(), strict=True))
    expected = set(zip(nodes.label.tolist(), nodes.member.tolist(), strict=True))
    for label, node in sorted(expected.difference(stored)):
        findings.add("labels", f"node {node} is missing under its label {label}")
    for label, node in sorted(stored - expected):
        findings.add("labels", f"node {node} stands under label {label}, which it has not")
