"""What a function is: its signature, what null does to it, and its body.

A function of several argument types has one Function a signature (an overload); all overloads
of a name share one body, which tells the values apart where the binder could not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from cypherd.values.types import CypherType

NullRule: TypeAlias = Literal["propagate", "handle"]
Body = TypeVar("Body", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Function:
    """One signature of a function.

    `arguments` counts all, of which the last `optional` may be left out; with `variadic` the last
    one may be repeated. `null`: "propagate" makes the result null where an argument is null and
    the body never sees one; "handle" leaves it to the body. `bounded`: takes time in proportion
    to its arguments' size, so it may run in the event loop. `body` takes the values of one row,
    with `clock` the statement's Clock (values/temporal/clock.py) before them; None where it needs
    the graph or the statement (executor/graph_functions.py) or aggregates. `deprecated_by`: what
    to write in its place.
    """

    name: str
    arguments: tuple[CypherType, ...]
    optional: int
    variadic: bool
    result: CypherType
    null: NullRule
    bounded: bool
    deterministic: bool
    aggregate: bool
    body: Callable[..., Any] | None
    help: str
    clock: bool = False
    deprecated_by: str | None = None

    def accepts(self, count: int) -> bool:
        """Whether it can be called with `count` arguments."""
        least = len(self.arguments) - self.optional
        return least <= count and (self.variadic or count <= len(self.arguments))

    def argument_type(self, position: int) -> CypherType:
        """The declared type of the argument at `position`, from 0."""
        return self.arguments[min(position, len(self.arguments) - 1)]


@dataclass(slots=True)
class Family:
    """The functions of one module, in order of definition."""

    functions: list[Function] = field(default_factory=list)

    def function(
        self,
        name: str,
        *,
        arguments: tuple[CypherType, ...] | list[tuple[CypherType, ...]],
        result: CypherType,
        help: str,
        optional: int = 0,
        variadic: bool = False,
        null: NullRule = "propagate",
        bounded: bool = True,
        deterministic: bool = True,
        clock: bool = False,
        deprecated_by: str | None = None,
    ) -> Callable[[Body], Body]:
        """Decorator for the body. A list of argument tuples makes one overload each."""

        def register(body: Body) -> Body:
            for types in arguments if isinstance(arguments, list) else [arguments]:
                self.functions.append(
                    Function(
                        name, types, optional, variadic, result, null, bounded, deterministic,
                        False, body, help, clock, deprecated_by,
                    )
                )  # fmt: skip
            return body

        return register

    def declare(
        self,
        name: str,
        *,
        arguments: tuple[CypherType, ...] | list[tuple[CypherType, ...]],
        result: CypherType,
        help: str,
        deterministic: bool = True,
        aggregate: bool = False,
        deprecated_by: str | None = None,
    ) -> None:
        """A function without a body here: it needs the graph, the statement or many rows."""
        null: NullRule = "handle" if aggregate else "propagate"
        for types in arguments if isinstance(arguments, list) else [arguments]:
            self.functions.append(
                Function(
                    name, types, 0, False, result, null, True, deterministic, aggregate, None,
                    help, deprecated_by=deprecated_by,
                )
            )  # fmt: skip
