"""Failures of a query as a person reads them: what, where, and a caret below the place."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cypherd.errors import CypherdError, MethodNotAllowed

if TYPE_CHECKING:
    from cypherd.parser.script import ScriptStatement

_WIDEST = 100
_BEFORE = 60


class QueryFailed(Exception):
    """`error` is one error of docs/http.md: code, message, type and what else it has."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error.get("message", ""))
        self.error = error

    @staticmethod
    def of(error: CypherdError) -> QueryFailed:
        return QueryFailed(error.to_dict())


class FormatRefused(QueryFailed):
    """There is no such format: a mistake on the command line."""


class Unreachable(Exception):
    """No server answers, or it is gone in the middle of an answer."""


def write_refused() -> CypherdError:
    return MethodNotAllowed("a query that writes is refused with --read-only")


def tell(text: str) -> None:
    """A line of the command's own, on standard error."""
    print(f"cypherd: {text}", file=sys.stderr)


def tell_failure(
    error: Mapping[str, Any], statement: ScriptStatement | None = None, script: str = ""
) -> None:
    """The error on standard error. `statement`: its place is one of that statement, to be told as
    the place in `script`."""
    for line in failure_lines(error, statement, script):
        print(line, file=sys.stderr)


def failure_lines(
    error: Mapping[str, Any], statement: ScriptStatement | None = None, script: str = ""
) -> Iterator[str]:
    yield f"cypherd: {error.get('type', 'Error')}: {error.get('message', '')}"
    line, column = error.get("line"), error.get("column")
    if isinstance(line, int) and isinstance(column, int):
        shown = str(error.get("query_line", ""))
        if statement is not None:
            line, column = statement.in_script(line, column)
            shown = script.split("\n")[line - 1].rstrip("\r")
        yield f"  line {line}, column {column}"
        yield from _marked(shown, column)
    if error.get("hint"):
        yield f"  hint: {error['hint']}"


def _marked(line: str, column: int) -> Iterator[str]:
    """The line, cut to what a terminal holds, and a caret below `column` (from 1)."""
    from rich.cells import cell_len

    start = 0
    if len(line) > _WIDEST:
        start = max(0, min(column - 1 - _BEFORE, len(line) - _WIDEST))
    before = ("..." if start else "") + line[start : column - 1].replace("\t", " ")
    rest = line[column - 1 : start + _WIDEST].replace("\t", " ")
    more = "..." if len(line) > start + _WIDEST else ""
    yield f"    {before}{rest}{more}"
    yield f"    {' ' * cell_len(before)}^"
