"""Text -> Statement.

    text --Lexer--> tokens --mark_patterns--> tokens --Tables.run--> Statement

Building the tables takes about a second, once a process: `warm_up()` is for the process that
others are forked from.
"""

from __future__ import annotations

import threading
from functools import cache

from lark import Lark

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.lexer import Lexer, Token
from cypherd.parser.marking import mark_patterns
from cypherd.parser.messages import Messages
from cypherd.parser.nesting import check_nesting
from cypherd.parser.schema_commands import StatementRules
from cypherd.parser.sizes import check_patterns
from cypherd.parser.tables import Tables, UnexpectedToken
from cypherd.resources import resource_text

# Terminals that can add a level to the tree; fewer of them than levels allowed is no case for
# measuring the tree.
_DEEPENING = frozenset(
    {"LPAR", "LSQB", "LBRACE", "DOT", "NOT", "PLUS", "MINUS", "STAR", "SLASH", "PERCENT", "BARS",
     "CARET", "BANG", "AMPERSAND", "IN", "CONTAINS", "STARTS", "ENDS", "REGEX", "IS", "CASE",
     "FOREACH", "SUBQUERY"}
)  # fmt: skip
# Each relationship of a pattern begins with one of these.
_RELATIONSHIPS = frozenset({"REL_DASH", "REL_LEFT"})


class Parser:
    """One set of tables with its transformer; parses one text at a time."""

    def __init__(self, grammar: str) -> None:
        self._rules = StatementRules()
        lark = Lark(
            grammar,
            parser="lalr",
            lexer="basic",
            maybe_placeholders=True,
            transformer=self._rules,
        )
        self.names = _words_of(lark, "name")
        self.lexer = Lexer(lark.terminals, lark.ignore_tokens)
        self._tables = Tables(lark)
        self._messages = Messages(self.lexer, self.names, _words_of(lark, "key"))
        self._lock = threading.Lock()

    def parse(self, text: str, max_nesting: int, max_pattern: int) -> ast.Statement:
        tokens = self.lexer.tokens(text)
        mark_patterns(tokens, self.names, max_nesting)
        with self._lock:
            statement = self._run(text, tokens)
        if sum(token.type in _DEEPENING for token in tokens) > max_nesting:
            check_nesting(statement, max_nesting)
        if sum(token.type in _RELATIONSHIPS for token in tokens) > max_pattern:
            check_patterns(statement, max_pattern)
        return statement

    def _run(self, text: str, tokens: list[Token]) -> ast.Statement:
        rules = self._rules
        rules.begin_parse(text, tokens)
        try:
            statement: ast.Statement = self._tables.run(tokens, rules.place)
        except UnexpectedToken as unexpected:
            raise self._messages.syntax_error(
                tokens, unexpected.index, unexpected.accepted
            ) from None
        else:
            rules.check_integers()
            return statement
        finally:
            rules.begin_parse("", [])


def _words_of(lark: Lark, rule_name: str) -> frozenset[str]:
    """The terminals that the rule gives as one of its alternatives."""
    symbols = [s for rule in lark.rules if rule.origin.name == rule_name for s in rule.expansion]
    return frozenset(symbol.name for symbol in symbols if symbol.is_term)


@cache
def _parser() -> Parser:
    return Parser(resource_text("grammar/cypher.lark"))


def warm_up() -> None:
    """Build the tables now. Does nothing the second time."""
    _parser()


def parse(
    text: str, *, max_nesting: int = 200, max_pattern: int = 200, max_length: int | None = None
) -> ast.Statement:
    """The statement that `text` says.

    Raises CypherSyntaxError with line, column and openCypher detail; also for a text longer
    than `max_length` characters, nested deeper than `max_nesting`, or with a pattern of more than
    `max_pattern` relationships."""
    try:
        _check_text(text, max_length)
        return _parser().parse(text, max_nesting, max_pattern)
    except CypherSyntaxError as error:
        raise error.located(text) from None


def _check_text(text: str, max_length: int | None) -> None:
    if max_length is not None and len(text) > max_length:
        raise CypherSyntaxError(
            f"The query has {len(text):,} characters, more than the {max_length:,} that the "
            "setting max_query_length allows.",
            detail="QueryTooLong",
            offset=max_length,
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise CypherSyntaxError(
            "The query contains half of a surrogate pair, which is no character.",
            detail="InvalidUnicodeCharacter",
            offset=error.start,
        ) from None
