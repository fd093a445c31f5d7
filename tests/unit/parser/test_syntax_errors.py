"""What a wrong query is told: detail, place, expectation, hint."""

from __future__ import annotations

import pytest

from cypherd.errors import CypherSyntaxError
from cypherd.parser.parser import parse


def error_of(text: str, max_nesting: int = 200) -> CypherSyntaxError:
    with pytest.raises(CypherSyntaxError) as caught:
        parse(text, max_nesting=max_nesting)
    return caught.value


MESSAGES = [
    # text, line, column, message or its beginning, hint
    ("MATHC (n) RETURN n", 1, 1, 'Unexpected "MATHC"; expected', "did you mean MATCH?"),
    ("MATCH (n)\nWHER n.x = 1\nRETURN n", 2, 1, 'Unexpected "WHER"', "did you mean WHERE?"),
    ("MATCH (n) RETRUN n", 1, 11, 'Unexpected "RETRUN"', "did you mean RETURN?"),
    ("RETURN n ODER BY n", 1, 10, 'Unexpected "ODER"', "did you mean ORDER?"),
    ("RETURN DISTINT n.x", 1, 16, 'Unexpected "n"', "did you mean DISTINCT?"),
    ("MERGE (a) ON CRATE SET a.x = 1", 1, 14,
     'Unexpected "CRATE"; expected CREATE or MATCH.', "did you mean CREATE?"),
    ("RETURN 1 +", 1, 11, "The query ends too early; expected an expression.", None),
    ("RETURN n.", 1, 10, "The query ends too early; expected a name.", None),
    ("RETURN (1", 1, 10, "The query ends too early; expected", None),
    ("RETURN [1 2]", 1, 11, 'Unexpected "2"; expected an operator,', None),
    ("RETURN {a: }", 1, 12, 'Unexpected "}"; expected an expression.', None),
    ("MATCH (n:) RETURN n", 1, 10, 'Unexpected ")"; expected a name.', None),
    ("MATCH (n", 1, 9,
     'The query ends too early; expected a parameter, WHERE, ")", ":" or "{".', None),
    ("MATCH n RETURN n", 1, 9, 'Unexpected "RETURN"; expected "(" or "=".',
     "a node stands in parentheses: (n)"),
    ("CREATE FULLTEXT INDEX FOR (n:A) ON EACH [n.p]", 1, 17, 'Unexpected "INDEX"',
     "there are RANGE and TEXT indexes, none of the kind FULLTEXT"),
    ("MATCH (a)->(b) RETURN a", 1, 10, 'Unexpected "-"',
     "write --> or -[:TYPE]-> for a relationship"),
    ("MATCH (a)-[:T]>(b) RETURN a", 1, 15, 'Unexpected ">"; expected "-".', None),
    ("MATCH (a) (b) RETURN a", 1, 11,
     "Between two nodes a relationship or a comma is missing.", None),
    ("MATCH (a) ((b)-->(c)) RETURN a", 1, 11,
     "Behind a part of a path in parentheses a quantifier is missing", None),
    ("MATCH ((a))+ RETURN a", 1, 7, "A quantified part of a path has at least one", None),
    ("MATCH (((a)-->(b))+ (c))+ RETURN a", 1, 8,
     "Quantified parts of a path cannot stand in one another.", None),
    ("MATCH ((a)-[*]->(b))+ RETURN a", 1, 13,
     "In a quantified part of a path a relationship has no length.", None),
    ("MATCH (a)-->((a)-->(b))+ RETURN a", 1, 13,
     "Between a relationship and a quantified part stands a node.", None),
    ("MATCH (a)((b)-->(c)){2,1} RETURN a", 1, 21,
     "A quantifier cannot begin at 2 and end at 1.", None),
    ("MATCH SHORTEST (a)-->(b) RETURN a", 1, 7, "Paths are selected by ANY, ANY k,", None),
    ("MATCH ALL SHORTEST 2 (a)-->(b) RETURN a", 1, 7, "Paths are selected by ANY", None),
    ("MATCH SHORTEST 0 (a)-->(b) RETURN a", 1, 16, "The number of paths is 1 or more.", None),
    ("MATCH (n) WHERE RETURN n", 1, 17, 'Unexpected "RETURN"; expected an expression.', None),
    ("RETURN 1 AS", 1, 12, "The query ends too early; expected a name.", None),
    ("RETURN a != b", 1, 10, 'Unexpected "!"', "write <> for not equal, NOT for not"),
    ("RETURN a == b", 1, 11, 'Unexpected "="', "write = for equal"),
    ("RETURN a && b", 1, 10, 'Unexpected "&"', "write AND"),
    ("RETURN {1}", 1, 9, 'Unexpected "1"; expected a name or "}".',
     "write $1 for a parameter, {key: 1} for a map"),
    ("RETURN 1; RETURN 2", 1, 11, "One statement is taken at a time; a second one begins here.",
     "send them one by one, or run them as a script: cypherd query --file FILE"),
    ("RETURN 'abc", 1, 8, "The string that begins here is not closed.", None),
    ("RETURN `abc", 1, 8, "The name that begins here is not closed.", None),
    ("RETURN 1 /* abc", 1, 10, "The comment that begins here is not closed.", None),
    ("RETURN size(x IN y WHERE z)", 1, 8,
     "size() does not take x IN list WHERE condition.", None),
    ("RETURN all(1 WHERE z)", 1, 12, "Expected a variable, IN and a list", None),
    ("RETURN reduce(1, x IN xs | x)", 1, 15, "Expected a variable, = and a value", None),
    ("RETURN sum(*)", 1, 8, "Only count(*) takes a *, sum() does not.", None),
    ("RETURN (1)(2)", 1, 9, "Only a function name can stand before a parenthesis.", None),
    ("MATCH foo((a)-->(b)) RETURN 1", 1, 7, "A pattern begins with ( or shortestPath(", None),
    ("MATCH (n) SET 1 = 2", 1, 15, "SET takes a variable here.", None),
    ("MATCH (n) REMOVE n", 1, 18, "REMOVE takes a property", None),
    ("START n=edge(1) RETURN n", 1, 9, "START reads node(...) or relationship(...)", None),
    ("EXPLAIN DROP INDEX i", 1, 1, "EXPLAIN takes a query", None),
    ("CREATE INDEX FOR (n) ON (n.a)", 1, 18, "An index or a constraint is for", None),
    ("CREATE INDEX FOR (n:L) ON (m.a)", 1, 28, "Variable `m` is not defined", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"), MESSAGES, ids=[row[0] for row in MESSAGES]
)
def test_messages(text: str, line: int, column: int, message: str, hint: str | None) -> None:
    error = error_of(text)
    assert error.message.startswith(message)
    assert (error.line, error.column, error.hint) == (line, column, hint)
    assert error.query_line == text.split("\n")[line - 1]
    assert error.compile_time


DETAILS = {
    "RETURN 0x": "InvalidNumberLiteral",
    "RETURN 0x1G": "InvalidNumberLiteral",
    "RETURN 08": "InvalidNumberLiteral",
    "RETURN 12ab": "InvalidNumberLiteral",
    "RETURN 1.5x": "InvalidNumberLiteral",
    "RETURN {1a: 2}": "UnexpectedSyntax",
    "RETURN 9223372036854775808": "IntegerOverflow",
    "RETURN 1 - 9223372036854775808": "IntegerOverflow",
    "RETURN -9223372036854775809": "IntegerOverflow",
    "RETURN -9223372036854775808.x - 9223372036854775808": "IntegerOverflow",
    "MATCH ()-[*9223372036854775808]-() RETURN 1": "IntegerOverflow",
    "RETURN 1e999": "FloatingPointOverflow",
    "RETURN '\\u12'": "InvalidUnicodeLiteral",
    "RETURN '\\ud83d'": "InvalidUnicodeLiteral",
    "RETURN '\\UFFFFFFFF'": "InvalidUnicodeLiteral",
    "RETURN '\\q'": "UnexpectedSyntax",
    "RETURN 42 — 41": "InvalidUnicodeCharacter",
    "RETURN '\ud800'": "InvalidUnicodeCharacter",
    "RETURN 1 # 2": "UnexpectedSyntax",
    "MATCH ()-[:L..]->() RETURN 1": "InvalidRelationshipPattern",
    "MATCH ()-[*-2]->() RETURN 1": "InvalidRelationshipPattern",
    "MATCH (n)": "InvalidClauseComposition",
    "RETURN 1 MATCH (n) RETURN n": "InvalidClauseComposition",
    "CALL a.b() YIELD * RETURN 1": "UnexpectedSyntax",
    "MATCH (set) RETURN 1": "UnexpectedSyntax",
    "": "UnexpectedSyntax",
    "// nothing": "UnexpectedSyntax",
}


@pytest.mark.parametrize(("text", "detail"), DETAILS.items(), ids=map(repr, DETAILS))
def test_details(text: str, detail: str) -> None:
    assert error_of(text).detail == detail


def test_the_first_fault_is_reported() -> None:
    assert error_of("RETRUN 1 # 'open").column == 1


def test_expected_is_short_and_sorted() -> None:
    expected = error_of("MATCH (n) RETURN n x").expected
    assert expected == (
        "an operator", "the end of the query", "AS", "CREATE", "LIMIT", "MATCH", "MERGE",
        "ORDER", "RETURN", "SET", "SKIP", "WITH",
    )  # fmt: skip


def test_a_key_is_a_name_not_a_hundred_keywords() -> None:
    assert error_of("MATCH (n:1) RETURN n").expected == ("a name",)


def test_too_long() -> None:
    with pytest.raises(CypherSyntaxError, match="12 characters, more than the 10") as caught:
        parse("RETURN 1 + 2", max_length=10)
    assert caught.value.detail == "QueryTooLong"
    parse("RETURN 1 + 2", max_length=12)


NESTED = {
    "parentheses": "(" * 5000 + "1" + ")" * 5000,
    "node-like parentheses": "(a" * 5000 + ")" * 5000,
    "lists": "[" * 300 + "]" * 300,
    "maps": "{a: " * 300 + "1" + "}" * 300,
    "calls": "f(" * 300 + ")" * 300,
    "not": "NOT " * 10_000 + "true",
    "minus": "- " * 10_000 + "1",
    "plus chain": " + ".join(["1"] * 10_000),
    "power chain": "^".join(["1"] * 10_000),
    "in chain": "1" + " IN []" * 10_000,
    "is null chain": "1" + " IS NULL" * 10_000,
    "properties": "n" + ".a" * 10_000,
    "subscripts": "n" + "[0]" * 10_000,
    "case": "CASE WHEN true THEN " * 300 + "1" + " END" * 300,
    "mixed": "(NOT (- [" * 100 + "1" + "]))" * 100,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", NESTED.values(), ids=NESTED.keys())
def test_too_deep(text: str) -> None:
    error = error_of(f"RETURN {text}")
    assert error.detail == "NestingTooDeep"
    assert error.line == 1


SUBQUERIES = {
    "calls": "CALL { " * 300 + "RETURN 1 AS x" + " } RETURN x" * 300,
    "calls with imports": "MATCH (n) " + "CALL (n) { " * 10_000 + "SET n.x = 1 " + "}" * 10_000,
    "calls that do not end": "CALL () { " * 10_000,
    "exists": "MATCH (n) WHERE " + "EXISTS { MATCH (m) WHERE " * 300 + "true" + " }" * 300,
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", SUBQUERIES.values(), ids=SUBQUERIES.keys())
def test_subqueries_too_deep(text: str) -> None:
    assert error_of(text).detail in ("NestingTooDeep", "UnexpectedSyntax")


FLAT = {
    "and chain": " AND ".join(["n.x = 1"] * 3000),
    "or chain": " OR ".join(["n.x = 1"] * 3000),
    "comparison chain": " < ".join(["1"] * 3000),
    "list": f"[{', '.join(map(str, range(5000)))}]",
    "deep enough": "(" * 200 + "1" + ")" * 200,
    "nested case": "CASE WHEN true THEN " * 150 + "1" + " END" * 150,
    "sum": " + ".join(["1"] * 150),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", FLAT.values(), ids=FLAT.keys())
def test_long_is_not_deep(text: str) -> None:
    parse(f"RETURN {text}")


def test_nesting_is_a_setting() -> None:
    parse("RETURN ((((1))))", max_nesting=4)
    assert error_of("RETURN (((((1)))))", max_nesting=4).column == 12


@pytest.mark.timeout(20)
def test_texts_that_never_close_take_linear_time() -> None:
    for text in ("/* " * 100_000, "'\"`" * 100_000, "RETURN '" + "\\" * 100_001, "(a" * 50_000):
        error_of(text)


@pytest.mark.timeout(20)
def test_marking_is_linear_in_nested_parentheses() -> None:
    parse("RETURN " + "(" * 20_000 + "1" + ")" * 20_000, max_nesting=1_000_000)
