"""The functions as people list them: with a signature in words, a category and what they give."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cypherd.functions.registry import all_functions
from cypherd.functions.signature import Function
from cypherd.values.description import type_text
from cypherd.values.types import CypherType

_ONE = ("input",)
_SEVERAL = ("input1", "input2", "input3")


@dataclass(frozen=True, slots=True)
class ListedFunction:
    """One signature. `arguments` are maps of name, description, type, isDeprecated."""

    name: str
    category: str
    help: str
    signature: str
    arguments: tuple[dict[str, Any], ...]
    result: str
    aggregating: bool
    deprecated_by: str | None


@cache
def list_functions() -> tuple[ListedFunction, ...]:
    """One entry for each name and result type; argument types that may stand for each other are
    written with a bar between them."""
    return tuple(_listed(category, overloads) for category, overloads in all_functions().values())


def _listed(category: str, overloads: Sequence[Function]) -> ListedFunction:
    most = max(overloads, key=lambda function: len(function.arguments))
    names = _argument_names(most)
    types = [
        _types(f.arguments[place] for f in overloads if place < len(f.arguments))
        for place in range(len(names))
    ]
    result = _types(function.result for function in overloads)
    taken = ", ".join(f"{name} :: {text}" for name, text in zip(names, types, strict=True))
    more = ", ..." if most.variadic else ""
    signature = f"{most.name}({taken}{more}) :: {result}"
    arguments = tuple(
        {"name": name, "type": text, "description": f"{name} :: {text}", "isDeprecated": False}
        for name, text in zip(names, types, strict=True)
    )
    return ListedFunction(
        most.name,
        category,
        overloads[0].help,
        signature,
        arguments,
        result,
        most.aggregate,
        most.deprecated_by,
    )


def _types(types: Any) -> str:
    found: list[CypherType] = list(dict.fromkeys(types))
    return " | ".join(dict.fromkeys(type_text(type_) for type_ in found))


def _argument_names(function: Function) -> tuple[str, ...]:
    """As the body calls them; where there is none to ask, `input`."""
    count = len(function.arguments)
    if function.body is not None:
        names = list(inspect.signature(function.body).parameters)[function.clock :]
        if len(names) >= count:
            return tuple(names[:count])
    return _ONE if count == 1 else _SEVERAL[:count]
