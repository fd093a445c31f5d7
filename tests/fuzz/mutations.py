"""Changes of a text: by tokens, so that most of it still makes sense, and by characters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.words import TERMINAL_WORDS

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\w+|\s+|[^\w\s]", re.DOTALL)
_BRACKETS = "()[]{}"
_ODD = ("\x00", "\x1f", "\x85", "\u200b", "\u202e", "\ufeff", "\ud800", "\U0010ffff", "é",
        "e\u0301", "ı", "ß", "\uff11", "٣", "'", '"', "`", "\\", "/*", "//", "\\u00", "\r", ";",
        "#", "::", "..", "|", "&", "%", "!", "$", "$(", "<", "-", "--", "[*", "=~")  # fmt: skip
_WORDS = ("NOT", "NULL", "AND", "OR", "XOR", "IN", "IS", "WHERE", "WITH *", "DISTINCT", "CASE",
          "WHEN", "THEN", "END", "UNION", "RETURN", "LIMIT 0", "SKIP 1", "ORDER BY", "OPTIONAL",
          "MATCH", "UNWIND", "AS", "count(*)", "collect(", "EXISTS {", "COUNT {", "[x IN",
          "reduce(a = 0,", "shortestPath(", "*", "*1..2", "$p", "-1", "1.5", "[]", "{}", "null",
          "true", "''", "FOREACH (", "MERGE", "SET", "REMOVE", "DELETE", "DETACH", "CALL", "YIELD",
          "IS :: INTEGER", "IS NFC NORMALIZED", ":A", ":A|B", ":!A", "n.i", "(n)", "-[r]->",
          "EXPLAIN", "PROFILE", "START", "SHOW", "AS `a b`")  # fmt: skip
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_CLAUSE_WORDS = frozenset(
    {"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL", "CREATE", "MERGE", "SET", "REMOVE",
     "DELETE", "FOREACH", "WHERE", "ORDER", "SKIP", "LIMIT", "UNION"}
)  # fmt: skip
_VALUES = (*TERMINAL_WORDS["INTEGER"], *TERMINAL_WORDS["STRING"], *TERMINAL_WORDS["FLOAT"],
           *TERMINAL_WORDS["PARAMETER"], "null", "true", "[]", "{}", "-1", "[1, null]", "{i: 1}",
           "0.0 / 0.0", "date('2020-01-01')", "duration('P1D')", "(1 + 2)", "NOT true", "rand()",
           "count(*)", "n", "n.i", "x", "[x IN [1] | x]", "CASE WHEN true THEN 1 END")  # fmt: skip
_MOST_COPIES = 60


def tokens_of(text: str) -> list[str]:
    """Strings, names, words, blanks and signs, one by one; joined they are the text."""
    return _TOKEN.findall(text)


def mutated(random: Random, text: str, others: Sequence[str]) -> str:
    """The text after one to four changes; `others` are what parts are taken from."""
    tokens = tokens_of(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        if tokens:
            random.choice(_CHANGES)(random, tokens, others)
    return "".join(tokens)


def _span(random: Random, tokens: list[str], most: int = 12) -> slice:
    start = random.randrange(len(tokens))
    return slice(start, start + random.randint(1, most))


def _delete(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    del tokens[_span(random, tokens, 4)]


def _duplicate(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    span = _span(random, tokens)
    tokens[span.start : span.start] = tokens[span]


def _swap(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    one, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[one], tokens[other] = tokens[other], tokens[one]


def _splice(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """A part of another text in the place of a part of this one."""
    other = tokens_of(random.choice(others))
    if other:
        tokens[_span(random, tokens)] = other[_span(random, other, 30)]


def _cross(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """The beginning of this text and the end of another one."""
    other = tokens_of(random.choice(others))
    tokens[random.randrange(len(tokens)) :] = other[random.randrange(len(other) or 1) :]


def _insert(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    tokens.insert(random.randint(0, len(tokens)), f" {random.choice(_WORDS)} ")


def _replace(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    tokens[random.randrange(len(tokens))] = f" {random.choice(_WORDS)} "


def _rename(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """One word for another of the same text: variables get mixed up."""
    words = [i for i, token in enumerate(tokens) if token[0].isalpha()]
    if words:
        tokens[random.choice(words)] = tokens[random.choice(words)]


def _unbalance(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    brackets = [i for i, token in enumerate(tokens) if token in _BRACKETS]
    if brackets and random.random() < 0.5:
        del tokens[random.choice(brackets)]
    else:
        tokens.insert(random.randint(0, len(tokens)), random.choice(_BRACKETS))


def _odd(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    odd = random.choice(_ODD) if random.random() < 0.7 else chr(random.randrange(0x110000))
    i = random.randrange(len(tokens))
    cut = random.randint(0, len(tokens[i]))
    tokens[i] = tokens[i][:cut] + odd + tokens[i][cut:]


def _cut(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    del tokens[random.randrange(len(tokens)) :]


def _multiply(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """A part many times over: long chains and deep nesting."""
    span = _span(random, tokens, 8)
    tokens[span] = tokens[span] * random.randint(2, _MOST_COPIES)


def _regroup(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """What stands in a pair of brackets for what stands in one of the same kind elsewhere."""
    places = [i for i, token in enumerate(tokens) if token in _OPENING]
    if not places:
        return
    place = random.choice(places)
    other = tokens_of(random.choice(others))
    same = [i for i, token in enumerate(other) if token == tokens[place]]
    if same:
        start = random.choice(same)
        tokens[place : _end_of(tokens, place)] = other[start : _end_of(other, start)]


def _end_of(tokens: list[str], start: int) -> int:
    """Behind the bracket that closes the one at `start`, or the end."""
    depth = 0
    for i in range(start, len(tokens)):
        depth += (tokens[i] in _OPENING) - (tokens[i] in _CLOSING)
        if not depth:
            return i + 1
    return len(tokens)


def _reclause(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """A clause of another text before one of this text, or in its place."""
    other = tokens_of(random.choice(others))
    own, theirs = _clauses(tokens), _clauses(other)
    if own and theirs:
        place = random.choice(own)
        part = [*other[random.choice(theirs)], " "]
        tokens[place.start : random.choice((place.start, place.stop))] = part


def _clauses(tokens: list[str]) -> list[slice]:
    """Where each clause stands, outside of brackets."""
    depth = 0
    starts = []
    for i, token in enumerate(tokens):
        depth += (token in _OPENING) - (token in _CLOSING)
        if not depth and token.upper() in _CLAUSE_WORDS:
            starts.append(i)
    ends = [*starts[1:], len(tokens)]
    return [slice(start, end) for start, end in zip(starts, ends[: len(starts)], strict=True)]


def _constant(random: Random, tokens: list[str], others: Sequence[str]) -> None:
    """One value for another, of any type."""
    values = [i for i, token in enumerate(tokens) if token[0] in "'\"" or token[0].isdigit()]
    if values:
        tokens[random.choice(values)] = random.choice(_VALUES)


_Change = Callable[[Random, list[str], Sequence[str]], None]
_CHANGES: tuple[_Change, ...] = (
    _delete, _duplicate, _swap, _splice, _splice, _cross, _insert, _replace, _replace, _rename,
    _rename, _unbalance, _odd, _cut, _multiply, _regroup, _regroup, _regroup, _regroup, _reclause,
    _reclause, _reclause, _reclause, _constant, _constant, _constant,
)  # fmt: skip
