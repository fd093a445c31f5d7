"""Rows of CSV: what Neo4j's LOAD CSV reads, and what Python's csv writes."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.errors import ExternalResourceFailed
from cypherd.executor import csv_rows
from cypherd.executor.csv_rows import CsvRows, Row


def rows(text: str, terminator: str = ",") -> list[Row]:
    return list(CsvRows(io.StringIO(text, newline=""), "x.csv", terminator, lambda _: None))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", [["a"]]),
        ("a,b\n", [["a", "b"]]),
        ("a,b\r\nc,d\re,f", [["a", "b"], ["c", "d"], ["e", "f"]]),
        ("a,,\n", [["a", None, None]]),
        (",\n", [[None, None]]),
        ('"",a,""\n', [["", "a", ""]]),
        ('"a",\n', [["a", None]]),
        ('"a ""b"" c"\n', [['a "b" c']]),
        ('"a \\"b\\" c"\n', [['a "b" c']]),
        ('"a \\b"\n', [["a \\b"]]),
        ('""""\n', [['"']]),
        ('"a\nb\r\n\nc",d\n', [["a\nb\r\n\nc", "d"]]),
        ('5" disk,"x"\n', [['5" disk', "x"]]),
        ("\n\r\na\n\n", [["a"]]),
        (" a , b ", [[" a ", " b "]]),
        ('"a,b",c', [["a,b", "c"]]),
    ],
)
def test_rows(text: str, expected: list[Row]) -> None:
    assert rows(text) == expected


def test_another_terminator() -> None:
    assert rows('a;"b;c"\t\n'.replace("\t", ""), ";") == [["a", "b;c"]]
    assert rows('a\t"b"\t\n', "\t") == [["a", "b", None]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a\n"b\nc', "line 3: the quotes that open in line 2 do not close"),
        ('a\nb,"c"d\n', "line 2: there is text behind the quotes of field 2"),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(ExternalResourceFailed, match=message):
        rows(text)


def test_the_line_is_the_last_of_the_row() -> None:
    found = CsvRows(io.StringIO('a\n"b\nc"\n\nd\n', newline=""), "x.csv", ",", lambda _: None)
    assert [(found.line, row) for row in found] == [(1, ["a"]), (3, ["b\nc"]), (5, ["d"])]


def test_long_lines_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "_PIECE", 10)
    held: list[int] = []
    text = io.StringIO("x" * 95 + "\n" + "y" * 9 + "\n", newline="")
    assert list(CsvRows(text, "x.csv", ",", held.append)) == [["x" * 95], ["y" * 9]]
    assert sum(held) == 86


FIELDS = st.text(st.sampled_from('ab",;\\\n\r é')).filter(lambda field: "\\" not in field)


@given(st.lists(st.lists(FIELDS, min_size=1, max_size=4), max_size=5))
def test_what_csv_writes_is_read(given_rows: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(given_rows)
    assert rows(text.getvalue()) == given_rows
