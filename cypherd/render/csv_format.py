"""CSV as RFC 4180 has it: a header line, CRLF, quotes where they are needed.

Null is an empty field, the empty string is `""`. An error after the first chunk breaks the body
off: a CSV file has no place for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from cypherd.engine import Result
from cypherd.render.cells import Cells, number_cells, text_of
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.plans import plan_as_rows
from cypherd.render.renderer import Headers, RenderOptions

_SPECIAL = re.compile(r'[",\r\n]')
# What spreadsheets take for the beginning of a formula, also in its full-width forms.
_FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_BOM = "\ufeff"


class CsvRenderer:
    """Exact: what is read back is what was written."""

    name: ClassVar[str] = "csv"
    media_types: ClassVar[tuple[str, ...]] = ("text/csv",)
    is_text: ClassVar[bool] = True
    in_band_errors: ClassVar[bool] = False
    headers: ClassVar[Headers] = ((b"content-disposition", b'attachment; filename="result.csv"'),)

    _start: ClassVar[str] = ""

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        result = plan_as_rows(result)
        columns, batches = result.columns, result.batches
        exact = options.integers == "string"
        buffer = ChunkBuffer()
        buffer.write(self._header(columns))
        for batch in in_pieces(batches, buffer):
            if batch.length and columns:
                cells = [self._cells(batch.columns[name].to_list(), exact) for name in columns]
                buffer.write(_lines(cells))
            if buffer.due():
                yield buffer.take()
        yield buffer.take()

    def _header(self, columns: Sequence[str]) -> bytes:
        if not columns:
            return b""
        return (self._start + ",".join(map(self._string, columns)) + "\r\n").encode()

    def _cells(self, values: Sequence[Any], exact: bool) -> Cells:
        numbers = number_cells(values, null="")
        if numbers is not None:
            return numbers
        if set(map(type, values)) == {str}:
            return self._strings(values)
        return [self._cell(value, exact) for value in values]

    def _strings(self, values: Sequence[str]) -> Cells:
        """Looked at together first: most columns have nothing that must be quoted."""
        together = "".join(values)
        if "" not in values and not _SPECIAL.search(together):
            return values
        return [_quoted(value) for value in values]

    def _cell(self, value: Any, exact: bool) -> str:
        if value is None:
            return ""
        if type(value) is str:
            return self._string(value)
        numbers = number_cells((value,), null="")
        return numbers[0] if numbers is not None else _quoted(text_of(value, exact=exact))

    def _string(self, value: str) -> str:
        return _quoted(value)


class ExcelCsvRenderer(CsvRenderer):
    """For spreadsheets: with a byte order mark, so that they read UTF-8, and an apostrophe before
    strings that they would run as formulas. Those strings are changed; numbers are not."""

    name: ClassVar[str] = "csv-excel"

    _start: ClassVar[str] = _BOM

    def _strings(self, values: Sequence[str]) -> Cells:
        if _FORMULA.isdisjoint({value[:1] for value in values}):
            return super()._strings(values)
        return [self._string(value) for value in values]

    def _string(self, value: str) -> str:
        return _quoted("'" + value if value[:1] in _FORMULA else value)


def _quoted(text: str) -> str:
    if text and not _SPECIAL.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _lines(cells: Sequence[Cells]) -> bytes:
    return ("\r\n".join(map(",".join, zip(*cells, strict=True))) + "\r\n").encode()
