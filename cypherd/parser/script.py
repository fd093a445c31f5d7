"""A script: several statements in one text, each ended by a semicolon, the last one perhaps not.

Only the lexer of the grammar is made for this, in a tenth of the time that the parser takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lark import Lark

from cypherd.parser.lexer import END, INVALID, Lexer
from cypherd.resources import resource_text

_OPENED = ("'", '"', "`", "/*")


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """`number` counts from 1; `line` and `column`, also from 1, are where `text` begins in the
    script."""

    number: int
    text: str
    line: int
    column: int

    def in_script(self, line: int, column: int) -> tuple[int, int]:
        """A place in the statement as the place in the script."""
        return self.line + line - 1, column + (self.column - 1 if line == 1 else 0)


def statements_of(script: str) -> list[ScriptStatement]:
    """Split at semicolons outside strings, names and comments. Texts are stripped; those of only
    space and comments are left out."""
    found: list[ScriptStatement] = []
    start = 0
    something = False
    for token in grammar_lexer().tokens(script):
        if token.type not in ("SEMICOLON", END):
            something = True
            continue
        if something:
            found.append(_statement(len(found) + 1, script, start, token.at))
        start, something = token.end, False
    return found


def _statement(number: int, script: str, start: int, end: int) -> ScriptStatement:
    piece = script[start:end]
    start += len(piece) - len(piece.lstrip())
    line = script.count("\n", 0, start) + 1
    column = start - script.rfind("\n", 0, start)
    return ScriptStatement(number, piece.strip(), line, column)


def split_script(script: str) -> list[str]:
    """The texts of the statements."""
    return [statement.text for statement in statements_of(script)]


def is_complete(script: str) -> bool:
    """Whether the last statement is ended by its semicolon: one that is being typed goes on until
    then. What no query can contain ends it too; its error is told sooner so."""
    *tokens, _ = grammar_lexer().tokens(script)
    if not tokens:
        return True
    last = tokens[-1]
    if last.type == INVALID:
        return last.text not in _OPENED and script.rstrip().endswith(";")
    return last.type == "SEMICOLON"


@cache
def grammar_lexer() -> Lexer:
    lark = Lark(resource_text("grammar/cypher.lark"), parser=None, lexer="basic")
    return Lexer(lark.terminals, lark.ignore_tokens)
