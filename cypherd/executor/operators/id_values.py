"""Ids as a query gives them: an integer, an entity, or a list of such a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Column, IdColumn, IntArray
from cypherd.errors import CypherTypeError
from cypherd.values.graph import NodeRef, RelationshipRef
from cypherd.values.lists import is_list


def wanted_ids(column: Column) -> tuple[IntArray, IntArray]:
    """(row, id): every id asked for, in order; null asks for nothing, a list asks for each
    different id in it once. Raises CypherTypeError for what is no integer and no entity."""
    if isinstance(column, IdColumn):
        there = np.flatnonzero(column.ids >= 0)
        return there, column.ids[there]
    rows: list[int] = []
    ids: list[int] = []
    for row, value in enumerate(column.to_list()):
        for wanted in _each(value):
            rows.append(row)
            ids.append(wanted)
    return np.array(rows, dtype=np.int64), np.array(ids, dtype=np.int64)


def _each(value: Any) -> list[int]:
    if value is None:
        return []
    if not is_list(value):
        return [_checked(value)]
    return list(dict.fromkeys(_checked(item) for item in value if item is not None))


def _checked(value: Any) -> int:
    if isinstance(value, NodeRef | RelationshipRef):
        return value.id
    if type(value) is int:
        return value if 0 <= value < 1 << 62 else -1
    if type(value) is float:
        return int(value) if value.is_integer() and 0 <= value < 1 << 62 else -1
    raise CypherTypeError("An id has to be an integer", detail="InvalidArgumentType")
