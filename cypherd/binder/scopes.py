"""Scopes: which variables a clause may see, and the unique names that they have in the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from cypherd.binder.expressions import Variable
from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.procedures.registry import BUILT_IN, Procedures
from cypherd.values.names import suggestion as suggestion
from cypherd.values.types import CypherType


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable in scope: its name in the plan, its type, and for a list that of the elements."""

    name: str
    type: CypherType = CypherType.ANY
    element: CypherType = CypherType.ANY

    def at(self, offset: int) -> Variable:
        """The variable as an expression, read at `offset`."""
        return Variable(self.name, type=self.type, at=offset)


Scope = Mapping[str, Symbol]

LINE_NUMBER, FILE = "  linenumber", "  file"
"""What LOAD CSV tells of a row, in scope under names that no text can have."""


def syntax_error(detail: str, message: str, at: int, hint: str | None = None) -> CypherSyntaxError:
    """What openCypher calls a SyntaxError at compile time."""
    return CypherSyntaxError(message, detail=detail, offset=at if at >= 0 else None, hint=hint)


def look_up(scope: Scope, name: str, at: int) -> Symbol:
    """The symbol of a name. Raises UndefinedVariable."""
    symbol = scope.get(name)
    if symbol is None:
        raise syntax_error(
            "UndefinedVariable", f"variable `{name}` is not defined", at, suggestion(name, scope)
        )
    return symbol


@dataclass(slots=True)
class Names:
    """Makes the unique names of one statement, and keeps what is known of each."""

    types: dict[str, CypherType] = field(default_factory=dict)
    elements: dict[str, CypherType] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    _anonymous: int = 0
    _taken: dict[str, int] = field(default_factory=dict)
    """The last number of a name: counting from 1 again would take the square of the clauses."""

    def declare(
        self,
        name: str,
        type_: CypherType = CypherType.ANY,
        element: CypherType = CypherType.ANY,
    ) -> Symbol:
        """A new variable of this name: `x`, and when that is taken `x@2`, `x@3` ..."""
        bound, number = name, self._taken.get(name, 1)
        while bound in self.types:
            number += 1
            bound = f"{name}@{number}"
        self._taken[name] = number
        self.types[bound] = type_
        self.elements[bound] = element
        return Symbol(bound, type_, element)

    def anonymous(self, kind: str, type_: CypherType = CypherType.ANY) -> Symbol:
        """A variable that no text can name (two spaces in front; `*` does not see it)."""
        self._anonymous += 1
        return self.declare(f"  {kind}@{self._anonymous}", type_)


Aggregates = Literal["allowed", "forbidden", "inside"]


@dataclass(frozen=True, slots=True)
class Environment:
    """Where an expression stands. `aggregates`: may it hold aggregates, or is it inside one.
    `projected`: expressions of the projection that ORDER BY and WHERE may repeat, and the
    columns that hold them. `computed`: projected expressions that may not be repeated beside
    an aggregate. `procedures`: those that can be called. `kept`: variables that no WITH takes
    away, and `aliases_needed`: what RETURN gives needs a name; both inside CALL { }."""

    names: Names
    scope: Scope
    aggregates: Aggregates = "forbidden"
    projected: Mapping[ast.Expression, Symbol] = field(default_factory=dict)
    computed: frozenset[ast.Expression] = frozenset()
    procedures: Procedures = BUILT_IN
    kept: Scope = field(default_factory=dict)
    aliases_needed: bool = False

    def local(self, symbols: Mapping[str, Symbol]) -> Environment:
        """Inside a comprehension: further variables, and no aggregates."""
        scope = {**self.scope, **symbols}
        hidden = {
            expression: symbol
            for expression, symbol in self.projected.items()
            if not (isinstance(expression, ast.Variable) and expression.name in symbols)
        }
        inner: Aggregates = "inside" if self.aggregates == "inside" else "forbidden"
        return replace(
            self, scope=scope, aggregates=inner, projected=hidden, kept={}, aliases_needed=False
        )

    def inside_aggregate(self) -> Environment:
        return replace(self, aggregates="inside")

    def without_aggregates(self) -> Environment:
        return replace(self, aggregates="forbidden")
