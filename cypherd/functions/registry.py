"""Every function that a query can call, by lower-case name, and the operators' bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cypherd.functions import (
    aggregation,
    conversions,
    entities,
    lists,
    mathematics,
    operators,
    scalars,
    spatial,
    strings,
    temporal,
)
from cypherd.functions.signature import Function

MODULES = (
    scalars,
    conversions,
    entities,
    lists,
    mathematics,
    strings,
    temporal,
    spatial,
    aggregation,
)

_CATEGORIES = {
    scalars: "Scalar",
    conversions: "Conversion",
    entities: "Scalar",
    lists: "List",
    strings: "String",
    aggregation: "Aggregating",
    mathematics: "Mathematical",
}
"""What SHOW FUNCTIONS calls a module; the others go by their names."""


def _by_name(functions: Iterable[Function]) -> Mapping[str, tuple[Function, ...]]:
    found: dict[str, tuple[Function, ...]] = {}
    for function in functions:
        name = function.name.lower()
        found[name] = (*found.get(name, ()), function)
    return found


_FUNCTIONS = _by_name(function for module in MODULES for function in module.FAMILY.functions)
_OPERATORS = _by_name(operators.FAMILY.functions)


def find_functions(lower_name: str) -> tuple[Function, ...]:
    """The overloads of a function, in order of preference; empty if there is none."""
    return _FUNCTIONS.get(lower_name, ())


def find_operator(name: str) -> tuple[Function, ...]:
    """The operator of that name in binder/expressions.py ("+", "in", "subscript" ...)."""
    return _OPERATORS.get(name, ())


def all_functions() -> Mapping[str, tuple[str, tuple[Function, ...]]]:
    """By display name, in the order of `function_names`: the category and all overloads."""
    categories = {
        function.name.lower(): _CATEGORIES.get(module, module.__name__.rpartition(".")[2].title())
        for module in MODULES
        for function in module.FAMILY.functions
    }
    return {name: (categories[name.lower()], _FUNCTIONS[name.lower()]) for name in function_names()}


def function_names() -> tuple[str, ...]:
    """The display names of all functions, sorted without regard to case."""
    names = {overloads[0].name for overloads in _FUNCTIONS.values()}
    return tuple(sorted(names, key=str.lower))
