"""Scripts: where statements begin and end, and places in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypherd.parser.script import ScriptStatement, is_complete, split_script, statements_of

SCRIPT = """// a comment
CREATE (:A);

MATCH (n)
  RETURN n; RETURN ';'; /* ; */ RETURN `;`
;
"""


def test_statements_know_their_places() -> None:
    assert statements_of(SCRIPT) == [
        ScriptStatement(1, "// a comment\nCREATE (:A)", 1, 1),
        ScriptStatement(2, "MATCH (n)\n  RETURN n", 4, 1),
        ScriptStatement(3, "RETURN ';'", 5, 13),
        ScriptStatement(4, "/* ; */ RETURN `;`", 5, 25),
    ]


def test_every_statement_stands_where_it_says() -> None:
    lines = SCRIPT.split("\n")
    for statement in statements_of(SCRIPT):
        first = statement.text.split("\n")[0]
        assert lines[statement.line - 1][statement.column - 1 :].startswith(first)


@pytest.mark.parametrize(
    ("number", "line", "column", "place"),
    [(1, 2, 8, (2, 8)), (2, 1, 7, (4, 7)), (2, 2, 3, (5, 3)), (3, 1, 8, (5, 20))],
)
def test_a_place_in_a_statement_is_one_in_the_script(
    number: int, line: int, column: int, place: tuple[int, int]
) -> None:
    assert statements_of(SCRIPT)[number - 1].in_script(line, column) == place


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("RETURN 1;", True),
        ("RETURN 1; // done", True),
        ("", True),
        ("// nothing", True),
        ("RETURN 1", False),
        ("RETURN 1; RETURN 2", False),
        ("RETURN ';", False),
        ("RETURN `;", False),
        ("RETURN 1 /* ;", False),
        ("RETURN 1 ! 2", False),
        ("RETURN 1 ! 2;", True),
    ],
)
def test_a_statement_is_complete_with_its_semicolon(text: str, complete: bool) -> None:
    assert is_complete(text) is complete


@given(st.lists(st.sampled_from(["RETURN 1", "x", "';'", "`;`", "// ;\n", "/*;*/", " ", "\n"])))
def test_joined_statements_are_split_again(pieces: list[str]) -> None:
    statements = [piece.strip() for piece in pieces if split_script(piece)]
    joined = ";\n".join(statements)
    assert split_script(joined) == statements
