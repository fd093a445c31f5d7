"""Text -> rows of CSV, a line at a time, as Neo4j reads them.

A bare empty field is null, a quoted one the empty string. A quoted field may go over lines; a
quote in it is doubled or stands behind a backslash. In a bare field quotes are characters like
others. Empty lines are no rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TextIO

from cypherd.errors import ExternalResourceFailed

Row = list[str | None]
_PIECE = 1 << 20
_SPECIAL = re.compile(r'["\\]')


class CsvRows:
    """Iterate for rows; `line` is then the number of the last line that was read, from 1."""

    def __init__(
        self, text: TextIO, url: str, terminator: str, hold: Callable[[int], None]
    ) -> None:
        """`hold` is told of the length of lines and fields that are longer than a piece."""
        self._text = text
        self._url = url
        self._terminator = terminator
        self._hold = hold
        self.line = 0

    def __iter__(self) -> Iterator[Row]:
        terminator = self._terminator
        while (line := self._next_line()) is not None:
            content = line.rstrip("\r\n")
            if not content:
                continue
            if '"' in content:
                yield self._with_quotes(line)
            else:
                yield [field or None for field in content.split(terminator)]

    def _next_line(self) -> str | None:
        line = self._text.readline(_PIECE)
        if not line:
            return None
        self.line += 1
        if len(line) < _PIECE or line[-1] in "\r\n":
            return line
        parts = [line]
        while part := self._text.readline(_PIECE):
            self._hold(len(part))
            parts.append(part)
            if part[-1] in "\r\n":
                break
        return "".join(parts)

    def _with_quotes(self, line: str) -> Row:
        first = self.line
        fields: Row = []
        place, terminator = 0, self._terminator
        while True:
            if line.startswith('"', place):
                value, line, place = self._quoted(line, place + 1, first)
                fields.append(value)
            else:
                end = line.find(terminator, place)
                end = len(line.rstrip("\r\n")) if end < 0 else end
                fields.append(line[place:end] or None)
                place = end
            if not line[place:].rstrip("\r\n"):
                return fields
            if not line.startswith(terminator, place):
                raise self._fault(f"there is text behind the quotes of field {len(fields)}")
            place += 1
            if not line[place:].rstrip("\r\n"):
                fields.append(None)
                return fields

    def _quoted(self, line: str, place: int, first: int) -> tuple[str, str, int]:
        """The field whose content begins at `place`, and the line and place behind it."""
        parts: list[str] = []
        while True:
            found = _SPECIAL.search(line, place)
            if found is None:
                parts.append(line[place:])
                self._hold(len(line))
                more = self._next_line()
                if more is None:
                    raise self._fault(f"the quotes that open in line {first} do not close")
                line, place = more, 0
                continue
            parts.append(line[place : found.start()])
            place = found.end()
            if line.startswith('"', place):
                parts.append('"')
                place += 1
            elif found[0] == '"':
                return "".join(parts), line, place
            else:
                parts.append("\\")

    def _fault(self, what: str) -> ExternalResourceFailed:
        return ExternalResourceFailed(f"{self._url!r}, line {self.line}: {what}")
