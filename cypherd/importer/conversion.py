"""From the text of a field to a property's value, by the type of its column.

A column is converted as a whole; where that fails, each of its fields is tried to find the bad
ones. An empty field is None: an absent property.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cypherd.errors import CypherdError
from cypherd.values.spatial import parse_point, system_named
from cypherd.values.temporal import parsing
from cypherd.values.temporal.zones import UTC, parse_zone

Convert = Callable[[str], Any]
"""From the text of a field. Raises ValueError for text that is not of the type."""

_MIN, _MAX = -(1 << 63), (1 << 63) - 1


class QuotedEmpty(str):
    """A field that is empty but quoted: an empty string, where a bare empty field is absent."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def converter(kind: str) -> Convert:
    """For a column's type in the manifest. Raises ValueError for an unknown one."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    match = _LIST.fullmatch(kind)
    if match is None:
        raise ValueError(f"unknown type {kind!r}")
    return ListConvert(_SCALARS[match[1]], match[2] or ";")


def header_converter(kind: str, array_delimiter: str, options: str = "") -> Convert | None:
    """For a type in a header, such as `int` or `string[]`, with the options in braces behind it;
    None for an unknown one. Raises ValueError for one that cannot be a property."""
    name = kind.lower().replace(" ", "").replace("_", "")
    if name in ("vector", "byte[]"):
        raise ValueError(f"properties of the type {kind} cannot be stored")
    scalar = name.removesuffix("[]")
    convert = _with_option(scalar, options) or HEADER_TYPES.get(scalar)
    if convert is None or scalar == name:
        return convert
    return ListConvert(convert, array_delimiter)


def _with_option(kind: str, options: str) -> Convert | None:
    """The one that fills in what a field leaves out: its zone, or the system of its point."""
    name = {"time": "timezone", "datetime": "timezone", "point": "crs"}.get(kind)
    match = re.search(rf"\b{name}\s*:\s*['\"]?([^'\",}}]+)", options) if name else None
    if match is None:
        return None
    given = match[1].strip()
    try:
        if kind == "point":
            default = system_named(given)
            return _extended("POINT", lambda text: parse_point(text, default))
        zone = parse_zone(given)
    except CypherdError as error:
        raise ValueError(error.message) from None
    if kind == "datetime":
        return _extended("ZONED DATETIME", lambda text: parsing.parse_date_time(text, zone))
    if not isinstance(zone, int):
        raise ValueError(f"the zone of a time is an offset, not {given}")
    return _extended("ZONED TIME", lambda text: parsing.parse_time(text, zone))


@dataclass(frozen=True, slots=True)
class ListConvert:
    """A list, its elements between delimiters. A quoted empty field is an empty list."""

    element: Convert
    delimiter: str

    def __call__(self, text: str) -> list[Any]:
        return [self.element(item) for item in text.split(self.delimiter)] if text != "" else []


def convert_column(convert: Convert, fields: Sequence[str]) -> list[Any]:
    """Raises ValueError where one of the fields is not of the type."""
    if convert is str:
        return _strings(fields)
    if convert is _integer:
        return _integers(fields)
    if isinstance(convert, ListConvert):
        return [convert(text) if text else None for text in fields]
    return [convert(text) if text != "" else None for text in fields]


def _strings(fields: Sequence[str]) -> list[Any]:
    if "" in fields:
        return [str(text) if text else None for text in fields]
    return list(fields)


def _integers(fields: Sequence[str]) -> list[Any]:
    if "" in fields:
        return [_integer(text) if text != "" else None for text in fields]
    values = list(map(int, fields))
    if values and (min(values) < _MIN or max(values) > _MAX or any("_" in text for text in fields)):
        raise ValueError("not an INTEGER of 64 bits")
    return values


def integer_of(low: int, high: int, name: str) -> Convert:
    def convert(text: str) -> int:
        value = _integer(text)
        if not low <= value <= high:
            raise ValueError(f"{shown(text)} is not {name}: it is beyond {low} to {high}")
        return value

    return convert


def _integer(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is not an INTEGER") from None
    if "_" in text or not _MIN <= value <= _MAX:
        raise ValueError(f"{shown(text)} is not an INTEGER of 64 bits")
    return value


def _float(text: str) -> float:
    try:
        if "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"{shown(text)} is not a FLOAT")


def _boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.strip().lower()]
    except KeyError:
        raise ValueError(f"{shown(text)} is not a BOOLEAN") from None


def _character(text: str) -> str:
    if len(text) != 1:
        raise ValueError(f"{shown(text)} is not a single character")
    return text


def _json_list(text: str) -> list[str]:
    """The way to write a list of strings that hold the delimiter of arrays."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{shown(text)} is not a JSON list of strings")
    return value


def _extended(kind: str, parse: Callable[[str], Any]) -> Convert:
    def convert(text: str) -> Any:
        try:
            return parse(text)
        except CypherdError as error:
            raise ValueError(f"{shown(text)} is no {kind}: {error.message}") from None

    return convert


_SCALARS: dict[str, Convert] = {
    "STRING": str,
    "INTEGER": _integer,
    "FLOAT": _float,
    "BOOLEAN": _boolean,
    "DATE": _extended("DATE", parsing.parse_date),
    "LOCAL TIME": _extended("LOCAL TIME", parsing.parse_local_time),
    "ZONED TIME": _extended("ZONED TIME", lambda text: parsing.parse_time(text, UTC)),
    "LOCAL DATETIME": _extended("LOCAL DATETIME", parsing.parse_local_date_time),
    "ZONED DATETIME": _extended("ZONED DATETIME", parsing.parse_date_time),
    "DURATION": _extended("DURATION", parsing.parse_duration),
    "POINT": _extended("POINT", parse_point),
}
_LIST = re.compile(rf'LIST OF ({"|".join(_SCALARS)})(?:, "(.)"-separated)?')

HEADER_TYPES: Mapping[str, Convert] = {
    "string": str,
    "char": _character,
    "int": _integer,
    "integer": _integer,
    "long": _integer,
    "short": integer_of(-(1 << 15), (1 << 15) - 1, "a short"),
    "byte": integer_of(-128, 127, "a byte"),
    "float": _float,
    "double": _float,
    "boolean": _boolean,
    "date": _SCALARS["DATE"],
    "localtime": _SCALARS["LOCAL TIME"],
    "time": _SCALARS["ZONED TIME"],
    "localdatetime": _SCALARS["LOCAL DATETIME"],
    "datetime": _SCALARS["ZONED DATETIME"],
    "duration": _SCALARS["DURATION"],
    "point": _SCALARS["POINT"],
    "json": _json_list,
}


def shown(text: str) -> str:
    return repr(str(text) if len(text) <= 40 else text[:37] + "...")
