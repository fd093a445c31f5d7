"""Lists as Cypher sees them: a Python list, or a `range` that range() made and nobody unfolded.

range(1, 1000000000) costs nothing until a real list is needed, so everything that takes a list
takes a `range` too; whoever needs the elements as a list calls `to_list`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from cypherd.errors import MemoryLimitExceeded

ListValue: TypeAlias = "list[Any] | range"

MAX_LIST = 20_000_000
"""Most elements of a list that a single function may build; also the longest string."""


def is_list(value: Any) -> bool:
    return isinstance(value, list | range)


def check_size(elements: int) -> None:
    """Raises MemoryLimitExceeded before a list or string of that length is built."""
    if elements > MAX_LIST:
        raise MemoryLimitExceeded(
            f"a list or string of {elements:,} elements is longer than a query may build "
            f"({MAX_LIST:,})"
        )


def to_list(value: ListValue) -> list[Any]:
    """The elements as a real list. Raises MemoryLimitExceeded for a range too long to unfold."""
    if isinstance(value, list):
        return value
    check_size(len(value))
    return list(value)
