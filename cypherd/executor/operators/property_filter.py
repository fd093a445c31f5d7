"""Properties that every relationship of a path must have: `[:T*1..3 {key: value}]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, BoolArray, IntArray
from cypherd.executor.context import ExecutionContext
from cypherd.executor.items import CompiledItems
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.equality import equals


class PropertyFilter:
    """The wanted values of every row of a batch, compared with relationships of those rows."""

    def __init__(self, items: CompiledItems, batch: Batch, context: ExecutionContext) -> None:
        columns = items.columns(batch, context)
        self.names = list(columns)
        self.wanted: list[list[Any]] = [column.to_list() for column in columns.values()]

    def keep(
        self, transaction: ReadTransaction, rows: IntArray, relationships: IntArray
    ) -> BoolArray:
        """Which relationships equal what their row wants."""
        kept = np.ones(len(relationships), dtype=np.bool_)
        for name, wanted in zip(self.names, self.wanted, strict=True):
            key = transaction.schema.property_id(name)
            if key is None:
                return np.zeros(len(relationships), dtype=np.bool_)
            [values] = transaction.relationship_properties(relationships, [key])
            pairs = zip(values, rows.tolist(), strict=True)
            kept &= np.array(
                [equals(value, wanted[row]) is True for value, row in pairs], dtype=np.bool_
            )
        return kept
