"""A table for a terminal: columns lined up by the width that a terminal gives their characters.

The widths come from the first rows, so that the table can stream; a wider cell further down pushes
its own row, it is never cut. The last line tells the number of rows: a table without it is not
whole. An error after the first chunk breaks the body off.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, ClassVar

from cypherd.batch.columns import Batch
from cypherd.engine import Result
from cypherd.render.cells import Cells, number_cells
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.literals import literal, printable, string_literals
from cypherd.render.plans import plan_as_rows
from cypherd.render.renderer import PATIENCE, Headers, RenderOptions

_SAMPLE = 1000
# One long text should not push everything else off the screen.
_WIDEST = 60
_STEP = 16
CellsOf = Callable[[Sequence[Any]], Cells]
_NUMBERS: frozenset[type] = frozenset({int, float, type(None)})


class TextRenderer:
    name: ClassVar[str] = "text"
    media_types: ClassVar[tuple[str, ...]] = ("text/plain",)
    is_text: ClassVar[bool] = True
    in_band_errors: ClassVar[bool] = False
    headers: ClassVar[Headers] = ()

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        result = plan_as_rows(result)
        columns, batches = result.columns, result.batches
        # Of a plan people want to read the names of operators, not Cypher strings.
        cells_of = _cells if result.plan.mode is None else _plan_cells
        buffer = ChunkBuffer()
        sample = _sample(batches) if columns else []
        layout = _layout(columns, sample, cells_of)
        if columns:
            buffer.write(layout.head(columns))
        count = 0
        for batch in in_pieces(_all(sample, batches), buffer):
            if batch.length and columns:
                values = [cells_of(batch.columns[name].to_list()) for name in columns]
                buffer.write(layout.rows(values))
            count += batch.length
            if buffer.due():
                yield buffer.take()
        buffer.write(_foot(count, result, options, rows=bool(columns)))
        yield buffer.take()


@dataclass(frozen=True, slots=True)
class _Layout:
    """The width of each column, and whether it is lined up to the right."""

    widths: tuple[int, ...]
    right: tuple[bool, ...]

    def head(self, names: Sequence[str]) -> bytes:
        dashes = "+".join("-" * (width + 2) for width in self.widths)
        return self.rows([[printable(name)] for name in names]) + f"{dashes}\n".encode()

    def rows(self, columns: Sequence[Cells]) -> bytes:
        """One `%` a row pads all cells that need no look at their characters."""
        last = len(columns) - 1
        cells, fields = [], []
        for i, (column, width, right) in enumerate(
            zip(columns, self.widths, self.right, strict=True)
        ):
            if right:
                fields.append(f"%{width}s")
            elif i == last:
                # Blanks at the end of a line only make it wrap.
                fields.append("%s")
            elif "".join(column).isascii():
                fields.append(f"%-{width}s")
            else:
                column = [cell + " " * (width - display_width(cell)) for cell in column]
                fields.append("%s")
            cells.append(column)
        line = f" {' | '.join(fields)}\n"
        return "".join(map(line.__mod__, zip(*cells, strict=True))).encode()


def _layout(names: Sequence[str], sample: Sequence[Batch], cells_of: CellsOf) -> _Layout:
    widths = [display_width(printable(name)) for name in names]
    right = [bool(sample)] * len(names)
    for batch in sample:
        for i, name in enumerate(names):
            values = batch.columns[name].to_list()
            right[i] = right[i] and set(map(type, values)) <= _NUMBERS
            widths[i] = max(widths[i], _widest(values, cells_of))
    return _Layout(tuple(widths), tuple(right))


def _widest(values: Sequence[Any], cells_of: CellsOf) -> int:
    """The width that a column needs, up to _WIDEST: the first cell of that much ends the search,
    so that few of a column's huge values are looked at."""
    widest = 0
    for start in range(0, len(values), _STEP):
        cells = cells_of(values[start : start + _STEP])
        widest = max(widest, *map(display_width, cells))
        if widest >= _WIDEST:
            break
    return min(widest, _WIDEST)


def _sample(batches: Iterator[Batch]) -> list[Batch]:
    """The first rows, or as many as come before a client would wait."""
    sample: list[Batch] = []
    rows = 0
    began = monotonic()
    for batch in batches:
        sample.append(batch)
        rows += batch.length
        if rows >= _SAMPLE or monotonic() - began >= PATIENCE:
            break
    return sample


def _all(sample: list[Batch], batches: Iterator[Batch]) -> Iterator[Batch]:
    while sample:
        yield sample.pop(0)
    yield from batches


def _cells(values: Sequence[Any]) -> Cells:
    numbers = number_cells(values, null="null")
    if numbers is not None:
        return numbers
    if set(map(type, values)) == {str}:
        return string_literals(values)
    return [literal(value) for value in values]


def _plan_cells(values: Sequence[Any]) -> Cells:
    return [
        value if isinstance(value, str) else "" if value is None else f"{value:,}"
        for value in values
    ]


def _foot(count: int, result: Result, options: RenderOptions, *, rows: bool) -> bytes:
    told = [f"{count} row{'' if count == 1 else 's'}"] if rows else []
    told += [f"{name.replace('_', ' ')}: {n}" for name, n in result.stats.to_dict().items()]
    text = ", ".join(told) or "nothing was changed"
    notes = map(_note, options.told(result.plan.notifications))
    lines = [f"({text})", *(f"note: {note}" for note in notes)]
    return ("\n".join(lines) + "\n").encode()


def _note(notification: Mapping[str, Any]) -> str:
    return printable(str(notification.get("description") or literal(notification)))


# --- widths -----------------------------------------------------------------------------


class _Widths(dict[str, int]):
    """Columns of a terminal that a character takes, by Unicode Standard Annex 11: two for wide and
    full-width ones, none for marks that combine with the one before and for invisible ones."""

    def __missing__(self, character: str) -> int:
        if unicodedata.category(character) in ("Mn", "Me", "Cf"):
            width = 0
        else:
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        self[character] = width
        return width


_WIDTHS = _Widths()


def display_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return len(text) if text.isascii() else sum(map(_WIDTHS.__getitem__, text))
