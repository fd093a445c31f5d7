"""Nodes and values that come again in a batch: the store is asked once for each.

After an expansion a few nodes often stand in many rows. Finding that out costs a sort of the ids,
some 10 us for a batch, where a record costs about as much as its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cypherd.batch.columns import BoolArray, EntityKind, IntArray
from cypherd.storage.protocols import (
    Direction,
    Expansion,
    ReadTransaction,
    RelationshipRows,
    SeekRows,
)

_NONE: IntArray = np.zeros(0, dtype=np.int64)
_FEW = 16
"""Below so many ids it is cheaper to ask for all."""


def different(ids: IntArray) -> tuple[IntArray, IntArray] | None:
    """(each id once, where in it every id is); None where most ids come once."""
    if len(ids) < _FEW:
        return None
    found, places = np.unique(ids, return_inverse=True)
    if 4 * len(found) > 3 * len(ids):
        return None
    return found, places


def properties_of(
    transaction: ReadTransaction, kind: EntityKind, ids: IntArray, keys: Sequence[int]
) -> list[list[Any]]:
    """As `node_properties` and `relationship_properties`."""
    node = kind == "node"
    ask = transaction.node_properties if node else transaction.relationship_properties
    once = different(ids)
    if once is None:
        return ask(ids, keys)
    places = once[1].tolist()
    return [[values[place] for place in places] for values in ask(once[0], keys)]


def have_label(transaction: ReadTransaction, nodes: IntArray, label: int) -> BoolArray:
    """As `has_label`."""
    once = different(nodes)
    if once is None:
        return transaction.has_label(nodes, label)
    answer: BoolArray = transaction.has_label(once[0], label)[once[1]]
    return answer


def endpoints(transaction: ReadTransaction, relationships: IntArray) -> RelationshipRows:
    """As `endpoints`."""
    once = different(relationships)
    if once is None:
        return transaction.endpoints(relationships)
    found = transaction.endpoints(once[0])
    return RelationshipRows(*(column[once[1]] for column in found))


def expansions(
    transaction: ReadTransaction,
    nodes: IntArray,
    direction: Direction,
    types: Sequence[int] | None,
    size: int,
) -> Iterator[Expansion]:
    """As `expand`. What the different nodes have is held while it is given to every row, unless
    that is much."""
    once = different(nodes)
    if once is None:
        return transaction.expand(nodes, direction, types, size)
    pieces = transaction.expand(once[0], direction, types, size)
    first = next(pieces, None)
    if first is None:
        return iter(())
    second = next(pieces, None)
    if second is None:
        return iter((_spread(first, once[1], len(once[0])),))
    return transaction.expand(nodes, direction, types, size)


def between(
    transaction: ReadTransaction,
    starts: IntArray,
    ends: IntArray,
    direction: Direction,
    types: Sequence[int] | None,
    size: int,
) -> SeekRows:
    """As `expand_into`. A few starts with few relationships are walked from once, and what they
    lead to is compared with the ends, in place of a look for each pair."""
    once = different(starts)
    if once is not None and len(once[0]) <= size:
        degrees = transaction.degree(once[0], direction, types)
        if len(once[0]) + int(degrees.sum()) < len(starts):
            walked = list(expansions(transaction, starts, direction, types, size))
            if len(walked) == 1:
                met = np.flatnonzero(walked[0].neighbour == ends[walked[0].row])
                return SeekRows(walked[0].row[met], walked[0].relationship[met])
            if not walked:
                return SeekRows(_NONE, _NONE)
    return transaction.expand_into(starts, ends, direction, types)


def _spread(found: Expansion, places: IntArray, asked: int) -> Expansion:
    """An expansion of `asked` different nodes, for the rows that they stand in."""
    begins = np.searchsorted(found.row, np.arange(asked + 1))
    lengths = np.diff(begins)[places]
    rows = np.repeat(np.arange(len(places), dtype=np.int64), lengths)
    # The place in `found` of every row's entries, one behind the other.
    ends = np.cumsum(lengths)
    within = np.arange(len(rows)) - np.repeat(ends - lengths, lengths)
    taken = np.repeat(begins[:-1][places], lengths) + within
    return Expansion(rows, found.relationship[taken], found.neighbour[taken])
