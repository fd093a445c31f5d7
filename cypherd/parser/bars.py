"""Which bars stand between labels or types, and which part a list from what is made of it.

    (n:A|B)   -[r:A|B]->   WHERE n:A|B       labels
    [x IN xs WHERE x:A|B | x.name]           behind WHERE, the last bar in the brackets parts
    [x IN xs | x:A|B]                        without WHERE the first
    reduce(...|...)  FOREACH (...|...)       the same

`[x IN xs WHERE x:A|B]` could be either; it is what it was before label expressions. And which `<`
begins what a type holds, as in `x IS :: LIST<INTEGER>`, and compares nothing.
"""

from __future__ import annotations

from cypherd.parser.lexer import Token

_OPENING = frozenset({"LPAR", "PATTERN_LPAR", "LSQB", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
_HOLDING_TYPES = frozenset({"list", "array", "any"})
_BEFORE_TYPE = frozenset({"DOUBLE_COLON", "LABEL_BAR", "TYPE_LT"})
_PARTED_CALLS = frozenset({"reduce", "filter", "extract", "foreach"})


def mark_label_bars(tokens: list[Token]) -> None:
    """Retype in place, behind the marking of patterns, each bar between labels."""
    opened: list[list[Token]] = []
    parted: list[bool] = []
    conditions: list[bool] = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind in _OPENING:
            opened.append([])
            parted.append(_is_parted(tokens, index))
            conditions.append(False)
        elif kind in _CLOSING and opened:
            bars, conditional = opened.pop(), conditions.pop()
            if parted.pop():
                bars = bars[:-1] if conditional else bars[1:]
            _retype(bars)
        elif kind == "WHERE" and conditions:
            conditions[-1] = True
        elif kind == "VBAR":
            if opened:
                opened[-1].append(token)
            else:
                _retype([token])


def _retype(bars: list[Token]) -> None:
    for bar in bars:
        bar.type = "LABEL_BAR"


def _is_parted(tokens: list[Token], index: int) -> bool:
    """Whether a bar directly in the bracket at `index` may part it."""
    kind = tokens[index].type
    before = tokens[index - 1] if index else None
    if kind == "LSQB":
        return not _is_of_relationship(tokens, index)
    return kind == "LPAR" and before is not None and before.text.lower() in _PARTED_CALLS


def _is_of_relationship(tokens: list[Token], index: int) -> bool:
    """`-[` and `<-[` behind a node pattern."""
    kinds = [token.type for token in tokens[max(index - 2, 0) : index]]
    return kinds[-1:] == ["REL_DASH"] or kinds == ["REL_LEFT", "MINUS"]


def mark_type_brackets(tokens: list[Token]) -> None:
    """Retype in place, behind the marking of bars, each `<` behind LIST, ARRAY or ANY where a
    type stands."""
    for before, name, sign in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign.type == "LT" and name.text.lower() in _HOLDING_TYPES and _precedes_type(before):
            sign.type = "TYPE_LT"


def _precedes_type(token: Token) -> bool:
    return token.type in _BEFORE_TYPE or (token.type == "NAME" and token.text.lower() == "typed")
