"""String functions; positions and lengths count characters (code points), from 0."""

from __future__ import annotations

import unicodedata
from typing import Any

from cypherd.errors import ArgumentError
from cypherd.functions.signature import Family
from cypherd.values.arithmetic import is_integer
from cypherd.values.description import wrong_type
from cypherd.values.lists import check_size, is_list
from cypherd.values.types import CypherType as T

FAMILY = Family()
function = FAMILY.function


@function("toUpper", arguments=(T.STRING,), result=T.STRING, help="In upper case.")
@function(
    "upper",
    arguments=(T.STRING,),
    result=T.STRING,
    help="toUpper() under its old name.",
    deprecated_by="toUpper()",
)
def to_upper(text: Any) -> str:
    return _text("toUpper()", text).upper()


@function("toLower", arguments=(T.STRING,), result=T.STRING, help="In lower case.")
@function(
    "lower",
    arguments=(T.STRING,),
    result=T.STRING,
    help="toLower() under its old name.",
    deprecated_by="toLower()",
)
def to_lower(text: Any) -> str:
    return _text("toLower()", text).lower()


@function("trim", arguments=(T.STRING,), result=T.STRING, help="Without white space around it.")
def trim(text: Any) -> str:
    return _text("trim()", text).strip()


@function(
    "btrim",
    arguments=(T.STRING, T.STRING),
    optional=1,
    result=T.STRING,
    help="Without white space, or the given characters, around it.",
)
def btrim(text: Any, characters: Any = None) -> str:
    return _text("btrim()", text).strip(_characters("btrim()", characters))


@function(
    "ltrim",
    arguments=(T.STRING, T.STRING),
    optional=1,
    result=T.STRING,
    help="Without leading white space, or leading characters among the given ones.",
)
def ltrim(text: Any, characters: Any = None) -> str:
    return _text("ltrim()", text).lstrip(_characters("ltrim()", characters))


@function(
    "rtrim",
    arguments=(T.STRING, T.STRING),
    optional=1,
    result=T.STRING,
    help="Without trailing white space, or trailing characters among the given ones.",
)
def rtrim(text: Any, characters: Any = None) -> str:
    return _text("rtrim()", text).rstrip(_characters("rtrim()", characters))


@function(
    "char_length",
    arguments=(T.STRING,),
    result=T.INTEGER,
    help="How many characters a string has; also character_length().",
)
@function(
    "character_length",
    arguments=(T.STRING,),
    result=T.INTEGER,
    help="char_length() under its long name.",
)
def char_length(text: Any) -> int:
    return len(_text("char_length()", text))


@function(
    "normalize",
    arguments=(T.STRING, T.STRING),
    optional=1,
    result=T.STRING,
    help="The string in a Unicode normal form: NFC, or the one named by the second argument.",
)
def normalize(text: Any, form: Any = "NFC") -> str:
    string, name = _text("normalize()", text), _text("normalize()", form).upper()
    if name not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise ArgumentError(
            f"normalize() knows NFC, NFD, NFKC and NFKD, not {form}", detail="InvalidArgumentValue"
        )
    # A character may become 18 of them.
    check_size(len(string) * 18 if name.startswith("NFK") else len(string) * 4)
    return unicodedata.normalize(name, string)  # type: ignore[arg-type]


@function("left", arguments=(T.STRING, T.INTEGER), result=T.STRING, help="The first characters.")
def left(text: Any, length: Any) -> str:
    return _text("left()", text)[: _count("left()", length)]


@function("right", arguments=(T.STRING, T.INTEGER), result=T.STRING, help="The last characters.")
def right(text: Any, length: Any) -> str:
    string, count = _text("right()", text), _count("right()", length)
    return string[max(0, len(string) - count) :]


@function(
    "substring",
    arguments=(T.STRING, T.INTEGER, T.INTEGER),
    optional=1,
    result=T.STRING,
    help="The characters from a position on, up to a number of them.",
)
def substring(text: Any, start: Any, length: Any = None) -> str:
    string, first = _text("substring()", text), _count("substring()", start)
    if length is None:
        return string[first:]
    return string[first : first + _count("substring()", length)]


@function(
    "replace",
    arguments=(T.STRING, T.STRING, T.STRING),
    result=T.STRING,
    help="With every occurrence of the second argument replaced by the third.",
)
def replace(text: Any, search: Any, replacement: Any) -> str:
    string, old = _text("replace()", text), _text("replace()", search)
    new = _text("replace()", replacement)
    if len(new) > len(old):
        check_size(len(string) + string.count(old) * (len(new) - len(old)))
    return string.replace(old, new)


@function(
    "split",
    arguments=[(T.STRING, T.STRING), (T.STRING, T.LIST)],
    result=T.LIST,
    help="The parts between separators; an empty separator gives the characters.",
)
def split(text: Any, separators: Any) -> list[str]:
    string = _text("split()", text)
    wanted = separators if is_list(separators) else [separators]
    parts = [string]
    for separator in wanted:
        mark = _text("split()", separator)
        parts = [piece for part in parts for piece in (part.split(mark) if mark else list(part))]
    return parts


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise wrong_type(name, "a string", value)
    return value


def _characters(name: str, value: Any) -> str | None:
    return None if value is None else _text(name, value)


def _count(name: str, value: Any) -> int:
    if not is_integer(value):
        raise wrong_type(name, "an integer", value)
    if value < 0:
        raise ArgumentError(
            f"{name} expects a position or length that is not negative, not {value}",
            detail="NegativeIntegerArgument",
        )
    count: int = value
    return count
