"""What a query is asked of: a server or a store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Question:
    """One statement and how to answer it. `timeout` in seconds, None: the target's own limit."""

    text: str
    parameters: dict[str, Any] = field(default_factory=dict)
    format: str = "json"
    rows: Literal["arrays", "objects"] = "arrays"
    timeout: float | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class GraphNames:
    """What can be completed."""

    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


class Target(Protocol):
    def ask(self, question: Question) -> Iterator[bytes]:
        """The answer in the question's format, in pieces as they come.

        Raises QueryFailed, also behind the last piece where the answer tells its error itself, and
        Unreachable."""

    def cancel(self) -> None:
        """Stop the query that was asked last, if it runs. Never raises."""

    def names(self) -> GraphNames: ...

    def close(self) -> None: ...
