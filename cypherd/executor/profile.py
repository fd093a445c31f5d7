"""PROFILE: what each operator asked of the store, and how its time is its own.

A profiled operator sees the transaction through a proxy that counts a hit for every row it asks
for or is given. Without PROFILE there is no proxy and nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sized
from typing import Any, cast

from cypherd.executor.context import OperatorProfile
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children
from cypherd.storage.protocols import ReadTransaction

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
        return _counted(attribute, self.profile)


def _counted(method: Callable[..., Any], profile: OperatorProfile) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        answer = method(*arguments, **options)
        if isinstance(answer, Iterator):
            return _counted_pieces(answer, profile)
        asked = len(arguments[0]) if arguments and isinstance(arguments[0], Sized) else 1
        profile.store_hits += max(asked, _rows(answer))
        return answer

    return call


def _counted_pieces(pieces: Iterator[Any], profile: OperatorProfile) -> Iterator[Any]:
    for piece in pieces:
        profile.store_hits += _rows(piece)
        yield piece


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
