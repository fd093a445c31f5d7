"""Text -> tokens, whole and at once, from the terminals of the grammar.

Words are looked up in a table whatever their case, signs by their text; everything else is one
regular expression. What no terminal matches becomes an INVALID token, so that the parser
reports the first fault of a text and not the first odd character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lark.lexer import PatternStr, TerminalDef

END = "$END"
INVALID = "INVALID"
_WORD = "NAME"
_SIGN = "SIGN"
_OPEN_COMMENT = "OPEN_COMMENT"


class Token:
    """`type` names a terminal; `at` is the offset of the first character of `text`."""

    __slots__ = ("at", "text", "type")

    def __init__(self, type: str, text: str, at: int) -> None:
        self.type = type
        self.text = text
        self.at = at

    @property
    def end(self) -> int:
        return self.at + len(self.text)

    def __repr__(self) -> str:
        return f"Token({self.type}, {self.text!r}, {self.at})"


class Lexer:
    """`signs` and `keywords` map texts (keywords in capitals) to terminals."""

    def __init__(self, terminals: Iterable[TerminalDef], ignored: Iterable[str]) -> None:
        self.keywords: dict[str, str] = {}
        self.signs: dict[str, str] = {}
        expressions: list[TerminalDef] = []
        for terminal in terminals:
            if not isinstance(terminal.pattern, PatternStr):
                expressions.append(terminal)
            elif terminal.pattern.value.isalpha():
                self.keywords[terminal.pattern.value] = terminal.name
            else:
                self.signs[terminal.pattern.value] = terminal.name
        self._ignored = frozenset(ignored)
        self._pattern = _master_pattern(expressions, self.signs)

    def tokens(self, text: str) -> list[Token]:
        """The tokens of `text`, followed by one END.

        Ends at the first INVALID: no query goes on behind it, and looking for the end of
        each of many open comments would be quadratic."""
        found: list[Token] = []
        keywords, signs, ignored = self.keywords, self.signs, self._ignored
        for match in self._pattern.finditer(text):
            kind = match.lastgroup
            if kind in ignored:
                continue
            piece = match.group()
            if kind == _WORD:
                # Not every upper-case form is safe: a dotless i becomes an I.
                kind = keywords.get(piece.upper(), _WORD) if piece.isascii() else _WORD
            elif kind == _SIGN:
                kind = signs[piece]
            elif kind == _OPEN_COMMENT or kind is None:
                kind = INVALID
            found.append(Token(kind, piece, match.start()))
            if kind == INVALID:
                break
        found.append(Token(END, "", len(text)))
        return found


def _master_pattern(expressions: list[TerminalDef], signs: Iterable[str]) -> re.Pattern[str]:
    """One alternation: expressions by priority, then an open comment, then signs by length."""
    ordered = sorted(expressions, key=lambda terminal: (-terminal.priority, terminal.name))
    parts = [f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in ordered]
    parts.append(rf"(?P<{_OPEN_COMMENT}>/\*)")
    longest_first = sorted(signs, key=lambda sign: (-len(sign), sign))
    parts.append(f"(?P<{_SIGN}>{'|'.join(re.escape(sign) for sign in longest_first)})")
    parts.append(rf"(?P<{INVALID}>[\s\S])")
    return re.compile("|".join(parts))
