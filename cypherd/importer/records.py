"""Property columns of a batch as one map of values a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cypherd.importer.columns import Property
from cypherd.importer.conversion import convert_column
from cypherd.importer.reading import Rows


class Records:
    """`token` gives the id of a property's name."""

    def __init__(self, properties: Sequence[Property], token: Callable[[str], int]) -> None:
        self._properties = properties
        self._tokens = [token(item.name) for item in properties]

    def of(self, rows: Rows) -> list[dict[int, Any]]:
        """Raises ValueError where a field is not of its type."""
        if not self._properties or not rows:
            return [{} for _ in rows]
        fields = list(zip(*rows, strict=True))
        columns = [convert_column(item.convert, fields[item.position]) for item in self._properties]
        tokens = self._tokens
        complete = not any(None in column for column in columns)
        if complete:
            return [dict(zip(tokens, values, strict=True)) for values in zip(*columns, strict=True)]
        return [
            {token: value for token, value in zip(tokens, values, strict=True) if value is not None}
            for values in zip(*columns, strict=True)
        ]

    def fault(self, row: Sequence[str]) -> str | None:
        """What is wrong with a row, naming the column; None if nothing."""
        for item in self._properties:
            text = row[item.position]
            try:
                if text != "":
                    item.convert(text)
            except ValueError as error:
                return f"column {item.name}: {error}"
        return None


def count(records: Sequence[Mapping[int, Any]]) -> int:
    return sum(map(len, records))
