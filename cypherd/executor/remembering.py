"""Properties that the expressions of a plan want one after the other are read once.

    WHERE p:Person AND p.age > 30 ... RETURN p.name

    filter   reads the records of a batch for label, age and name, and remembers age and name
    project  finds the names of those that are left; what it does not find is read

Only the last batch of each variable is remembered, which is the one that streams through the plan,
and only in plans that write nothing: a record does not change in a snapshot. Which expressions
take part is the planner's choice (planner/rules/read_together.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cypherd.batch.columns import BoolArray, EntityKind, IntArray
from cypherd.storage.protocols import ReadTransaction


@dataclass(slots=True)
class Remembered:
    """Values of properties by the key's id, in the order of the entities' `places`."""

    kind: EntityKind = "node"
    places: dict[int, int] = field(default_factory=dict)
    values: dict[int, list[Any]] = field(default_factory=dict)

    def find(self, kind: EntityKind, ids: list[int], key: int) -> list[Any] | None:
        """The property of each entity, or None if it is not remembered of all."""
        values = self.values.get(key)
        if values is None or kind != self.kind:
            return None
        places = list(map(self.places.get, ids))
        if None in places:
            return None
        return list(map(values.__getitem__, places))  # type: ignore[arg-type]

    def read(
        self, transaction: ReadTransaction, kind: EntityKind, ids: list[int], keys: Sequence[int]
    ) -> None:
        """Forget, and remember `keys` of these."""
        different = self._forget(kind, ids)
        ask = transaction.node_properties if kind == "node" else transaction.relationship_properties
        self.values = dict(zip(keys, ask(different, keys), strict=True))

    def read_with_label(
        self, transaction: ReadTransaction, nodes: list[int], label: int, keys: Sequence[int]
    ) -> BoolArray:
        """As `read`, and which of the nodes have the label."""
        different = self._forget("node", nodes)
        found, values = transaction.labelled_properties(different, label, keys)
        self.values = dict(zip(keys, values, strict=True))
        places = map(self.places.__getitem__, nodes)
        answer: BoolArray = found[np.fromiter(places, np.int64, len(nodes))]
        return answer

    def _forget(self, kind: EntityKind, ids: list[int]) -> IntArray:
        self.kind = kind
        self.places = {number: place for place, number in enumerate(dict.fromkeys(ids))}
        self.values = {}
        return np.fromiter(self.places, np.int64, len(self.places))


def properties_together(
    transaction: ReadTransaction,
    remembered: Remembered,
    kind: EntityKind,
    ids: IntArray,
    keys: Sequence[int],
    along: Sequence[int],
) -> list[list[Any]]:
    """A list a key with the property of each entity, from what is remembered, or else read now
    together with the keys `along`."""
    asked = ids.tolist()
    found = [remembered.find(kind, asked, key) for key in keys]
    if None in found:
        remembered.read(transaction, kind, asked, tuple(dict.fromkeys((*keys, *along))))
        found = [remembered.find(kind, asked, key) for key in keys]
    return found  # type: ignore[return-value]
