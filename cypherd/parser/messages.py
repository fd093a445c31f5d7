"""Syntax errors as people read them: what was found, what could stand there, a hint."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from cypherd.errors import CypherSyntaxError
from cypherd.parser.lexer import END, INVALID, Lexer, Token

_MOST_EXPECTED = 12
_TYPED = {
    "NAME": "a name",
    "QUOTED_NAME": "a name",
    "PARAMETER": "a parameter",
    "STRING": "a string",
    "INTEGER": "an integer",
    "FLOAT": "a number",
    "BAD_NUMBER": "a number",
    "PATTERN_LPAR": "a pattern",
    END: "the end of the query",
}
# All of these begin an expression, and nothing but an expression begins with all of them; the
# signs and NOT begin one too, but not an operand of every operator.
_ATOM_STARTS = frozenset(
    {"NAME", "QUOTED_NAME", "PARAMETER", "STRING", "INTEGER", "FLOAT", "BAD_NUMBER", "TRUE",
     "FALSE", "NULL", "CASE", "LPAR", "LSQB", "LBRACE", "PATTERN_LPAR", "SUBQUERY"}
)  # fmt: skip
_EXPRESSION_STARTS = _ATOM_STARTS | {"NOT", "PLUS", "MINUS"}
# What may stand for a label beside its name; few people mean them.
_LABEL_STARTS = frozenset({"BANG", "DOLLAR", "PERCENT", "PARAMETER", "LPAR", "PATTERN_LPAR"})
_PATTERN_SIGNS = {"REL_DASH": "-", "REL_LEFT": "<-", "LABEL_BAR": "|", "TYPE_LT": "<"}
_OPERATORS = frozenset(
    {"OR", "XOR", "AND", "EQ", "NE", "LT", "LE", "GT", "GE", "IN", "CONTAINS", "REGEX",
     "STARTS", "ENDS", "IS", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "CARET"}
)  # fmt: skip
_OPENED = {"'": "string", '"': "string", "`": "name", "/*": "comment"}
_AFTER_BARE_NODE = frozenset({"LPAR", "EQ"})
_SIGN_HINTS = {
    "!": "write <> for not equal, NOT for not",
    "&": "write AND",
    "|": "write OR",
    "?": "write $name for a parameter",
    "#": "write // for a comment",
}
# Which keywords to name where there are too many: first those that people mean most often.
_FIRST_NAMED = (
    "WHERE", "RETURN", "MATCH", "WITH", "AS", "ORDER", "LIMIT", "SKIP", "CREATE", "SET",
    "MERGE", "UNWIND", "DELETE", "OPTIONAL", "UNION", "REMOVE", "CALL", "DETACH", "ASC", "DESC",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]{3,}")


class Messages:
    """Knows the texts of the terminals and which keywords are names as well."""

    def __init__(self, lexer: Lexer, names: frozenset[str], reserved: frozenset[str]) -> None:
        self._texts = {kind: text for text, kind in (lexer.signs | lexer.keywords).items()}
        self._keywords = {kind: text for text, kind in lexer.keywords.items()}
        self._names = names
        self._reserved = reserved

    def syntax_error(
        self, tokens: list[Token], index: int, accepted: frozenset[str]
    ) -> CypherSyntaxError:
        """The error for the token at `index` where only `accepted` terminals could stand."""
        token = tokens[index]
        expected = () if _is_open(token) else self.expected(accepted)
        detail = _detail(tokens, index, accepted)
        second = _begins_second(tokens, index)
        return CypherSyntaxError(
            _SECOND if second else _message(token, detail, expected),
            detail=detail,
            offset=token.at,
            expected=expected,
            hint=self._hint(tokens, index, accepted),
        )

    def expected(self, accepted: frozenset[str]) -> tuple[str, ...]:
        """At most 12, sorted; whole classes of terminals under one word."""
        # Nobody who forgot something else means these.
        left = set(accepted) - {"SELECTOR", "USE"}
        found: set[str] = set()
        if left >= _ATOM_STARTS:
            found.add("an expression")
            left -= _EXPRESSION_STARTS | self._names
        elif "NAME" in left:
            left -= _LABEL_STARTS if left >= _LABEL_STARTS else set()
            left -= self._names - {"NAME"}
            left -= self._reserved if left >= self._reserved else set()
        if len(left & _OPERATORS) > len(_OPERATORS) // 2:
            found.add("an operator")
            left -= _OPERATORS
        found.update(self._readable(kind) for kind in left)
        chosen = sorted(found, key=_importance)[:_MOST_EXPECTED]
        return tuple(sorted(chosen, key=_reading_order))

    def _readable(self, kind: str) -> str:
        if kind in _TYPED:
            return _TYPED[kind]
        return self._keywords.get(kind) or f'"{_PATTERN_SIGNS.get(kind) or self._texts[kind]}"'

    def _hint(self, tokens: list[Token], index: int, accepted: frozenset[str]) -> str | None:
        token = tokens[index]
        before = tokens[index - 1] if index else None
        if _begins_second(tokens, index):
            return "send them one by one, or run them as a script: cypherd query --file FILE"
        if token.type in (INVALID, "BANG"):
            return _SIGN_HINTS.get(token.text)
        if token.text == "=" and before is not None and before.text == "=":
            return "write = for equal"
        if (
            token.type in ("VBAR", "LABEL_BAR", "AMPERSAND")
            and tokens[index + 1].text == token.text
        ):
            return _SIGN_HINTS[token.text]
        if token.type == "MINUS" and before is not None and tokens[index + 1].type == "GT":
            return "write --> or -[:TYPE]-> for a relationship"
        if token.type == "INDEX" and before is not None:
            return f"there are RANGE and TEXT indexes, none of the kind {before.text.upper()}"
        if before is not None and before.type == "NAME" and accepted == _AFTER_BARE_NODE:
            return f"a node stands in parentheses: ({before.text})"
        if token.type == "INTEGER" and before is not None and before.type == "LBRACE":
            return f"write ${token.text} for a parameter, {{key: {token.text}}} for a map"
        return self._nearest(token, accepted) or self._nearest_before(tokens, index)

    def _nearest(self, token: Token, accepted: Iterable[str]) -> str | None:
        """The accepted keyword that the found word resembles."""
        if not _WORD.fullmatch(token.text):
            return None
        words = [self._keywords[kind] for kind in accepted if kind in self._keywords]
        near = difflib.get_close_matches(token.text.upper(), sorted(words), 1, 0.7)
        if not near or near[0] == token.text.upper():
            return None
        return f"did you mean {near[0]}?"

    def _nearest_before(self, tokens: list[Token], index: int) -> str | None:
        """A misspelt keyword can pass for a name: the fault shows one token later."""
        if not index or tokens[index - 1].type != "NAME":
            return None
        return self._nearest(tokens[index - 1], _OFTEN_MISSPELT)


# The one optional keyword before an expression.
_OFTEN_MISSPELT = ("DISTINCT",)


_SECOND = "One statement is taken at a time; a second one begins here."


def _begins_second(tokens: list[Token], index: int) -> bool:
    """Whether the token stands behind a whole statement and its semicolon."""
    behind = index > 0 and tokens[index - 1].type == "SEMICOLON"
    return behind and index > 1 and tokens[index].type != INVALID


def _is_open(token: Token) -> bool:
    """Whether it begins a string, a name or a comment that never ends."""
    return token.type == INVALID and token.text in _OPENED


def _detail(tokens: list[Token], index: int, accepted: frozenset[str]) -> str:
    """The openCypher name of the error."""
    token = tokens[index]
    if token.type == INVALID and not token.text.isascii():
        return "InvalidUnicodeCharacter"
    in_relationship = "RSQB" in accepted and "STAR" in accepted
    if token.type == "DOTDOT" and in_relationship and "INTEGER" not in accepted:
        return "InvalidRelationshipPattern"
    bound = index and tokens[index - 1].type in ("STAR", "DOTDOT") and "RSQB" in accepted
    if bound and token.type in ("MINUS", "FLOAT", "BAD_NUMBER"):
        return "InvalidRelationshipPattern"
    return "UnexpectedSyntax"


def _message(token: Token, detail: str, expected: tuple[str, ...]) -> str:
    if _is_open(token):
        return f"The {_OPENED[token.text]} that begins here is not closed."
    found = "The query ends too early" if token.type == END else f"Unexpected {_quoted(token)}"
    if detail == "InvalidUnicodeCharacter":
        found = f"Unexpected character {token.text} (U+{ord(token.text):04X})"
    if detail == "InvalidRelationshipPattern":
        found = f"A relationship's length is *, *2, *1..3, *2.. or *..3; unexpected {token.text}"
    return f"{found}{_expectation(expected)}."


def _expectation(expected: tuple[str, ...]) -> str:
    if not expected:
        return ""
    if len(expected) == 1:
        return f"; expected {expected[0]}"
    return f"; expected {', '.join(expected[:-1])} or {expected[-1]}"


def _quoted(token: Token) -> str:
    text = token.text if len(token.text) <= 40 else f"{token.text[:37]}..."
    return text if token.type == "STRING" else f'"{text}"'


def _importance(text: str) -> tuple[int, int, str]:
    order, _ = _reading_order(text)
    rank = _FIRST_NAMED.index(text) if text in _FIRST_NAMED else len(_FIRST_NAMED)
    # Signs are few and precise: they go before the rarer keywords.
    return (order, rank, text) if order == 0 or rank < 3 else (1, rank, text)


def _reading_order(text: str) -> tuple[int, str]:
    """Words for classes first, then keywords, then signs."""
    if text[0] == '"':
        return 2, text
    return (1 if text[0].isupper() else 0), text
