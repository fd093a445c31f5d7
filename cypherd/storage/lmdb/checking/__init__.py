"""`cypherd check`: every table of a store held against the others, in one snapshot.

    catalog      names, descriptors, counters             -> what the rest may refer to
    nodes        records <-> labels                       -> label ids of every node
    relationships records <-> nodes, out, in              -> types and ends
    indexes      records <-> index, uniqueness, existence
    counts       what was counted on the way <-> counts

Arrays of ids are held in memory: about 100 bytes a relationship and 30 a node at the most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lmdb
import msgpack

from cypherd.storage.lmdb.checking.catalog import check_catalog
from cypherd.storage.lmdb.checking.counted import check_counts
from cypherd.storage.lmdb.checking.findings import CheckReport, Finding, Findings
from cypherd.storage.lmdb.checking.indexed import check_indexes
from cypherd.storage.lmdb.checking.nodes import check_nodes
from cypherd.storage.lmdb.checking.relationships import check_relationships
from cypherd.storage.lmdb.layout import Tables

__all__ = ["CheckReport", "Finding", "Progress", "check_tables"]

Progress = Callable[[str, int, int], None]
"""Called with what is looked at, how much of it so far, and of how much."""


def check_tables(
    txn: Any, tables: Tables, *, most: int = 100, progress: Progress | None = None
) -> CheckReport:
    """Hold the tables of one snapshot against each other; at most `most` findings are kept for
    each table, all are counted."""
    findings = Findings(most)
    told = progress or (lambda _stage, _done, _total: None)
    try:
        _check(txn, tables, findings, told)
    except (lmdb.Error, msgpack.UnpackException, ValueError) as error:
        findings.add("file", f"cannot be read: {error}")
    return findings.report()


def _check(txn: Any, tables: Tables, findings: Findings, progress: Progress) -> None:
    catalog = check_catalog(txn, tables, findings)
    nodes = check_nodes(txn, tables, catalog, findings, progress)
    relationships = check_relationships(txn, tables, catalog, nodes, findings, progress)
    entries = check_indexes(txn, tables, catalog, findings, progress)
    check_counts(txn, tables, nodes, relationships, entries, findings)
    findings.looked_at(nodes=len(nodes.ids), relationships=len(relationships.ids))
