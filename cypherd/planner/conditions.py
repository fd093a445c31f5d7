"""What predicates say of one variable that a seek could use.

n.key = value, n.key IN list, n.key < value, ...   a condition on the key
id(n) = value, id(n) IN list                       one on the id
elementId(n) = value, elementId(n) IN list         the same, of the ids in the strings
n = m, n IN nodes                                  one on the id, too: m and nodes are bound
n.key = a OR (n.key = b AND ...)                   implies n.key IN [a, b]; the OR stays
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    Constant,
    ListOf,
    Or,
    Property,
    Variable,
)
from cypherd.binder.query import holds_subquery
from cypherd.binder.traversal import variables
from cypherd.values.types import CypherType as T

_SOUGHT = frozenset({"=", "in", "starts with", "<", "<=", ">", ">="})
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ENTITIES = {T.NODE, T.RELATIONSHIP}


@dataclass(frozen=True, slots=True)
class Condition:
    """`variable.key operator value`, or `id(variable) operator value` with key None. `exact`:
    it says all that the predicate says, which needs no filter then."""

    key: str | None
    operator: str
    value: BoundExpression
    predicate: BoundExpression
    exact: bool = True


def conditions(
    variable: str, predicates: Sequence[BoundExpression], bound: frozenset[str]
) -> Iterator[Condition]:
    """All that can be sought with what is bound. A value that has to be planned is none."""
    for predicate in predicates:
        if holds_subquery(predicate):
            continue
        match predicate:
            case Call(_, (_, _)):
                yield from _of_call(variable, predicate, bound)
            case Or(operands):
                yield from _of_alternatives(variable, predicate, operands, bound)


def _of_call(variable: str, call: Call, bound: frozenset[str]) -> Iterator[Condition]:
    if call.function not in _SOUGHT:
        return
    left, right = call.arguments
    for side, value, operator in (
        (left, right, call.function),
        (right, left, _MIRRORED.get(call.function)),
    ):
        if operator is None or not variables(value) <= bound:
            continue
        match side:
            case Property(Variable(name), key) if name == variable:
                yield Condition(key, operator, value, call)
            case Call("id", (Variable(name),)) if name == variable and _is_id(operator, value):
                # A parameter may be a list where one id is asked for.
                sure = operator == "=" and value.type is T.INTEGER
                yield Condition(None, operator, value, call, exact=sure)
            case Call("elementid", (Variable(name),)) if name == variable and operator in "= in":
                yield Condition(None, operator, _by_element(side, value), call, exact=False)
            case Variable(name) if name == variable and _is_entity(operator, side, value):
                yield Condition(None, operator, value, call)


def _by_element(side: Call, value: BoundExpression) -> BoundExpression:
    """The ids in the strings of elementId(): `n12` of nodes, `r12` of relationships."""
    [entity] = side.arguments
    letter = "r" if entity.type is T.RELATIONSHIP else "n"
    type_ = T.INTEGER if value.type is T.STRING else T.ANY
    return Call("entity id", (Constant(letter, type=T.STRING), value), type=type_, at=value.at)


def _is_id(operator: str, value: BoundExpression) -> bool:
    """Can the value be sought as ids? What is no integer equals no id, but cannot be sought."""
    if operator == "in":
        return value.type in (T.LIST, T.ANY)
    return operator == "=" and value.type in (T.INTEGER, T.ANY)


def _is_entity(operator: str, side: BoundExpression, value: BoundExpression) -> bool:
    """Is the value sure to hold entities only, which seek by their ids?"""
    if operator == "=":
        return value.type is side.type and side.type in _ENTITIES
    if operator != "in" or not isinstance(value, ListOf):
        return False
    return all(item.type is side.type and side.type in _ENTITIES for item in value.items)


def _of_alternatives(
    variable: str, predicate: Or, operands: Sequence[BoundExpression], bound: frozenset[str]
) -> Iterator[Condition]:
    """For each key that every alternative gives a value: one of those values."""
    found = [_equalities(variable, operand, bound) for operand in operands]
    exact = all(isinstance(operand, Call) for operand in operands)
    for key in found[0]:
        if all(key in values for values in found):
            items = tuple(item for values in found for item in values[key])
            value = ListOf(items, type=T.LIST)
            yield Condition(key, "in", value, predicate, exact=exact and key is not None)


def _equalities(
    variable: str, operand: BoundExpression, bound: frozenset[str]
) -> dict[str | None, tuple[BoundExpression, ...]]:
    """By key, the values of which one alternative says that the variable's is one."""
    parts = operand.operands if isinstance(operand, And) else (operand,)
    found: dict[str | None, tuple[BoundExpression, ...]] = {}
    for condition in conditions(variable, parts, bound):
        match condition.operator, condition.value:
            case "=", value if condition.key is not None or value.type is T.INTEGER:
                found.setdefault(condition.key, (value,))
            case "in", ListOf(items):
                found.setdefault(condition.key, items)
    return found


def first(found: Sequence[Condition], key: str, operator: str) -> Condition | None:
    return next((c for c in found if c.key == key and c.operator == operator), None)


def solved(found: Sequence[Condition]) -> tuple[BoundExpression, ...]:
    """The predicates that seeks by these conditions make true."""
    return tuple(condition.predicate for condition in found if condition.exact)
