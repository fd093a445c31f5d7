"""MessagePack: the shape of JSON in one map, or a sequence of objects that streams.

A MessagePack array begins with its length, so the one map can only be written when the last row
is known: its rows wait in memory, then in a file, never all in memory. The sequence is NDJSON in
MessagePack: `{"columns"}`, an array or map a row, and `{"end"}` or `{"errors"}`.

Floats stay floats, also NaN and the infinities. Nodes, relationships and paths are maps as in JSON.
Temporal values are extension types, with a number for each kind and their ISO 8601 text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import IO, Any, ClassVar, Self

import msgpack

from cypherd.batch.columns import Batch
from cypherd.engine import Result
from cypherd.errors import CypherdError, MemoryLimitExceeded, StorageFull
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.json_format import trailer_parts
from cypherd.render.renderer import CHUNK_BYTES, Headers, RenderOptions
from cypherd.render.values import write_with
from cypherd.values.extensions import EXTENDED, sent

_IN_MEMORY = 4 << 20
_KEPT: frozenset[type] = frozenset({str, bool, float, type(None), *EXTENDED})

Pack = Callable[[Any], bytes]


class MsgpackRenderer:
    name: ClassVar[str] = "msgpack"
    media_types: ClassVar[tuple[str, ...]] = (
        "application/msgpack",
        "application/x-msgpack",
        "application/vnd.msgpack",
    )
    is_text: ClassVar[bool] = False
    in_band_errors: ClassVar[bool] = False
    headers: ClassVar[Headers] = (
        (b"content-disposition", b'attachment; filename="result.msgpack"'),
    )

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        packer = _packer()
        with _Rows(options.spool_limit) as rows:
            for batch in in_pieces(result.batches, rows):
                if batch.length:
                    rows.add(_packed(packer.pack, batch, result.columns, options), batch.length)
            trailer = trailer_parts(result, options)
            buffer = ChunkBuffer()
            buffer.write(packer.pack_map_header(2 + len(trailer)))
            buffer.write(packer.pack("columns") + packer.pack(result.columns))
            buffer.write(packer.pack("data") + packer.pack_array_header(rows.count))
            for part in rows.taken():
                buffer.write(part)
                if buffer.due():
                    yield buffer.take()
            for pair in trailer.items():
                buffer.write(b"".join(map(packer.pack, pair)))
            yield buffer.take()


class MsgpackSequenceRenderer:
    name: ClassVar[str] = "msgpack-seq"
    media_types: ClassVar[tuple[str, ...]] = ("application/x-msgpack-seq",)
    is_text: ClassVar[bool] = False
    in_band_errors: ClassVar[bool] = True
    headers: ClassVar[Headers] = MsgpackRenderer.headers

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        pack = _packer().pack
        buffer = ChunkBuffer()
        buffer.write(pack({"columns": result.columns}))
        count = 0
        try:
            for batch in in_pieces(result.batches, buffer):
                if batch.length:
                    buffer.write(_packed(pack, batch, result.columns, options))
                    count += batch.length
                if buffer.due():
                    yield buffer.take()
        except CypherdError as error:
            if buffer.sent:
                buffer.write(error_object(error))
                yield buffer.take()
            raise
        buffer.write(pack({"end": {"rows": count, **trailer_parts(result, options)}}))
        yield buffer.take()


def error_object(error: CypherdError) -> bytes:
    """The one error body, in MessagePack."""
    return _packer().pack({"errors": [error.to_dict()]})


def _packer() -> msgpack.Packer:
    return msgpack.Packer(default=_written)


def _written(value: Any) -> Any:
    """What the packer does not know, one level of it; it asks again for what is inside."""
    if isinstance(value, EXTENDED):
        return msgpack.ExtType(*sent(value))
    return write_with(value, _kept)


def _kept(value: Any) -> Any:
    return value


def _exact(value: Any) -> Any:
    """Integers as strings, at every depth."""
    if type(value) is int:
        return str(value)
    return value if type(value) in _KEPT else write_with(value, _exact)


def _packed(pack: Pack, batch: Batch, columns: tuple[str, ...], options: RenderOptions) -> bytes:
    """The rows of a batch one after another: an array of them without its header."""
    values: list[Sequence[Any]] = [batch.columns[name].to_list() for name in columns]
    if options.integers == "string":
        values = [[_exact(value) for value in column] for column in values]
    rows: list[Any] = list(zip(*values, strict=True)) if values else [()] * batch.length
    if options.rows == "objects":
        rows = [dict(zip(columns, row, strict=True)) for row in rows]
    return pack(rows)[_header_size(batch.length) :]


def _header_size(length: int) -> int:
    """Bytes in the header of an array (the MessagePack specification, "array format family")."""
    if length < 16:
        return 1
    return 3 if length < 1 << 16 else 5


class _Rows:
    """Packed rows that wait for their number: the first in memory, the rest in an unnamed file."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._held = 0
        self.total = 0
        self._file: IO[bytes] | None = None
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, data: bytes, rows: int) -> None:
        """Raises MemoryLimitExceeded, naming the setting; StorageFull."""
        self.count += rows
        self.total += len(data)
        if self.total > self._limit:
            raise MemoryLimitExceeded(
                f"the result is larger than the {self._limit:,} bytes that the setting spool_limit "
                "allows; the format msgpack-seq needs no spool"
            )
        if self._file is None and self._held + len(data) <= _IN_MEMORY:
            self._parts.append(data)
            self._held += len(data)
        else:
            self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115
            self._file.write(data)
        except OSError as error:
            raise StorageFull(f"cannot spool the result: {error.strerror}") from error

    def taken(self) -> Iterator[bytes]:
        """Everything, in order; what was in memory is forgotten."""
        parts, self._parts = self._parts, []
        yield from parts
        if self._file is not None:
            self._file.seek(0)
            while data := self._file.read(CHUNK_BYTES):
                yield data
