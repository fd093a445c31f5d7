"""The values of literal tokens: numbers, strings, quoted names.

Rules: openCypher 9 (integers decimal, 0x, 0o; escapes in strings), with the octal form `017`
of older versions. Errors carry the openCypher detail names.
"""

from __future__ import annotations

import math
import re

from cypherd.errors import CypherSyntaxError
from cypherd.parser.lexer import Token

# The one value that only fits 64 bits behind a minus sign.
MINIMUM_MAGNITUDE = 2**63

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))")
_SIMPLE_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "`": "`",
    "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
_LARGEST_CODE_POINT = 0x10FFFF


def integer_value(token: Token) -> int:
    """The magnitude, at most MINIMUM_MAGNITUDE. Raises IntegerOverflow."""
    text = token.text
    value = int(text, _base(text)) if len(text) <= 80 else MINIMUM_MAGNITUDE + 1
    if value > MINIMUM_MAGNITUDE:
        raise integer_overflow(token)
    return value


def integer_overflow(token: Token) -> CypherSyntaxError:
    return CypherSyntaxError(
        f"The integer {_short(token.text)} does not fit into 64 bits.",
        detail="IntegerOverflow",
        offset=token.at,
    )


def float_value(token: Token) -> float:
    """Raises FloatingPointOverflow where only infinity could hold it."""
    value = float(token.text)
    if math.isinf(value):
        raise CypherSyntaxError(
            f"The number {_short(token.text)} is too large for a float.",
            detail="FloatingPointOverflow",
            offset=token.at,
        )
    return value


def invalid_number(token: Token) -> CypherSyntaxError:
    return CypherSyntaxError(
        f"{_short(token.text)} is not a number.",
        detail="InvalidNumberLiteral",
        offset=token.at,
    )


def string_value(token: Token) -> str:
    """The text between the quotes, escapes replaced. Raises InvalidUnicodeLiteral."""
    text = token.text[1:-1]
    if "\\" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        digits = match.group(1) or match.group(2)
        if digits is None:
            return _simple_escape(match.group(3), token.at + 1 + match.start())
        code = int(digits, 16)
        if code > _LARGEST_CODE_POINT:
            raise _invalid_unicode(match.group(), token.at + 1 + match.start())
        return chr(code)

    return _joined_surrogates(_ESCAPE.sub(replaced, text), token)


def name_text(token: Token) -> str:
    """The name a token stands for: a quoted one without its backquotes."""
    if token.type != "QUOTED_NAME":
        return token.text
    return unquoted(token.text)


def unquoted(text: str) -> str:
    return text[1:-1].replace("``", "`")


def _base(text: str) -> int:
    prefix = text[:2].lower()
    if prefix == "0x":
        return 16
    return 8 if text[0] == "0" else 10


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _simple_escape(letter: str, offset: int) -> str:
    replacement = _SIMPLE_ESCAPES.get(letter)
    if replacement is not None:
        return replacement
    if letter in "uU":
        raise _invalid_unicode(f"\\{letter}", offset)
    raise CypherSyntaxError(
        f"The string has an unknown escape: \\{letter}",
        detail="UnexpectedSyntax",
        offset=offset,
        hint="write \\\\ for a backslash",
    )


def _invalid_unicode(text: str, offset: int) -> CypherSyntaxError:
    return CypherSyntaxError(
        f"{text} is not a Unicode character.",
        detail="InvalidUnicodeLiteral",
        offset=offset,
        hint="write \\u and four hexadecimal digits, or \\U and eight",
    )


def _joined_surrogates(text: str, token: Token) -> str:
    """Two escaped halves make one character, as in JSON; a lone half is none."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise _invalid_unicode("Half of a surrogate pair", token.at) from None
