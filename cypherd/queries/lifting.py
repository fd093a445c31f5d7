"""Literals of otherwise equal texts, lifted to parameters, so that they share a plan.

    MATCH (p:Person {id: 42}) RETURN p.name
        --> MATCH (p:Person {id: $__lifted0int}) RETURN p.name, {"__lifted0int": 42}

One scan, without parsing: only of texts that begin with MATCH, and in them only up to the first
clause that names columns, since a column without an alias is named after its text. Lifted are
integers, floats and plain strings that are the value in a map or stand behind a comparison; there a
parameter means the same. Whatever is not understood is left as it is: a text that is lifted too
little has a plan of its own, as before.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

PREFIX = "__lifted"
LONGEST = 4096
"""Characters of a text that is looked at."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*.*?\*/)
    | (?P<open>/\*)
    | (?P<string>'[^'\\]*'|"[^"\\]*")
    | (?P<number>\d+(?:\.\d+)?(?![\w.]))
    | (?P<word>[^\W\d]\w*|\$\w+|`[^`]*`)
    | (?P<sign><>|<=|>=|=~|\+=|\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BEGINS = re.compile(r"\s*MATCH\b", re.IGNORECASE)
_ENDS = frozenset({"return", "with", "unwind", "call", "union", "create", "merge", "set", "delete",
                   "detach", "remove", "foreach", "load", "finish", "using", "use", "yield",
                   "exists", "count", "collect", "reduce", "case"})  # fmt: skip
_COMPARISONS = frozenset({"=", "<>", "<", ">", "<=", ">="})
_MOST = (1 << 63) - 1


class Lifted(NamedTuple):
    """`text` with `parameters` means what the text meant that was lifted."""

    text: str
    parameters: dict[str, Any]


def lift(text: str) -> Lifted | None:
    """None where there is nothing to lift."""
    if len(text) > LONGEST or PREFIX in text or not _BEGINS.match(text):
        return None
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    opened: list[str] = []
    before, position = "", 0
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token.group()
        if kind == "space":
            continue
        if kind == "word" and found.lower() in _ENDS:
            break
        if kind in ("string", "number") and _is_value(before, opened):
            value = found[1:-1] if kind == "string" else _number(found)
            if value is not None:
                # By its type too: what a text means, or whether it is an error, may depend on it.
                name = f"{PREFIX}{len(parameters)}{type(value).__name__}"
                parameters[name] = value
                parts += (text[position : token.start()], "$", name)
                position = token.end()
        elif kind == "open" or found in ("'", '"', "`"):
            # It holds an escape, or does not end: nothing behind it is understood. Going on would
            # look for the end of each.
            return None
        elif found in ("(", "[", "{"):
            opened.append(found)
        elif found in (")", "]", "}") and opened:
            opened.pop()
        before = found
    if not parameters:
        return None
    return Lifted("".join((*parts, text[position:])), parameters)


def _is_value(before: str, opened: list[str]) -> bool:
    if before == ":":
        return bool(opened) and opened[-1] == "{"
    return before in _COMPARISONS


def _number(text: str) -> int | float | None:
    if "." in text:
        return float(text)
    if len(text) > 1 and text[0] == "0":
        # What a leading zero means is the parser's affair.
        return None
    value = int(text)
    return value if value <= _MOST else None
