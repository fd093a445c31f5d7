"""Rows of a CSV file (RFC 4180, UTF-8, header line) as keys and property values.

A bad row is noted with file and line and left out; reading goes on until enough are found.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cypherd.errors import CypherdError, ImportFailed
from cypherd.values.temporal import parsing
from cypherd.values.temporal.zones import UTC

SECOND_LABEL = "STRING (second node label)"
_LONGEST_FIELD = 1 << 30
_MIN, _MAX = -(1 << 63), (1 << 63) - 1

Convert = Callable[[str], Any]


@dataclass(slots=True)
class Problems:
    """Bad rows so far. Raises ImportFailed when there are `limit` of them."""

    limit: int
    found: list[str] = field(default_factory=list)

    def add(self, file: str, line: int | None, what: str) -> None:
        self.found.append(f"{file}:{line}: {what}" if line is not None else f"{file}: {what}")
        if len(self.found) >= max(1, self.limit):
            self.raise_if_any()

    def raise_if_any(self) -> None:
        if self.found:
            more = " (and perhaps more)" if len(self.found) >= self.limit else ""
            number = len(self.found)
            title = f"nothing was imported: {number} bad row{'s' * (number > 1)}{more}"
            raise ImportFailed("\n  ".join([title, *self.found]))


def converter(kind: str) -> Convert:
    """For a column's type in the manifest. Raises ValueError for an unknown one; what it gives
    raises ValueError for text that is not of the type."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    match = _LIST.fullmatch(kind)
    if match is None:
        raise ValueError(f"unknown type {kind!r}")
    convert, separator = _SCALARS[match[1]], match[2] or ";"
    return lambda text: [convert(item) for item in text.split(separator)]


def read_rows(
    folder: Path, file: str, problems: Problems
) -> Iterator[tuple[int, list[str] | None]]:
    """(0, column names) first, then (line a row begins at, its fields; None for a bad row)."""
    csv.field_size_limit(_LONGEST_FIELD)
    path = folder / file
    line = 1
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            names = next(reader, None)
            if not names:
                problems.add(file, 1, "the file has no header line")
                return
            yield 0, names
            line = reader.line_num + 1
            for fields in reader:
                if len(fields) == len(names):
                    yield line, fields
                elif fields:
                    problems.add(file, line, f"{len(fields)} fields instead of {len(names)}")
                    yield line, None
                line = reader.line_num + 1
    except UnicodeDecodeError:
        problems.add(file, _undecodable_line(path), "the text is not UTF-8")
    except csv.Error as error:
        problems.add(file, line, f"not CSV: {error}")
    except OSError as error:
        raise ImportFailed(f"cannot read {path}: {error}") from error


@dataclass(frozen=True, slots=True)
class Columns:
    """What to do with each field of a row, by its position."""

    keys: tuple[int, ...]
    labels: tuple[int, ...]
    properties: tuple[tuple[int, str, Convert], ...]

    @staticmethod
    def of(
        file: str,
        names: list[str],
        types: Mapping[str, str],
        keys: tuple[str, ...],
        key_is_property: bool,
    ) -> Columns:
        """Raises ImportFailed where names, types and `keys` do not fit each other."""
        repeated = sorted({name for name in names if names.count(name) > 1})
        missing = [name for name in (*keys, *types) if name not in names]
        if repeated or missing or "" in names:
            what = f"has no column {missing[0]}" if missing else "repeats or leaves out a name"
            raise ImportFailed(f"{file}:1: the header {what}")
        skipped = () if key_is_property else keys
        try:
            properties = tuple(
                (position, name, converter(types.get(name, "STRING")))
                for position, name in enumerate(names)
                if name not in skipped and types.get(name) != SECOND_LABEL
            )
        except ValueError as error:
            raise ImportFailed(f"{file}: {error}") from error
        labels = [i for i, name in enumerate(names) if types.get(name) == SECOND_LABEL]
        return Columns(tuple(map(names.index, keys)), tuple(labels), properties)

    def values(self, fields: list[str], tokens: Mapping[str, int]) -> dict[int, Any]:
        """Properties by key id; an empty field is an absent property. Raises ValueError naming
        the column."""
        found: dict[int, Any] = {}
        for position, name, convert in self.properties:
            text = fields[position]
            if text:
                try:
                    found[tokens[name]] = convert(text)
                except ValueError as error:
                    raise ValueError(f"column {name}: {error}") from None
        return found


def _integer(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise ValueError(f"{_shown(text)} is not an INTEGER") from None
    if "_" in text or not _MIN <= value <= _MAX:
        raise ValueError(f"{_shown(text)} is not an INTEGER of 64 bits")
    return value


def _float(text: str) -> float:
    try:
        if "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"{_shown(text)} is not a FLOAT")


def _boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.lower()]
    except KeyError:
        raise ValueError(f"{_shown(text)} is not a BOOLEAN") from None


def _temporal(kind: str, parse: Callable[[str], Any]) -> Convert:
    def convert(text: str) -> Any:
        try:
            return parse(text)
        except CypherdError as error:
            raise ValueError(f"{_shown(text)} is no {kind}: {error.message}") from None

    return convert


_SCALARS: dict[str, Convert] = {
    "STRING": str,
    "INTEGER": _integer,
    "FLOAT": _float,
    "BOOLEAN": _boolean,
    "DATE": _temporal("DATE", parsing.parse_date),
    "LOCAL TIME": _temporal("LOCAL TIME", parsing.parse_local_time),
    "ZONED TIME": _temporal("ZONED TIME", lambda text: parsing.parse_time(text, UTC)),
    "LOCAL DATETIME": _temporal("LOCAL DATETIME", parsing.parse_local_date_time),
    "ZONED DATETIME": _temporal("ZONED DATETIME", parsing.parse_date_time),
    "DURATION": _temporal("DURATION", parsing.parse_duration),
}
_LIST = re.compile(rf'LIST OF ({"|".join(_SCALARS)})(?:, "(.)"-separated)?')


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _undecodable_line(path: Path) -> int:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1
