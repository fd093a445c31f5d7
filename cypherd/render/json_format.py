"""JSON: one object, `{"columns": [...], "data": [...]}`, then stats, plan and notifications."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

from cypherd.batch.columns import Batch
from cypherd.engine import Result
from cypherd.errors import CypherdError
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.renderer import Headers, RenderOptions
from cypherd.render.values import encode_rows, to_json


class JsonRenderer:
    name: ClassVar[str] = "json"
    media_types: ClassVar[tuple[str, ...]] = ("application/json",)
    is_text: ClassVar[bool] = True
    in_band_errors: ClassVar[bool] = True
    headers: ClassVar[Headers] = ()

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        if result.whole is not None:
            return iter((_whole(result, result.whole, options),))
        return self._streamed(result, options)

    def _streamed(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        buffer = ChunkBuffer()
        buffer.write(b'{"columns":' + _names(result.columns) + b',"data":[')
        separator = b""
        try:
            for batch in in_pieces(result.batches, buffer):
                if batch.length:
                    rows = to_json(encode_rows(batch, result.columns, options))
                    buffer.write(separator)
                    buffer.write(rows[1:-1])
                    separator = b","
                if buffer.due():
                    yield buffer.take()
        except CypherdError as error:
            if buffer.sent:
                buffer.write(b'],"errors":' + to_json([error.to_dict()]) + b"}")
                yield buffer.take()
            raise
        buffer.write(b"]" + _trailer(result, options) + b"}")
        yield buffer.take()


def _whole(result: Result, batch: Batch, options: RenderOptions) -> bytes:
    rows = to_json(encode_rows(batch, result.columns, options))
    head = b'{"columns":' + _names(result.columns) + b',"data":'
    return b"".join((head, rows, _trailer(result, options), b"}"))


@lru_cache(maxsize=1024)
def _names(columns: tuple[str, ...]) -> bytes:
    return to_json(columns)


def _trailer(result: Result, options: RenderOptions) -> bytes:
    parts = trailer_parts(result, options)
    return b"".join(b',"' + key.encode() + b'":' + to_json(value) for key, value in parts.items())


def trailer_parts(result: Result, options: RenderOptions) -> dict[str, Any]:
    """stats, plan and notifications, each only where there is something to say."""
    parts = {
        "stats": {} if result.plan.kind == "read" else result.stats.to_dict(),
        "plan": result.plan_description(),
        "notifications": options.told(result.plan.notifications),
    }
    return {key: value for key, value in parts.items() if value}
