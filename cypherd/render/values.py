"""Cypher values as JSON: columns are looked at by the types in them, so that plain ones (the
most) go to orjson untouched and only the others are walked value by value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from cypherd.batch.columns import Batch
from cypherd.render.renderer import RenderOptions
from cypherd.values.graph import Node, Path, Relationship
from cypherd.values.points import Point
from cypherd.values.temporal import KINDS, TemporalValue

_PLAIN: frozenset[type] = frozenset({str, int, bool, type(None)})
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS

Encoder = Callable[[Any], Any]


def encode_rows(batch: Batch, columns: tuple[str, ...], options: RenderOptions) -> list[Any]:
    """The rows of a batch, ready for `to_json`: tuples, or maps with `rows=objects`."""
    values = [_column(batch.columns[name].to_list(), options) for name in columns]
    if not values:
        rows: list[Any] = [()] * batch.length
    else:
        rows = list(zip(*values, strict=True))
    if options.rows == "objects":
        return [dict(zip(columns, row, strict=True)) for row in rows]
    return rows


def to_json(value: Any) -> bytes:
    """Raises TypeError for what is no encoded value."""
    return orjson.dumps(value, option=_OPTIONS)


def _column(values: Sequence[Any], options: RenderOptions) -> Sequence[Any]:
    kinds = set(map(type, values))
    strings = options.integers == "string"
    if kinds <= _PLAIN and not (strings and int in kinds):
        return values
    if kinds <= {float, type(None)} and all(v is None or math.isfinite(v) for v in values):
        return values
    encode = encode_exact if strings else encode_value
    return [encode(value) for value in values]


def encode_value(value: Any) -> Any:
    """A value as what orjson writes; integers as numbers."""
    return _encode(value, encode_value)


def encode_exact(value: Any) -> Any:
    """The same with integers as strings, for clients whose numbers are floats."""
    if type(value) is int:
        return str(value)
    return _encode(value, encode_exact)


def _encode(value: Any, encode: Encoder) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if math.isfinite(value) else non_finite_name(value)
    return write_with(value, encode)


def write_with(value: Any, encode: Encoder) -> Any:
    """A value that is no scalar of JSON, one level of it: what it holds is put through `encode`.
    Raises TypeError for what is no Cypher value."""
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise TypeError(f"{type(value).__name__} is no Cypher value")
    return writer(value, encode)


def non_finite_name(value: float) -> str:
    """NaN and the infinities have no form in JSON; HTTP.md gives them names."""
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _text(value: TemporalValue, encode: Encoder) -> str:
    return str(value)


def _list(value: Sequence[Any], encode: Encoder) -> list[Any]:
    return [encode(item) for item in value]


def _map(value: dict[str, Any], encode: Encoder) -> dict[str, Any]:
    return {key: encode(item) for key, item in value.items()}


def _point(value: Point, encode: Encoder) -> dict[str, Any]:
    return _map(value.as_map(), encode)


def _node(value: Node, encode: Encoder) -> dict[str, Any]:
    return {
        "id": encode(value.id),
        "elementId": value.element_id,
        "labels": value.labels,
        "properties": _map(value.properties, encode),
    }


def _relationship(value: Relationship, encode: Encoder) -> dict[str, Any]:
    return {
        "id": encode(value.id),
        "elementId": value.element_id,
        "type": value.type,
        "start": encode(value.start),
        "end": encode(value.end),
        "properties": _map(value.properties, encode),
    }


def _path(value: Path, encode: Encoder) -> dict[str, Any]:
    return {
        "nodes": [_node(node, encode) for node in value.nodes],
        "relationships": [_relationship(item, encode) for item in value.relationships],
        "length": encode(len(value.relationships)),
    }


_WRITERS: dict[type, Callable[[Any, Encoder], Any]] = {
    list: _list,
    tuple: _list,
    range: _list,
    dict: _map,
    Node: _node,
    Relationship: _relationship,
    Path: _path,
    **dict.fromkeys(KINDS, _text),
    Point: _point,
}
