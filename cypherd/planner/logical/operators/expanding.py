"""Operators that follow relationships."""

from __future__ import annotations

from dataclasses import dataclass

from cypherd.binder.expressions import BoundExpression
from cypherd.planner.logical.operators.base import Direction, Items, LogicalUnary


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExpand(LogicalUnary):
    """From `start` along relationships of the types (empty: all) to new variables. A null
    start gives no row."""

    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalExpandInto(LogicalUnary):
    """As Expand, but `end` is bound already."""

    start: str
    relationship: str
    end: str
    direction: Direction
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalVarLengthExpand(LogicalUnary):
    """Paths of `minimum` to `maximum` (None: open) relationships, none of them twice.

    `relationships` becomes a list of relationships, in the order from `start`; `reverse` turns
    the list round (the pattern was walked from its end). `into`: `end` is bound already.
    `properties`: every relationship must have these; `each`: (variable, predicate) that it must
    fulfil. `bound`: the list variable is bound already and must be equal.
    """

    start: str
    relationships: str
    end: str
    direction: Direction
    types: tuple[str, ...]
    minimum: int
    maximum: int | None
    into: bool
    reverse: bool = False
    properties: Items = ()
    bound: bool = False
    each: Items = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalShortestPath(LogicalUnary):
    """Shortest path(s) between two bound nodes; `all`: each of the shortest. `predicates` are of
    the path: the shortest that fulfils them is wanted, not the shortest if it does. What they
    demand of each relationship or node of it is in `each_relationship` and `each_node`, too, as
    (variable, predicate), so that a search need not walk what cannot be on the path."""

    start: str
    end: str
    relationships: str
    path: str | None
    direction: Direction
    types: tuple[str, ...]
    minimum: int
    maximum: int | None
    all: bool
    properties: Items = ()
    predicates: tuple[BoundExpression, ...] = ()
    each_relationship: Items = ()
    each_node: Items = ()
