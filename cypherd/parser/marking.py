"""One pass over the tokens that settles what one token of look-ahead cannot.

    (n:Person)-[:KNOWS]->(m)      LPAR  -> PATTERN_LPAR   opens a node pattern
              ^                   MINUS -> REL_DASH       begins a relationship
    (n)<-[:KNOWS]-(m)             LT    -> REL_LEFT       begins a relationship
    count { (n)-->() }            NAME  -> SUBQUERY       when braces hold patterns or clauses
    SHORTEST 2 (a)-->+(b)         NAME  -> SELECTOR       in front of a path (selectors.py)
    USE neo4j MATCH ...           NAME  -> USE            in front of a query
    (n:A|B)                       VBAR  -> LABEL_BAR      between labels or types (bars.py)
    x IS :: LIST<INTEGER>         LT    -> TYPE_LT        where a type holds others (bars.py)

`(a)` is an expression or a pattern by what stands inside and by the arrow behind it. The pass
keeps a stack of open brackets and looks a fixed number of tokens ahead: linear in the text.
"""

from __future__ import annotations

from cypherd.errors import CypherSyntaxError
from cypherd.parser.bars import mark_label_bars, mark_type_brackets
from cypherd.parser.lexer import END, Token
from cypherd.parser.selectors import mark_selectors

_OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
_AFTER_NODE_VARIABLE = frozenset({"RPAR", "COLON", "LBRACE", "PARAMETER", "WHERE"})
_AFTER_RELATIONSHIP_BRACKET = frozenset(
    {"RSQB", "COLON", "STAR", "DOTDOT", "LBRACE", "PARAMETER", "WHERE"}
)
_AFTER_ARROW = frozenset({"LPAR", "PLUS", "STAR", "LBRACE"})
# A parenthesis after these is a call or a syntax error, never a node pattern.
_AFTER_OPERAND = frozenset({"NAME", "QUOTED_NAME", "RPAR", "RSQB"})
_SUBQUERY_WORDS = frozenset({"exists", "count", "collect"})
_CLAUSE_STARTS = frozenset(
    {"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "START", "CREATE", "MERGE", "SET",
     "REMOVE", "DELETE", "DETACH", "FOREACH", "LOAD", "USE"}
)  # fmt: skip
_BEFORE_USE = frozenset({"EXPLAIN", "PROFILE", "UNION", "ALL", "LBRACE"})
_NOT_A_WORD = ("COLON", "RBRACE", "COMMA")
_LOOK_AHEAD = 5
_NO_NODE = -1


def mark_patterns(tokens: list[Token], names: frozenset[str], max_nesting: int) -> None:
    """Retype tokens in place; `names` are the terminals that can be a variable.

    Raises CypherSyntaxError where brackets are nested deeper than `max_nesting`."""
    mark_selectors(tokens)
    mark_uses(tokens)
    kinds = [token.type for token in tokens]
    kinds.extend([END] * _LOOK_AHEAD)
    # For each open bracket: its index if it may open a node pattern.
    opened: list[int] = []
    for index, kind in enumerate(kinds):
        if kind in _OPENING:
            opened.append(index if _may_open_node(kinds, index, names) else _NO_NODE)
            if len(opened) > max_nesting:
                raise too_deep(max_nesting, tokens[index].at)
            if kind == "LBRACE" and index and _opens_subquery(kinds, index, tokens[index - 1]):
                tokens[index - 1].type = "SUBQUERY"
        elif kind in _CLOSING and opened:
            start = opened.pop()
            if (
                start != _NO_NODE
                and kind == "RPAR"
                and _begins_relationship(kinds, index + 1, names)
            ):
                tokens[start].type = "PATTERN_LPAR"
                dash = tokens[index + 1]
                dash.type = "REL_DASH" if dash.type == "MINUS" else "REL_LEFT"
    if "VBAR" in kinds:
        mark_label_bars(tokens)
    if "LT" in kinds:
        mark_type_brackets(tokens)


def mark_uses(tokens: list[Token]) -> None:
    """USE in front of a query, of a side of a UNION or inside of braces, with a name behind it and
    a clause behind that."""
    for index, token in enumerate(tokens[:-2]):
        if token.type != "NAME" or token.text.lower() != "use":
            continue
        begins = not index or tokens[index - 1].type in _BEFORE_USE
        if begins and tokens[index + 1].type in ("NAME", "QUOTED_NAME"):
            token.type = "USE"


def too_deep(max_nesting: int, offset: int) -> CypherSyntaxError:
    return CypherSyntaxError(
        f"The query is nested deeper than {max_nesting} levels (setting max_nesting).",
        detail="NestingTooDeep",
        offset=offset,
    )


def _may_open_node(kinds: list[str], index: int, names: frozenset[str]) -> bool:
    """Whether the bracket at `index` and the two tokens behind it look like `(n`, `(:`, `(`."""
    if kinds[index] != "LPAR" or (index and kinds[index - 1] in _AFTER_OPERAND):
        return False
    inside = kinds[index + 1]
    if inside in names:
        return kinds[index + 2] in _AFTER_NODE_VARIABLE
    return inside in _AFTER_NODE_VARIABLE


def _begins_relationship(kinds: list[str], index: int, names: frozenset[str]) -> bool:
    """`-[r`, `<-[:T`, `--(`, `-->(`, `<--(`, `<-->(`; but `(a)--1`, `(a)-[1][0]` are arithmetic."""
    if kinds[index] == "LT":
        index += 1
    if kinds[index] != "MINUS":
        return False
    if kinds[index + 1] == "LSQB":
        inside = kinds[index + 2]
        return inside in _AFTER_RELATIONSHIP_BRACKET or inside in names
    if kinds[index + 1] != "MINUS":
        return False
    # `(a)--+(b)` is arithmetic, too; behind an arrow a sign can only be a quantifier.
    if kinds[index + 2] == "GT":
        return kinds[index + 3] in _AFTER_ARROW
    return kinds[index + 2] in ("LPAR", "LBRACE")


def _opens_subquery(kinds: list[str], brace: int, before: Token) -> bool:
    """Whether `exists {`, `count {` or `collect {` is a subquery, not a name with a map."""
    if before.type not in ("NAME", "EXISTS") or before.text.lower() not in _SUBQUERY_WORDS:
        return False
    first, second = kinds[brace + 1], kinds[brace + 2]
    if first in _CLAUSE_STARTS:
        return second not in _NOT_A_WORD
    return first in ("LPAR", "SELECTOR") or second == "EQ"
