"""Texts and parameters that would make a parser, planner, renderer or page stumble."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from tests.http.hostile.wire import TEXT, Case, Wire, ask, check, post

OK = (200,)
BAD = (400,)
# Long work ends at its deadline, or is refused for its depth, length or memory.
LIMITS = (200, 400, 422, 504)
_LARGE = (400, 504)
_DEADLINE = "Cypher-Timeout: 3s"


def _text(name: str, query: str, statuses: tuple[int, ...] = BAD, says: bytes = b"") -> Case:
    return Case(name, post(query.encode(), TEXT, _DEADLINE), statuses, says)


CASES = [
    _text("1 MB of opening parentheses", "RETURN " + "(" * 1_000_000, _LARGE),
    _text("1 MB of parentheses", "RETURN " + "(" * 500_000 + "1" + ")" * 500_000, _LARGE),
    _text("1 MB of closing parentheses", "RETURN 1" + ")" * 1_000_000, _LARGE),
    _text("1 MB of brackets", "RETURN " + "[" * 1_000_000, _LARGE),
    _text("1 MB of braces", "RETURN " + "{a:" * 300_000, _LARGE),
    _text("1 MB of a name", "RETURN " + "a" * 1_000_000, _LARGE),
    _text("a quoted name of 100,000 characters", f"RETURN 1 AS `{'n' * 100_000}`", OK),
    _text("a label of 100,000 characters", f"MATCH (n:{'L' * 100_000}) RETURN n", OK),
    _text("a property of 100,000 characters", f"MATCH (n) RETURN n.{'p' * 100_000} LIMIT 0", OK),
    _text("a number of 100,000 digits", "RETURN " + "9" * 100_000),
    _text("a float of 100,000 digits", "RETURN 0." + "9" * 100_000, LIMITS),
    _text("a float beyond all", "RETURN 1e999", LIMITS),
    _text("a string of 1 MB", f"RETURN size('{'x' * 1_000_000}')", OK, b"1000000"),
    _text("1 MB of quotes", "RETURN " + "'" * 1_000_000, _LARGE),
    _text("1 MB of backslashes", "RETURN '" + "\\" * 1_000_000, _LARGE),
    _text("1 MB of backticks", "`" * 1_000_000, _LARGE),
    _text("1 MB of dashes", "RETURN " + "-" * 1_000_000 + "1", LIMITS),
    _text("NOT 20,000 times", "RETURN " + "NOT " * 20_000 + "true", LIMITS),
    _text("10,000 additions", "RETURN " + "1+" * 10_000 + "1", LIMITS),
    _text("10,000 comparisons", "RETURN " + "1<" * 10_000 + "1", LIMITS),
    _text("10,000 alternatives", "RETURN " + "true OR " * 10_000 + "true", LIMITS),
    _text("10,000 lookups", "RETURN [1]" + "[0]" * 10_000, LIMITS),
    _text("10,000 properties of properties", "RETURN {a: 1}" + ".a" * 10_000, LIMITS),
    _text("a list of 100,000", "RETURN size([" + "1," * 99_999 + "1]) AS n", LIMITS),
    _text("10,000 columns", "RETURN " + ",".join(f"{i} AS c{i}" for i in range(10_000)), LIMITS),
    _text("500 UNIONs", " UNION ALL ".join(["RETURN 1 AS x"] * 500), LIMITS),
    _text("500 clauses", "MATCH (n) " * 500 + "RETURN 1", LIMITS),
    _text("1,000 WITHs", "WITH 1 AS x " * 1_000 + "RETURN x", LIMITS),
    _text("a pattern of 5,000 nodes", "MATCH " + "-->".join(["()"] * 5_000) + " RETURN 1", LIMITS),
    _text("1,000 nodes to create, in a read", "MATCH (n:None) WITH n LIMIT 0 CREATE "
          + ",".join(["(:None)"] * 1_000) + " RETURN 1", LIMITS),
    _text("CASE 10,000 times", "RETURN CASE " + "WHEN false THEN 1 " * 10_000 + "END", LIMITS),
    _text("CASE in CASE", "RETURN " + "CASE WHEN true THEN " * 1_000 + "1" + " END" * 1_000,
         LIMITS),
    _text("functions in functions", "RETURN " + "abs(" * 1_000 + "1" + ")" * 1_000, LIMITS),
    _text("subqueries in subqueries", "RETURN " + "EXISTS { MATCH () WHERE " * 300 + "true"
          + "}" * 300, LIMITS),
    _text("comprehensions in comprehensions", "RETURN " + "[x IN " * 300 + "[1]" + "]" * 300,
         LIMITS),
    _text("a hop of any length", "MATCH (a)-[*0..999999999]-(b) RETURN count(*)", LIMITS),
    _text("a hop of 30 digits", "MATCH ()-[*" + "9" * 30 + "]-() RETURN 1", BAD),
    _text("a range of everything", "RETURN range(1, 9223372036854775807)", (400, 422, 504)),
    _text("a list that doubles", "WITH [1] AS l " + "WITH l + l AS l " * 40 + "RETURN size(l)",
         LIMITS),
    _text("a string that doubles", "WITH 'x' AS s " + "WITH s + s AS s " * 40 + "RETURN size(s)",
          LIMITS),
    _text("a product of everything", "UNWIND range(1,100000) AS a UNWIND range(1,100000) AS b "
          "RETURN count(*)", LIMITS),
    _text("a sort of much", "UNWIND range(1, 50000000) AS x RETURN x ORDER BY -x LIMIT 1", LIMITS),
    _text("a regular expression that backtracks", "RETURN '" + "a" * 5_000 + "!' =~ '(a+)+$'", OK),
    _text("a regular expression of 10,000 groups", "RETURN 'a' =~ '" + "(" * 10_000 + "'", LIMITS),
    _text("a regular expression that repeats", "RETURN 'a' =~ 'a{1000}{1000}{1000}'", LIMITS),
    _text("skip a negative number", "RETURN 1 SKIP -1", BAD),
    _text("limit by text", "RETURN 1 LIMIT 'x'", BAD),
    _text("comment without an end", "RETURN 1 /* " + "x" * 100_000, BAD),
    _text("comment in a comment", "RETURN 1 /* /* */", OK),
    _text("comments only", "// " + "x" * 100_000, BAD),
    _text("100,000 comments", "/**/" * 100_000 + "RETURN 1", LIMITS),
    _text("line without an end", "RETURN 1 //", OK),
    _text("100,000 line ends", "\n" * 100_000 + "RETURN", BAD),
    _text("semicolons", ";" * 100_000, BAD),
    _text("several statements", "RETURN 1; CREATE (:Evil)", BAD),
    *(_text(f"control character {i}", f"RETURN{chr(i)}1", (200, 400))
      for i in (*range(32), 127, 0x85, 0xA0)),
    _text("all control characters in a string",
          "RETURN '" + "".join(map(chr, (*range(1, 32), 127))) + "' AS x", (200, 400)),
    _text("right to left", "RETURN 'שלום \u202e\u2066 مرحبا' AS `\u202eעברית`", OK),
    _text("right to left outside of a string", "RETURN \u202e1", BAD),
    _text("zero width", "RETURN 1\u200b\u200d\ufeff", (200, 400)),
    _text("letters that look alike", "RЕTURN 1", BAD),
    _text("wide digits", "RETURN \uff11\uff12", BAD),
    _text("name of 10,000 combining marks", "RETURN 1 AS a" + "\u0301" * 10_000, (200, 400)),
    _text("beyond the first plane", "RETURN '\U0010ffff\U0001f600' AS x", OK),
    _text("no characters", "RETURN '\uffff\ufffe\ufdd0' AS x", OK),
    _text("half a pair, escaped", r"RETURN '\uD800'", BAD),
    _text("escape that is cut", r"RETURN '\u00'", BAD),
    _text("escape beyond Unicode", r"RETURN '\UFFFFFFFF'", BAD),
    _text("template", "{{ 7 * 7 }} {% include '/etc/passwd' %}", BAD),
    _text("SQL", "'; DROP TABLE nodes; --", BAD),
    _text("format of Python", "RETURN '%s%n{0.__class__}' AS x", OK, b"%s%n{0.__class__}"),
    Case("10,000 parameters", ask("RETURN " + "+".join(f"$p{i}" for i in range(100)), _DEADLINE,
         params={f"p{i}": i for i in range(10_000)}), OK, b"4950"),
    Case("a parameter that is missing", ask("RETURN $x"), BAD, b"x"),
    Case("a parameter name of 100,000 characters", ask("RETURN 1", params={"p" * 100_000: 1}), OK),
    Case("a parameter name of markup", ask("RETURN $`<script>` AS x", params={"<script>": 1}), OK),
    Case("a parameter without a name", ask("RETURN 1", params={"": 1}), OK),
    Case("a parameter of markup by name", ask("RETURN $x", params={"<b>": 1}), BAD),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_text(hostile_port: int, case: Case) -> None:
    check(hostile_port, case)


CELLS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", '"', '""', "a,b", "a;b",
    "a\nb", "a\r\nb", "'", "", " ", "null", "NaN", "\x00", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "&amp;", "]]>", "{{ 1 }}", "javascript:alert(1)", "\u202ea",
]  # fmt: skip


def _asked(port: int, format_: str) -> tuple[int, bytes]:
    """CELLS as a column that is itself named by markup."""
    query = "UNWIND $cells AS c RETURN c AS `<b>=1</b>`"
    with Wire(port) as wire:
        wire.send(ask(query, params={"cells": CELLS}, format=format_))
        reply = wire.read()
        return reply.status, reply.body


def test_cells_come_back_from_csv(hostile_port: int) -> None:
    status, body = _asked(hostile_port, "csv")
    rows = list(csv.reader(io.StringIO(body.decode(), newline="")))
    assert (status, rows) == (200, [["<b>=1</b>"], *([cell] for cell in CELLS)])


def test_no_cell_is_a_formula_for_a_spreadsheet(hostile_port: int) -> None:
    status, body = _asked(hostile_port, "csv-excel")
    rows = list(csv.reader(io.StringIO(body.decode("utf-8-sig"), newline="")))
    assert status == 200
    assert len(rows) == len(CELLS) + 1
    assert not [row for row in rows if row[0].startswith(("=", "+", "@", "\t", "\r", "-"))]


@pytest.mark.parametrize("query", ["UNWIND $cells AS c RETURN c", "RETURN '<script>' AS `<script>`",
                                   "<script>alert(1)</script>"])  # fmt: skip
def test_no_cell_becomes_markup_of_a_page(hostile_port: int, query: str) -> None:
    fields: dict[str, Any] = {"params": {"cells": CELLS}, "format": "html"}
    with Wire(hostile_port) as wire:
        wire.send(ask(query, **fields))
        page = wire.read().body
    assert b"<script>alert" not in page
    assert b"<script>'" not in page
    assert b"<img" not in page
