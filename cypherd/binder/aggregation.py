"""Implicit grouping: what of a projection is a key, what an aggregate, what comes after.

RETURN me.age, me.age + count(you.age)
  keys        me.age -> k
  aggregates  count(you.age) -> a
  items       k, k + a
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cypherd.binder.expressions import Aggregate, BoundExpression, Property, Variable
from cypherd.binder.query import Aggregation, Items
from cypherd.binder.scopes import Names, syntax_error
from cypherd.binder.traversal import map_children, variables, walk


def has_aggregate(expression: BoundExpression) -> bool:
    return any(isinstance(part, Aggregate) for part in walk(expression))


def split_aggregation(items: Items, names: Names) -> tuple[Aggregation, Items]:
    """The aggregation, and the items over its columns.

    Raises AmbiguousAggregationExpression where an item mixes an aggregate with something that
    is no grouping key. Keys count if they are variables or properties of variables, as
    openCypher has it.
    """
    keys = tuple((name, value) for name, value in items if not has_aggregate(value))
    splitter = _Splitter(names, {value: name for name, value in keys if _is_simple(value)})
    kept = {name for name, _ in keys}
    over: list[tuple[str, BoundExpression]] = []
    for name, value in items:
        if name in kept:
            over.append((name, Variable(name, type=value.type, at=value.at)))
        elif isinstance(value, Aggregate):
            splitter.aggregates.append((name, value))
            over.append((name, Variable(name, type=value.type, at=value.at)))
        else:
            local = frozenset(_declared(value))
            over.append((name, splitter.split(value, local)))
    return Aggregation(keys, tuple(splitter.aggregates)), tuple(over)


def _is_simple(expression: BoundExpression) -> bool:
    while isinstance(expression, Property):
        expression = expression.source
    return isinstance(expression, Variable)


def _declared(expression: BoundExpression) -> set[str]:
    every = {part.name for part in walk(expression) if isinstance(part, Variable)}
    return every - variables(expression)


@dataclass(slots=True)
class _Splitter:
    names: Names
    keys: dict[BoundExpression, str]
    aggregates: list[tuple[str, Aggregate]] = field(default_factory=list)

    def split(self, expression: BoundExpression, local: frozenset[str]) -> BoundExpression:
        """The expression over keys and aggregates; `local` are its own element variables."""
        if isinstance(expression, Aggregate):
            return self._column(expression)
        if _is_simple(expression) and expression in self.keys:
            name = self.keys[expression]
            return Variable(name, type=expression.type, at=expression.at)
        if isinstance(expression, Variable) and expression.name not in local:
            raise syntax_error(
                "AmbiguousAggregationExpression",
                "an expression with an aggregate may otherwise only use grouping keys: "
                f"project `{expression.name.split('@')[0].strip()}` or its property by itself",
                expression.at,
            )
        return map_children(expression, lambda part: self.split(part, local))

    def _column(self, aggregate: Aggregate) -> Variable:
        for name, known in self.aggregates:
            if known == aggregate:
                return Variable(name, type=aggregate.type, at=aggregate.at)
        name = self.names.anonymous("aggregate", aggregate.type).name
        self.aggregates.append((name, aggregate))
        return Variable(name, type=aggregate.type, at=aggregate.at)
