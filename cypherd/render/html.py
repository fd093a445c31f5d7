"""A page with the result as a table, row by row, so that it streams.

Head and tail come from `templates/result.html`, which is rendered twice and cut where its rows
belong. Nothing of a query or a result gets into the page unescaped: the template escapes what it is
given, and cells are escaped here, a column at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from time import monotonic
from typing import Any, ClassVar

from cypherd.engine import Result
from cypherd.errors import CypherdError
from cypherd.planner.explain import to_text
from cypherd.render.cells import Cells, number_cells
from cypherd.render.chunks import ChunkBuffer, in_pieces
from cypherd.render.literals import literal
from cypherd.render.renderer import Headers, RenderOptions
from cypherd.render.templates import environment
from cypherd.values.graph import Node, Path, Relationship

# A comment cannot come from what is escaped.
_ROWS = "<!--rows-->"
_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_MARKUP = re.compile("[&<>\"']")
# XML and HTML have no place for these, not even escaped; the replacement shows that there was one.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


class HtmlRenderer:
    name: ClassVar[str] = "html"
    media_types: ClassVar[tuple[str, ...]] = ("text/html",)
    is_text: ClassVar[bool] = True
    in_band_errors: ClassVar[bool] = True
    headers: ClassVar[Headers] = (
        (b"content-security-policy", _POLICY),
        (b"referrer-policy", b"same-origin"),
    )

    def render(self, result: Result, options: RenderOptions) -> Iterator[bytes]:
        began = monotonic()
        page = _Page(result, options)
        buffer = ChunkBuffer()
        buffer.write(page.head())
        count = 0
        try:
            for batch in in_pieces(result.batches, buffer):
                if batch.length and result.columns:
                    columns = [batch.columns[name].to_list() for name in result.columns]
                    buffer.write(_rows(columns))
                count += batch.length
                if buffer.due():
                    yield buffer.take()
        except CypherdError as error:
            if buffer.sent:
                buffer.write(page.tail(error=error.to_dict(), count=count))
                yield buffer.take()
            raise
        elapsed = (monotonic() - began) * 1000
        buffer.write(page.tail(**page.trailer(), count=count, elapsed=elapsed))
        yield buffer.take()


class _Page:
    """What stands around the rows."""

    def __init__(self, result: Result, options: RenderOptions) -> None:
        self._result = result
        self._root = options.root
        self._options = options

    def head(self) -> bytes:
        return self._part(0, {"count": 0})

    def tail(self, **context: Any) -> bytes:
        return self._part(1, context)

    def trailer(self) -> dict[str, Any]:
        """Stats, the plan as text, and notifications."""
        description = self._result.plan_description()
        return {
            "stats": self._result.stats.to_dict(),
            "plan": None if description is None else to_text(description),
            "notifications": self._options.told(self._result.plan.notifications),
        }

    def _part(self, index: int, context: dict[str, Any]) -> bytes:
        page = (
            environment()
            .get_template("result.html")
            .render(
                root=self._root,
                query=_CONTROLS.sub("\ufffd", self._result.plan.text),
                columns=self._result.columns,
                **context,
            )
        )
        return page.split(_ROWS)[index].encode()


# --- cells ------------------------------------------------------------------------------


def _rows(columns: Sequence[Sequence[Any]]) -> bytes:
    """The end of a cell may be left out in HTML."""
    tags, cells = zip(*map(_cells, columns), strict=True)
    row = f"<tr>{'%s'.join(tags)}%s</tr>\n"
    return "".join(map(row.__mod__, zip(*cells, strict=True))).encode()


def _cells(values: Sequence[Any]) -> tuple[str, Cells]:
    """The tag of a column's cells, and what is in them; or no tag, and cells with their own."""
    kinds = set(map(type, values))
    if kinds == {str}:
        together = "".join(values)
        plain = together.isprintable() and not _MARKUP.search(together)
        return "<td>", values if plain else [_safe(value) for value in values]
    numbers = None if type(None) in kinds else number_cells(values, null="null")
    if numbers is not None:
        return '<td class="number">', numbers
    return "", [_cell(value) for value in values]


def _cell(value: Any) -> str:
    kind = type(value)
    if kind is str:
        return f"<td>{_safe(value)}"
    if value is None:
        return '<td class="null">null'
    if kind is int or kind is float:
        return f'<td class="number">{literal(value)}'
    title = _TITLES.get(kind)
    if title is not None:
        return f'<td class="graph" title="{_safe(title(value))}">{_safe(literal(value))}'
    return f'<td class="value">{_safe(literal(value))}'


def _safe(text: str) -> str:
    if text.isprintable():
        return escape(text)
    # A reader of HTML takes a carriage return that is not escaped for a line feed.
    return escape(_CONTROLS.sub("\ufffd", text)).replace("\r", "&#13;")


_TITLES: dict[type, Callable[[Any], str]] = {
    Node: lambda node: f"node {node.id}",
    Relationship: lambda one: f"relationship {one.id}, from node {one.start} to node {one.end}",
    Path: lambda path: f"path of {len(path.relationships)} relationships",
}
