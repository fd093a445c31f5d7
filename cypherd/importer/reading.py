"""Rows of CSV files, in batches: plain or compressed, one file or several that read as one.

    files -> lines -> csv.reader -> batches of rows that know their lines

Several files are one table: the first line of the first is the header; a later file may repeat
it. `-` is standard input. What is wrong with a file is a problem with its line.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

from cypherd.errors import ImportFailed
from cypherd.importer.conversion import QuotedEmpty
from cypherd.importer.problems import Problems

BATCH = 5000
STANDARD_INPUT = "-"
_LONGEST_FIELD = 1 << 30
_LINE_END = re.compile(r"\r\n|\r|\n")

Rows = list[list[str]]


class Reader(Protocol):
    """What `csv.reader` gives."""

    @property
    def line_num(self) -> int: ...
    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the files are written. An empty `quote`: nothing is quoted."""

    delimiter: str = ","
    quote: str = '"'
    array_delimiter: str = ";"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """`name` is what messages call it."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Batch:
    file: str
    first_line: int
    rows: Rows
    share: float
    """How much of all files of the table has been read, 0 to 1; 0 where nobody knows."""

    def line(self, row: int) -> int:
        """The line that a row begins at; counted on demand, for messages."""
        return self.first_line + sum(map(_lines_of, self.rows[:row]))


@dataclass(slots=True)
class Table:
    """One or several files with one header. Iterate over `batches` once, after `header`."""

    files: Sequence[CsvFile]
    dialect: Dialect
    problems: Problems
    empty_strings: bool = False
    """Whether a quoted empty field is told from a bare one: as QuotedEmpty. Set it before asking
    for batches."""
    _header: list[str] | None = field(default=None, init=False)
    _batches: Iterator[Batch] | None = field(default=None, init=False)

    def header(self) -> list[str] | None:
        """The names; None, and a problem, where there are none."""
        csv.field_size_limit(_LONGEST_FIELD)
        bad = self.problems.bad
        self._batches = self._read()
        next(self._batches, None)
        if self._header is None and self.problems.bad == bad:
            self.problems.add(self.files[0].name, 1, "the file has no header line")
        return self._header

    def batches(self) -> Iterator[Batch]:
        assert self._batches is not None
        return self._batches

    def _read(self) -> Iterator[Batch]:
        """First a batch without rows, once the header is there."""
        sizes = [_size(file) for file in self.files]
        before = 0
        for file, size in zip(self.files, sizes, strict=True):
            with _opened(file) as (text, position):
                yield from self._read_file(file, text, position, before, sum(sizes))
            before += size

    def _read_file(
        self,
        file: CsvFile,
        text: IO[str],
        position: Callable[[], int],
        before: int,
        total: int,
    ) -> Iterator[Batch]:
        lines = _Lines(text)
        reader = _reader(lines, self.dialect)
        line = 1
        try:
            first = next(reader, None)
            if self._header is None:
                if not first:
                    return
                self._header = first
                yield Batch(file.name, 1, [], 0.0)
                first = None
            elif first == self._header:
                first = None
            if first is None:
                line = reader.line_num + 1
                lines.kept.clear()
            while True:
                rows: Rows = [] if first is None else [first]
                first = None
                read, failure = _some(reader, BATCH - len(rows))
                rows += read
                if self.empty_strings and self.dialect.quote:
                    _mark_empty(rows, lines.kept, self.dialect)
                lines.kept.clear()
                if rows:
                    share = (before + position()) / total if total else 0.0
                    yield Batch(file.name, line, rows, share)
                    line += sum(map(_lines_of, rows)) if failure else 0
                if failure is not None:
                    raise failure
                if not rows:
                    return
                line = reader.line_num + 1
        except UnicodeDecodeError:
            self.problems.add(file.name, _undecodable_line(file), "the text is not UTF-8")
        except csv.Error as error:
            self.problems.add(file.name, line, f"not CSV: {error}")


class _Lines:
    """The lines of a text, of which those since the last batch are kept."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self.kept: list[str] = []

    def __iter__(self) -> Iterator[str]:
        keep = self.kept.append
        for line in self._text:
            keep(line)
            yield line


def _reader(lines: _Lines, dialect: Dialect) -> Reader:
    if not dialect.quote:
        return csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=dialect.delimiter, quotechar=dialect.quote, strict=True)


def _some(reader: Reader, count: int) -> tuple[Rows, Exception | None]:
    """The next rows, and what is wrong with the one behind them."""
    rows: Rows = []
    try:
        rows.extend(islice(reader, count))
    except (csv.Error, UnicodeDecodeError) as error:
        return rows, error
    return rows, None


def _lines_of(row: list[str]) -> int:
    return 1 + sum(len(_LINE_END.findall(text)) for text in row if "\n" in text or "\r" in text)


def _mark_empty(rows: Rows, lines: list[str], dialect: Dialect) -> None:
    """Tell quoted empty fields from bare ones: `csv` does not. Only rows that can have one are
    looked at again."""
    twice = dialect.quote * 2
    if not any(twice in line for line in lines):
        return
    at = 0
    for row in rows:
        count = _lines_of(row)
        if "" in row and any(twice in line for line in lines[at : at + count]):
            bare = _bare_empty("".join(lines[at : at + count]), dialect)
            for position, text in enumerate(row):
                if text == "" and position not in bare:
                    row[position] = QuotedEmpty()
        at += count


def _bare_empty(record: str, dialect: Dialect) -> set[int]:
    """Positions of fields with nothing between their delimiters."""
    found: set[int] = set()
    position, start, quoted = 0, 0, False
    record = record.rstrip("\r\n")
    for at, character in enumerate(record):
        # A quote inside of a field that does not begin with one is a character like others.
        if character == dialect.quote and record[start] == dialect.quote:
            quoted = not quoted
        elif character == dialect.delimiter and not quoted:
            if at == start:
                found.add(position)
            position, start = position + 1, at + 1
    if start == len(record):
        found.add(position)
    return found


# --- files ---


@contextmanager
def _opened(file: CsvFile) -> Iterator[tuple[IO[str], Callable[[], int]]]:
    """The text of a file, and how many of its bytes have been read so far."""
    try:
        with _raw(file) as raw, _decompressed(file, raw) as data:
            text = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")
            yield text, raw.tell if file.name != STANDARD_INPUT else lambda: 0
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise ImportFailed(f"cannot read {file.path}: {error}") from error


@contextmanager
def _raw(file: CsvFile) -> Iterator[IO[bytes]]:
    if file.name == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    with file.path.open("rb") as raw:
        yield raw


def _decompressed(file: CsvFile, raw: IO[bytes]) -> IO[bytes]:
    """By the ending of the name. Raises ImportFailed for one that cannot be read here."""
    ending = file.path.suffix.lower()
    if ending == ".gz":
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if ending == ".bz2":
        return bz2.BZ2File(raw)
    if ending == ".xz":
        return lzma.LZMAFile(raw)
    if ending == ".zip":
        return _only_member(file, zipfile.ZipFile(raw))
    if ending in (".zst", ".lz4", ".7z"):
        raise ImportFailed(
            f"cannot read {file.path}: of compressed files, .gz, .bz2, .xz and .zip can be read; "
            "uncompress it, or pipe it in as -"
        )
    return raw


def _only_member(file: CsvFile, archive: zipfile.ZipFile) -> IO[bytes]:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if len(names) != 1:
        raise ImportFailed(f"{file.path} holds {len(names)} files; a .zip must hold one")
    return archive.open(names[0])


def _size(file: CsvFile) -> int:
    if file.name == STANDARD_INPUT:
        return 0
    try:
        return file.path.stat().st_size
    except OSError as error:
        raise ImportFailed(f"cannot read {file.path}: {error}") from error


def _undecodable_line(file: CsvFile) -> int | None:
    if file.name == STANDARD_INPUT:
        return None
    with _raw(file) as raw, _decompressed(file, raw) as data:
        for number, line in enumerate(data, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1
