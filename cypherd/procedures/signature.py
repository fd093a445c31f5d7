"""What a procedure is: its signature, and the body that gives its rows.

    CALL name(argument, ...) YIELD result, ...

A body is given the context of the query and a value for every argument, checked and converted to
its type, and gives rows: tuples of as many values as there are results. A procedure without results
is void: its body is run for what it does, and the rows of the query pass by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

from cypherd.settings import Settings
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.description import type_text
from cypherd.values.types import CypherType as T

if TYPE_CHECKING:
    from cypherd.procedures.registry import Procedures
    from cypherd.procedures.running import RunningQueries

Mode: TypeAlias = Literal["READ", "DBMS"]
"""READ reads the graph; DBMS knows of the server only."""

REQUIRED: Any = object()
"""The default of an argument that has none."""


class Stoppable(Protocol):
    """The guard of the query: a long body asks it again and again."""

    def check(self) -> None: ...


class CallContext(Protocol):
    """What a body may look at."""

    @property
    def transaction(self) -> ReadTransaction: ...
    @property
    def guard(self) -> Stoppable: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def procedures(self) -> Procedures: ...
    @property
    def queries(self) -> RunningQueries: ...


@dataclass(frozen=True, slots=True)
class Field:
    """An argument or a result. `element` is the type of a list's elements."""

    name: str
    type: T
    element: T = T.ANY
    default: Any = REQUIRED
    help: str = ""

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    def type_text(self) -> str:
        """As signatures have it: `LIST<STRING>`."""
        return type_text(self.type, self.element)

    def declared(self) -> str:
        default = "" if self.required else f" = {literal(self.default)}"
        return f"{self.name}{default} :: {self.type_text()}"


Body: TypeAlias = Callable[..., Iterable[tuple[Any, ...]]]
AnyBody = TypeVar("AnyBody", bound=Body)


@dataclass(frozen=True, slots=True)
class Procedure:
    """Arguments with defaults come last."""

    name: str
    arguments: tuple[Field, ...]
    results: tuple[Field, ...]
    mode: Mode
    help: str
    body: Body = field(compare=False)

    @property
    def void(self) -> bool:
        return not self.results

    def least(self) -> int:
        """How many arguments must be given."""
        return sum(argument.required for argument in self.arguments)

    def result(self, name: str) -> int | None:
        """The place of a result, None if there is none of that name."""
        names = [result.name for result in self.results]
        return names.index(name) if name in names else None

    def signature(self) -> str:
        """`db.labels() :: (label :: STRING)`"""
        taken = ", ".join(argument.declared() for argument in self.arguments)
        given = ", ".join(result.declared() for result in self.results)
        return f"{self.name}({taken}) :: ({given})"


@dataclass(slots=True)
class Family:
    """The procedures of one module, in order of definition."""

    procedures: list[Procedure] = field(default_factory=list)

    def procedure(
        self,
        name: str,
        *,
        help: str,
        arguments: tuple[Field, ...] = (),
        results: tuple[Field, ...] = (),
        mode: Mode = "READ",
    ) -> Callable[[AnyBody], AnyBody]:
        """Decorator for the body."""

        def register(body: AnyBody) -> AnyBody:
            self.procedures.append(Procedure(name, arguments, results, mode, help, body))
            return body

        return register


def literal(value: Any) -> str:
    """A default as Cypher writes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    return f"'{value}'" if isinstance(value, str) else str(value)
