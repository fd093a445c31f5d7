"""Grammar rules of `IS :: TYPE` and `IS NORMALIZED` -> AST. One method a rule."""

from __future__ import annotations

import difflib
from typing import Any

from cypherd.errors import CypherSyntaxError
from cypherd.parser import ast
from cypherd.parser.lexer import Token
from cypherd.values.value_types import TYPE_NAMES, ValueType, type_name

Children = list[Any]
_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


class TypePredicateRules:
    def is_typed(self, children: Children) -> ast.IsTyped:
        operand, token, negation, type_ = children
        return ast.IsTyped(operand, _checked(type_), negation is not None, at=token.at)

    def is_worded(self, children: Children) -> ast.Expression:
        """`IS TYPED type` and `IS NFC NORMALIZED`."""
        operand, token, negation, word, type_ = children
        if word.text.upper() == "TYPED":
            return ast.IsTyped(operand, _checked(type_), negation is not None, at=token.at)
        form = word.text.upper()
        if form not in _FORMS or _words(type_).upper() != "NORMALIZED":
            raise _unknown_test(word)
        return ast.IsNormalized(operand, form, negation is not None, at=token.at)

    def is_normalized(self, children: Children) -> ast.IsNormalized:
        operand, token, negation, word = children
        if word.text.upper() != "NORMALIZED":
            raise _unknown_test(word)
        return ast.IsNormalized(operand, "NFC", negation is not None, at=token.at)

    # --- types --------------------------------------------------------------------------

    def value_type(self, children: Children) -> list[_Choice]:
        return children[::2]

    def one_type(self, children: Children) -> _Choice:
        *names, inside, not_null = children
        return _Choice(names, inside, not_null is None)

    def null_type(self, children: Children) -> _Choice:
        return _Choice(children, None, True)

    def type_inside(self, children: Children) -> list[_Choice]:
        found: list[_Choice] = children[1]
        return found

    def not_null(self, _: Children) -> bool:
        return True


class _Choice:
    """A type as written: checked once it is known that it is one."""

    def __init__(self, names: list[Token], inside: list[_Choice] | None, nullable: bool) -> None:
        self.names = names
        self.inside = inside
        self.nullable = nullable

    @property
    def at(self) -> int:
        return self.names[0].at

    @property
    def text(self) -> str:
        return " ".join(token.text for token in self.names)


def _words(choices: list[_Choice]) -> str:
    first = choices[0]
    return first.text if len(choices) == 1 and first.inside is None and first.nullable else ""


def _checked(choices: list[_Choice]) -> ValueType:
    """Raises CypherSyntaxError for a type that there is not, a list of nothing named, and a union
    whose parts do not agree about null."""
    found: list[tuple[str, ValueType | None, bool]] = []
    for choice in choices:
        name = type_name(choice.text)
        if name is None:
            raise _unknown_type(choice)
        if name == "ANY" and choice.inside is not None:
            found.extend(_checked(choice.inside).choices)
            continue
        if name == "LIST" and choice.inside is None:
            raise CypherSyntaxError(
                "LIST needs the type of its elements: LIST<ANY>.",
                detail="InvalidType",
                offset=choice.at,
            )
        inside = None if choice.inside is None else _checked(choice.inside)
        found.append((name, inside, choice.nullable and name != "NOTHING"))
    if len({nullable for name, _, nullable in found if name not in ("NULL", "NOTHING")}) > 1:
        raise CypherSyntaxError(
            "All types of a union must allow null, or all must say NOT NULL.",
            detail="InvalidType",
            offset=choices[0].at,
        )
    return ValueType(tuple(found))


def _unknown_type(choice: _Choice) -> CypherSyntaxError:
    near = difflib.get_close_matches(choice.text.upper(), TYPE_NAMES, 1)
    return CypherSyntaxError(
        f"There is no type {choice.text}.",
        detail="InvalidType",
        offset=choice.at,
        hint=f"did you mean {near[0]}?" if near else None,
    )


def _unknown_test(word: Token) -> CypherSyntaxError:
    return CypherSyntaxError(
        f'Unexpected "{word.text}"; expected NOT, NULL, NORMALIZED, TYPED or "::".',
        detail="UnexpectedSyntax",
        offset=word.at,
    )
