"""NDJSON: a line with the columns, a line a row, and a last line that says how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from cypherd.engine import Result
from cypherd.errors import CypherdError
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.json_format import trailer_parts
from cypherd.render.renderer import Headers, RenderOptions
from cypherd.render.values import encode_rows, to_json


class NdjsonRenderer:
    name: ClassVar[str] = "ndjson"
    media_types: ClassVar[tuple[str, ...]] = (
        "application/x-ndjson",
        "application/jsonl",
        "application/ndjson",
    )
    is_text: ClassVar[bool] = True
    in_band_errors: ClassVar[bool] = True
    headers: ClassVar[Headers] = ()

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        buffer = ChunkBuffer()
        buffer.write(to_json({"columns": result.columns}) + b"\n")
        count = 0
        try:
            for batch in in_pieces(result.batches, buffer):
                if batch.length:
                    rows = encode_rows(batch, result.columns, options)
                    buffer.write(_lines(rows))
                    count += batch.length
                if buffer.due():
                    yield buffer.take()
        except CypherdError as error:
            if buffer.sent:
                buffer.write(to_json({"errors": [error.to_dict()]}) + b"\n")
                yield buffer.take()
            raise
        buffer.write(to_json({"end": {"rows": count, **trailer_parts(result, options)}}) + b"\n")
        yield buffer.take()


def _lines(rows: list[Any]) -> bytes:
    """A line a row. All are written at once, which is several times as fast as one by one, and
    parted where one row ends and the next begins; if that shows nowhere else."""
    between = b"],[" if isinstance(rows[0], tuple) else b"},{"
    together = to_json(rows)
    if together.count(between) == len(rows) - 1:
        return together[1:-1].replace(between, between.replace(b",", b"\n")) + b"\n"
    return b"\n".join(map(to_json, rows)) + b"\n"
