"""What stands behind CALL { }: IN TRANSACTIONS, and its options in any order, each once.

IN TRANSACTIONS [OF 100 ROWS] [ON ERROR CONTINUE | BREAK | FAIL] [REPORT STATUS AS s]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.lexer import Token

_ON_ERROR: Final[dict[str, ast.OnError]] = {
    "FAIL": "fail",
    "BREAK": "break",
    "CONTINUE": "continue",
}


class BatchOption(NamedTuple):
    """`name` is the first of its words."""

    name: str
    value: Any
    at: int


def in_transactions(children: Sequence[Any]) -> ast.InTransactions:
    """Raises CypherSyntaxError (UnexpectedSyntax) for other words, an option that comes twice,
    and REPORT STATUS where nothing is to report, for the first error ends all."""
    in_, several, concurrent, word, *options = children
    if several is not None:
        expect_words((concurrent, word), ("CONCURRENT", "TRANSACTIONS"))
        raise _refused("CALL { } IN CONCURRENT TRANSACTIONS is not supported", concurrent.at,
                       "IN TRANSACTIONS: one writes after the other")  # fmt: skip
    expect_words((word,), ("TRANSACTIONS",))
    found: dict[str, Any] = {}
    for option in options:
        if option.name in found:
            raise _refused(f"{option.name} comes twice", option.at)
        found[option.name] = option.value
    on_error: ast.OnError = found.get("ON", "fail")
    status = found.get("REPORT")
    if status is not None and on_error == "fail":
        raise _refused(
            "REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK", status.at,
            "with ON ERROR FAIL the first error ends the statement",
        )  # fmt: skip
    return ast.InTransactions(found.get("OF"), on_error, status, at=in_.at)


def error_option(error: Token, then: Token) -> BatchOption:
    expect_words((error,), ("ERROR",))
    kind = _ON_ERROR.get(then.text.upper())
    if kind is None:
        message = f"ON ERROR {then.text} is not supported"
        raise _refused(message, then.at, "CONTINUE, BREAK or FAIL")
    return BatchOption("ON", kind, error.at)


def expect_words(tokens: Sequence[Token], words: Sequence[str]) -> None:
    """Raises CypherSyntaxError (UnexpectedSyntax) at the first that is another."""
    for token, word in zip(tokens, words, strict=True):
        if token.text.upper() != word:
            raise _refused(f"unexpected `{token.text}`", token.at, f"expected {word}")


def _refused(message: str, at: int, hint: str | None = None) -> CypherSyntaxError:
    return CypherSyntaxError(message, detail="UnexpectedSyntax", offset=at, hint=hint)
