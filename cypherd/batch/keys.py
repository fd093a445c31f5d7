"""Keys of equivalence for whole columns: what DISTINCT, grouping and distinct aggregates hash.

    column --its arrays, where it has any--> one plain Python value a row

They are those of `values.equality.equivalence_key`, which is the reference: equal exactly for
values that are the same to DISTINCT, whatever kind of column they came in. Null is None.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, TypedColumn
from cypherd.values.equality import NODE_KEY, RELATIONSHIP_KEY, equivalence_keys

_TRUTH = {True: (bool, True), False: (bool, False), None: None}


def column_keys(column: Column) -> list[Any]:
    """The key of each row."""
    if isinstance(column, IdColumn):
        return _entity_keys(column)
    if not isinstance(column, TypedColumn):
        return equivalence_keys(column.to_list())
    if column.values.dtype == np.bool_:
        return [_TRUTH[value] for value in column.to_list()]
    if column.values.dtype == np.float64 and np.isnan(column.values).any():
        return equivalence_keys(column.to_list())
    return column.to_list()


def _entity_keys(column: IdColumn) -> list[Any]:
    ids = column.ids
    kind = NODE_KEY if column.kind == "node" else RELATIONSHIP_KEY
    keys: list[Any] = (ids + kind).tolist()
    if len(ids) and ids.min() < 0:
        present = (ids >= 0).tolist()
        return [key if there else None for key, there in zip(keys, present, strict=True)]
    return keys
