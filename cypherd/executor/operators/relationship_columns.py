"""Relationships found without walking to them, as three columns: relationship, start, end.

A directed pattern gives each once, start to end; an undirected one twice, a self-loop once.
"""

from __future__ import annotations

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray


def relationship_columns(
    names: tuple[str, str, str],
    rows: IntArray,
    found: tuple[IntArray, IntArray, IntArray],
    directed: bool,
) -> tuple[IntArray, dict[str, Column]]:
    """(rows, columns) for the relationships (ids, starts, ends) that belong to `rows`."""
    ids, starts, ends = found
    if not directed:
        turned = np.flatnonzero(starts != ends)
        order = np.argsort(np.concatenate([np.arange(len(ids)), turned]), kind="stable")
        rows = np.concatenate([rows, rows[turned]])[order]
        starts, ends = (
            np.concatenate([starts, ends[turned]])[order],
            np.concatenate([ends, starts[turned]])[order],
        )
        ids = np.concatenate([ids, ids[turned]])[order]
    relationship, start, end = names
    return rows, {
        relationship: IdColumn("relationship", ids),
        start: IdColumn("node", starts),
        end: IdColumn("node", ends),
    }
