"""Which words select paths: `SHORTEST 2 PATHS (a)...`, `ANY (a)...`, `ALL SHORTEST (a)...`.

They are names elsewhere (`any(x IN xs WHERE ...)` is a function), so they are told by what stands
around them: in front MATCH, a comma, `=` or the brace of a subquery, behind a node or a number.
"""

from __future__ import annotations

from cypherd.parser.lexer import END, Token

_FIRST = frozenset({"shortest", "any", "all"})
_FURTHER = frozenset({"shortest", "path", "paths", "group", "groups"})
_BEFORE = frozenset({"MATCH", "COMMA", "EQ", "LBRACE"})
_WORDS = frozenset({"NAME", "ALL"})
_NUMBERS = frozenset({"INTEGER", "PARAMETER"})
_IN_NODE = frozenset({"COLON", "LBRACE", "WHERE", "PARAMETER"})
_ARROWS = frozenset({"MINUS", "LT"})


def mark_selectors(tokens: list[Token]) -> None:
    """Retype the words in place, in front of the marking of patterns, which goes by them."""
    before = tokens[0].type
    for index in range(1, len(tokens)):
        token = tokens[index]
        if before in _BEFORE and token.type in _WORDS and token.text.lower() in _FIRST:
            for word in _selector(tokens, index):
                tokens[word].type = "SELECTOR"
        before = token.type


def _selector(tokens: list[Token], first: int) -> list[int]:
    """The places of its words; none if it is no selector."""
    words, index = [first], first + 1
    numbered = False
    while True:
        token = tokens[index]
        if token.type in _NUMBERS and not numbered:
            numbered = True
        elif token.type == "NAME" and token.text.lower() in _FURTHER:
            words.append(index)
        else:
            break
        index += 1
    if token.type != "LPAR":
        return []
    # `any(x IN xs ...)` and `all(x)` are calls; `any` alone may also stand in front of a path.
    may_be_call = not numbered and len(words) == 1 and tokens[first].text.lower() != "shortest"
    return [] if may_be_call and not _is_path(tokens, index + 1) else words


def _is_path(tokens: list[Token], inside: int) -> bool:
    """Whether what is inside of the parenthesis begins a path, and is no argument."""
    kinds = [token.type for token in tokens[inside : inside + 3]]
    # The text may end here.
    kind, following, third = [*kinds, END, END][:3]
    if kind in ("RPAR", "LPAR") or kind in _IN_NODE:
        return True
    return following in _IN_NODE or (following == "RPAR" and third in _ARROWS)
