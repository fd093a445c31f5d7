"""Independent readers of every format: a body back into rows of values.

Those of the standard library and of msgpack, and a small CSV reader of our own beside `csv`, which
cannot tell an empty field (null) from `""`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgpack

Rows = list[list[Any]]


def read_json(body: bytes) -> Rows:
    return [list(row) for row in json.loads(body)["data"]]


def read_ndjson(body: bytes) -> Rows:
    head, *rows, end = map(json.loads, body.decode().removesuffix("\n").split("\n"))
    assert list(head) == ["columns"]
    assert end["end"]["rows"] == len(rows)
    return rows


def read_msgpack(body: bytes) -> Rows:
    return [list(row) for row in msgpack.unpackb(body)["data"]]


def read_msgpack_seq(body: bytes) -> Rows:
    unpacker = msgpack.Unpacker(max_buffer_size=0)
    unpacker.feed(body)
    head, *rows, end = unpacker
    assert list(head) == ["columns"]
    assert end["end"]["rows"] == len(rows)
    return rows


def read_csv(body: bytes) -> Rows:
    """Fields as text, None where there is nothing, not even quotes; `csv` has to agree."""
    text = body.decode()
    records = list(_records(text))
    csv.field_size_limit(1 << 30)
    by_library = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    # The library takes a lone empty field for a line without fields.
    assert [row or [""] for row in by_library] == [[field or "" for field in r] for r in records]
    return records[1:]


def _records(text: str) -> Iterator[list[str | None]]:
    """RFC 4180, character by character; every record ends with CRLF."""
    row: list[str | None] = []
    at = 0
    while at < len(text):
        quoted = text[at] == '"'
        if quoted:
            field, at = _quoted_field(text, at + 1)
        else:
            end = min(i for i in (text.find(",", at), text.find("\r\n", at)) if i >= 0)
            field, at = text[at:end], end
            assert not set('"\r\n') & set(field)
        row.append(field if quoted or field else None)
        if text[at] == ",":
            at += 1
            if text.startswith("\r\n", at):
                row.append(None)
        if text.startswith("\r\n", at):
            yield row
            row = []
            at += 2
    assert row == []


def _quoted_field(text: str, at: int) -> tuple[str, int]:
    parts = []
    while True:
        end = text.index('"', at)
        parts.append(text[at:end])
        if text[end + 1] != '"':
            return '"'.join(parts), end + 1
        at = end + 2


def read_text(body: bytes) -> Rows:
    """The cells of a table of one column, as text."""
    head, line, *rows, foot = body.decode().removesuffix("\n").split("\n")
    assert head.startswith(" ")
    assert set(line) <= set("-+")
    assert foot == f"({len(rows)} row{'' if len(rows) == 1 else 's'})"
    return [[row[1:].strip(" ")] for row in rows]


def read_html(body: bytes) -> Rows:
    """(class of the cell, its text) of every cell of the table body."""
    reader = _Table()
    reader.feed(body.decode())
    reader.close()
    return reader.rows


class _Table(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: Rows = []
        self._inside = self._in_row = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tbody":
            self._inside = True
        elif self._inside and tag == "tr":
            self.rows.append([])
            self._in_row = True
        elif self._inside and tag == "td":
            self.rows[-1].append((dict(attrs).get("class") or "text", ""))

    def handle_data(self, data: str) -> None:
        if self._in_row and self.rows[-1]:
            kind, text = self.rows[-1][-1]
            self.rows[-1][-1] = (kind, text + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self._in_row = False
        if tag == "tbody":
            self._inside = False
