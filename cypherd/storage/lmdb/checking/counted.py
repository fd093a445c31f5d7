"""Table `counts` against what was counted in the other tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.storage.lmdb.checking.findings import Findings
from cypherd.storage.lmdb.checking.indexed import CheckedIndex
from cypherd.storage.lmdb.checking.nodes import CheckedNodes
from cypherd.storage.lmdb.checking.relationships import CheckedRelationships
from cypherd.storage.lmdb.counting import LmdbCounts, distinct_key, entries_key, explain_key
from cypherd.storage.lmdb.layout import Tables, unpack_count


def check_counts(
    txn: Any,
    tables: Tables,
    nodes: CheckedNodes,
    relationships: CheckedRelationships,
    indexes: dict[int, CheckedIndex],
    findings: Findings,
) -> None:
    counted = LmdbCounts(txn, tables)
    counted.add_nodes((), len(nodes.ids))
    for label, amount in _tally(nodes.label):
        counted.add_label(label, amount)
    for type_, amount in _tally(relationships.type):
        counted.add_relationships(type_, (), (), amount)
    for label in np.unique(nodes.label).tolist():
        members = nodes.member[nodes.label == label]
        for type_, amount in _tally(relationships.type[np.isin(relationships.start, members)]):
            counted.add_started(label, type_, amount)
        for type_, amount in _tally(relationships.type[np.isin(relationships.end, members)]):
            counted.add_ended(label, type_, amount)
    for index_id, index in indexes.items():
        counted.add(entries_key(index_id), index.entries)
        counted.add(distinct_key(index_id), index.distinct)
    _compare(txn, tables, counted.deltas, findings)


def _tally(ids: IntArray) -> list[tuple[int, int]]:
    found, amounts = np.unique(ids, return_counts=True)
    return list(zip(found.tolist(), amounts.tolist(), strict=True))


def _compare(txn: Any, tables: Tables, expected: dict[bytes, int], findings: Findings) -> None:
    stored = {key: int(unpack_count(data)[0]) for key, data in txn.cursor(db=tables.counts)}
    for key in sorted(expected.keys() | stored.keys()):
        right, there = expected.get(key, 0), stored.get(key, 0)
        if right != there:
            findings.add("counts", f"the count of {explain_key(key)} is {there}, not {right}")
