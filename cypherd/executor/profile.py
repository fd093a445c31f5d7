"""PROFILE: what each operator asked of the store, and how its time is its own.

A profiled operator sees the transaction through a proxy that counts a hit for every row it asks
for or is given: an index or label entry, a relationship of a node, a pair of nodes looked up, a
record read for its labels or for any number of its properties. Where nothing is found, the look is
one: a node without relationships, a value that no index entry holds, an empty range. Without
PROFILE there is no proxy and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from typing import Any, cast

import numpy as np

from cypherd.executor.context import OperatorProfile
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children
from cypherd.storage.protocols import Expansion, ReadTransaction

_UNCOUNTED = frozenset({"schema", "counts", "close", "commit", "abort", "child"})


def counting(transaction: ReadTransaction, profile: OperatorProfile) -> ReadTransaction:
    """The transaction as a proxy that counts hits into `profile`."""
    if isinstance(transaction, _CountingTransaction):
        transaction = transaction.counted
    return cast("ReadTransaction", _CountingTransaction(transaction, profile))


class _CountingTransaction:
    def __init__(self, counted: ReadTransaction, profile: OperatorProfile) -> None:
        self.counted = counted
        self.profile = profile

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.counted, name)
        if name in _UNCOUNTED or not callable(attribute):
            return attribute
        return _counted(name, attribute, self.profile)


def _counted(name: str, method: Callable[..., Any], profile: OperatorProfile) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        answer = method(*arguments, **options)
        asked = _asked(arguments[1:] if name == "index_seek" else arguments)
        if isinstance(answer, Iterator):
            return _counted_pieces(answer, asked, profile)
        profile.store_hits += max(asked, _rows(answer))
        return answer

    return call


def _asked(arguments: tuple[Any, ...]) -> int:
    """How many nodes, relationships, pairs or values the first argument names; 1 if it names
    none, as a label does."""
    first = arguments[0] if arguments else None
    return len(first) if isinstance(first, Sized) and not isinstance(first, str) else 1


def _counted_pieces(pieces: Iterator[Any], asked: int, profile: OperatorProfile) -> Iterator[Any]:
    """The rows of each piece, and at the end what was asked for and had none."""
    answered, last = 0, -1
    for piece in pieces:
        profile.store_hits += _rows(piece)
        if isinstance(piece, Expansion):
            rows = np.unique(piece.row)
            # A node with many relationships is spread over pieces.
            answered += len(rows) - int(rows[0] == last)
            last = int(rows[-1])
        else:
            answered = asked
        yield piece
    profile.store_hits += asked - answered


def _rows(answer: Any) -> int:
    """Rows of an id array, or of a named tuple of arrays."""
    if isinstance(answer, tuple) and answer and isinstance(answer[0], Sized):
        return len(answer[0])
    if isinstance(answer, Sized) and not isinstance(answer, list | str | bytes):
        return len(answer)
    return 0


def own_times(
    root: LogicalOperator, profile: Mapping[int, OperatorProfile]
) -> dict[int, OperatorProfile]:
    """The profile with each operator's seconds less those of its sources and inner plans."""
    empty = OperatorProfile()
    inside: list[float] = []
    # Counted by number, not by identity: a planner may use one operator object in two places.
    stack: list[tuple[LogicalOperator, int]] = [(root, -1)]
    while stack:
        operator, parent = stack.pop()
        number = len(inside)
        inside.append(0.0)
        if parent >= 0:
            inside[parent] += profile.get(number, empty).seconds
        stack.extend((child, number) for child in reversed(children(operator)))
    return {
        number: OperatorProfile(mine.rows, max(0.0, mine.seconds - seconds), mine.store_hits)
        for number, seconds in enumerate(inside)
        for mine in (profile.get(number, empty),)
    }
