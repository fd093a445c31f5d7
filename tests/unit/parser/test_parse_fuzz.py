"""Any text gives a Statement or a located CypherSyntaxError, and nothing else."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark
from lark import logger as lark_logger

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.parser import parse
from cypherd.parser.script import split_script
from cypherd.resources import resource_text

_SOUP = (
    "MATCH OPTIONAL WHERE WITH RETURN UNWIND CREATE MERGE ON SET REMOVE DELETE DETACH FOREACH CALL "
    "YIELD UNION ALL START EXPLAIN PROFILE DROP SHOW INDEX CONSTRAINT FOR REQUIRE IS UNIQUE NOT "
    "NULL AND OR XOR IN STARTS ENDS CONTAINS CASE WHEN THEN ELSE END DISTINCT AS ORDER BY LIMIT "
    "SKIP ASC DESC n m r x node exists count collect reduce shortestPath any `a b` $p $0 1 2.5 "
    "0x1 9223372036854775808 'a' \"b\" true ( ) [ ] { } ( ) [ ] { } , , . .. : ; | - - -> --> <-- "
    "< > = <> <= + += * / % ^ =~ & ! # ' /* // \\ (n) (m:A) -[r:T]-> -[*1..2]- {a:1} {p} é — "
)
WORDS = tuple(_SOUP.split())
SKELETONS = (
    "MATCH (n:A {x: 1})-[r:T*1..2]->(m) WHERE n.x > 1 AND NOT (n)--(m) RETURN DISTINCT n.x AS y",
    "MERGE (n:A) ON CREATE SET n.x = 1, n += {a: 1} ON MATCH SET n:B RETURN count(*)",
    "RETURN [x IN xs WHERE x | x], all(x IN xs WHERE x), reduce(a = 0, x IN xs | a + x), n {.*}",
    "CREATE CONSTRAINT c IF NOT EXISTS FOR ()-[r:T]-() REQUIRE (r.a, r.b) IS UNIQUE",
    "START n=node:person(firstName={x}) CALL a.b(1) YIELD c AS d RETURN CASE d WHEN 1 THEN 2 END",
)


def outcome(text: str) -> ast.Statement | CypherSyntaxError:
    try:
        return parse(text)
    except CypherSyntaxError as error:
        return error


def check(text: str) -> None:
    found = outcome(text)
    if isinstance(found, CypherSyntaxError):
        assert found.line is not None
        assert found.column is not None
        assert found.detail
        assert len(found.expected) <= 12
    else:
        assert isinstance(found, ast.Statement)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40))
def test_word_soup(words: list[str]) -> None:
    check(" ".join(words))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SKELETONS), st.data())
def test_queries_with_a_change(query: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(query)))
    end = data.draw(st.integers(start, min(len(query), start + 8)))
    check(query[:start] + data.draw(st.sampled_from(["", *WORDS])) + query[end:])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    check(text)
    check(f"RETURN {text}")
    for statement in split_script(text):
        assert statement in text


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> str:
    """What Lark logs of conflicts: shift against reduce it settles without an error."""
    caplog.clear()
    # Whoever configures logging in this process may have switched off loggers that were there.
    lark_logger.disabled = False
    with caplog.at_level(logging.DEBUG, logger=lark_logger.name):
        Lark(grammar, parser="lalr", lexer="basic", debug=True)
    return "\n".join(message for message in caplog.messages if "onflict" in message)


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts('start: a | start "-" start\na: "x"', caplog)
    assert not conflicts(resource_text("grammar/cypher.lark"), caplog)


CUT = (
    *SKELETONS,
    "MATCH p = SHORTEST 2 GROUPS (a)-[:T]->+(b), ANY (x)-->(y), ALL SHORTEST (c)--(d)",
    "MATCH (a), any(b) RETURN any(x), all(y), shortest(z)",
    "MATCH ((a)-[:T]->(b) WHERE a.x = b.x){1,3} RETURN all(x IN xs WHERE x), count { (a)-->() }",
    "USE neo4j CALL (x) { USE neo4j RETURN x IS :: LIST<INTEGER> AS t } IN TRANSACTIONS",
    "MATCH (n:A|B&!(C|%)) WHERE n IS NOT TYPED ANY<INTEGER | STRING> SET n:$(x), n[k] = 1 FINISH",
    "LOAD CSV WITH HEADERS FROM 'f' AS row RETURN CASE x WHEN > 1, IS NULL THEN 1",
    "SHOW TRANSACTIONS 'a', 'b' YIELD * ORDER BY x SKIP 1 WHERE y TERMINATE TRANSACTION z YIELD w",
)


@pytest.mark.parametrize("text", CUT)
def test_texts_that_end_too_early(text: str) -> None:
    """After every character: whoever looks ahead must look at where the text ends."""
    for end in range(len(text)):
        check(text[:end])
        check(text[end:])
