"""Short creates: one row of new nodes and relationships, without the machinery of other writes.

    EmptyResult <- Create <- Argument

whose labels and types are fixed, whose relationships run between nodes of the same clause, and
whose properties are constants and parameters. As with short reads, the store is asked the same
questions in the same order as by the operators, which are what it is tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cypherd.binder.expressions import BoundExpression, Constant, MapOf, Parameter
from cypherd.executor.context import Stats
from cypherd.executor.creating import checked_map, storable
from cypherd.planner.logical import operators as ops
from cypherd.planner.plan import Plan
from cypherd.storage.protocols import WriteTransaction

_Parameters = Mapping[str, Any]
_Values = Callable[[_Parameters], Mapping[str, Any]]


class ShortCreate:
    """A plan of that form, for any transaction."""

    __slots__ = ("_nodes", "_relationships")

    def __init__(self, create: ops.LogicalCreate) -> None:
        self._nodes = [(n.variable, n.labels, _values_of(n.properties)) for n in create.nodes]
        self._relationships = [
            (r.start, str(r.type), r.end, _values_of(r.properties)) for r in create.relationships
        ]

    def run(self, transaction: WriteTransaction, parameters: _Parameters) -> Stats:
        """Raises CypherdError, with part of it done."""
        stats = Stats()
        made = {}
        for variable, names, values in self._nodes:
            properties = _tokenized(transaction, values(parameters))
            labels = tuple(sorted({transaction.label_token(name) for name in names}))
            made[variable] = transaction.create_nodes((labels,), (properties,))
            stats.nodes_created += 1
            stats.labels_added += len(labels)
            stats.properties_set += len(properties)
        for start, type_, end, values in self._relationships:
            properties = _tokenized(transaction, values(parameters))
            token = transaction.type_token(type_)
            transaction.create_relationships((token,), made[start], made[end], (properties,))
            stats.relationships_created += 1
            stats.properties_set += len(properties)
        return stats


def _tokenized(transaction: WriteTransaction, values: Mapping[str, Any]) -> dict[int, Any]:
    return {
        transaction.property_token(name): storable(value)
        for name, value in values.items()
        if value is not None
    }


def _values_of(expression: BoundExpression | None) -> _Values:
    """The properties by name, given the parameters."""
    if expression is None:
        return lambda parameters: {}
    if isinstance(expression, Parameter):
        name = expression.name
        return lambda parameters: checked_map(parameters[name])
    assert isinstance(expression, MapOf), "short_create has looked"
    # A map of the binder has each key once.
    constants = {
        key: value.value if isinstance(value, Constant) else None
        for key, value in zip(expression.keys, expression.values, strict=True)
    }
    given = [
        (key, value.name)
        for key, value in zip(expression.keys, expression.values, strict=True)
        if isinstance(value, Parameter)
    ]

    def values(parameters: _Parameters) -> Mapping[str, Any]:
        filled = constants.copy()
        for key, name in given:
            filled[key] = parameters[name]
        return filled

    return values


def short_create(plan: Plan) -> ShortCreate | None:
    """The plan as a short create, if it is one."""
    root = plan.root
    if (
        plan.kind != "write"
        or plan.mode is not None
        or not isinstance(root, ops.LogicalEmptyResult)
    ):
        return None
    create = root.source
    if not isinstance(create, ops.LogicalCreate):
        return None
    source = create.source
    if not isinstance(source, ops.LogicalArgument) or source.variables:
        return None
    made = {node.variable for node in create.nodes}
    nodes = all(not node.names and _is_given(node.properties) for node in create.nodes)
    relationships = all(
        one.name is None and {one.start, one.end} <= made and _is_given(one.properties)
        for one in create.relationships
    )
    return ShortCreate(create) if nodes and relationships else None


def _is_given(properties: BoundExpression | None) -> bool:
    match properties:
        case None | Parameter():
            return True
        case MapOf(values=values):
            return all(isinstance(value, Constant | Parameter) for value in values)
    return False
