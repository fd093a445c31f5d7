"""Columns of values as columns of cells, for the formats that are tables of text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from cypherd.render.values import encode_exact, encode_value, non_finite_name, to_json

_NUMBERS: frozenset[type] = frozenset({int, bool, float, type(None)})

Cells = Sequence[str]


def number_cells(values: Sequence[Any], null: str) -> Cells | None:
    """Integers, floats and booleans as JSON writes them; None where there is anything else.

    A whole column at a time: JSON of nothing but numbers has no comma inside a value."""
    kinds = set(map(type, values))
    if not kinds <= _NUMBERS:
        return None
    if float in kinds and not _all_finite(values):
        return [_number_cell(value, null) for value in values]
    text = orjson.dumps(values)[1:-1].decode()
    if type(None) in kinds:
        text = text.replace("null", null)
    return text.split(",")


def _all_finite(values: Sequence[Any]) -> bool:
    return all(map(math.isfinite, filter(None, values)))


def _number_cell(value: Any, null: str) -> str:
    if value is None:
        return null
    if type(value) is float and not math.isfinite(value):
        return non_finite_name(value)
    return orjson.dumps(value).decode()


def text_of(value: Any, *, exact: bool) -> str:
    """A value that is neither null nor a plain scalar: a temporal value as ISO 8601, lists, maps
    and entities as JSON. `exact`: integers inside as strings."""
    encode: Callable[[Any], Any] = encode_exact if exact else encode_value
    encoded = encode(value)
    return encoded if isinstance(encoded, str) else to_json(encoded).decode()
