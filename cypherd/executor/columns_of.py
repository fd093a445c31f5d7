"""The narrowest column for a list of values."""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.values.graph import NodeRef, RelationshipRef


def column_of(values: list[Any]) -> Column:
    """Typed or ids where every value is of one such kind, else objects."""
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return ObjectColumn(values)
    kind = kinds.pop()
    if kind is int:
        return TypedColumn(np.array(values, dtype=np.int64))
    if kind is float:
        return TypedColumn(np.array(values, dtype=np.float64))
    if kind is NodeRef:
        return IdColumn("node", np.array([value.id for value in values], dtype=np.int64))
    if kind is RelationshipRef:
        return IdColumn("relationship", np.array([value.id for value in values], dtype=np.int64))
    return ObjectColumn(values)
