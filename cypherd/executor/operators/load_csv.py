"""LoadCsv: for every row of the source the rows of a CSV file, in batches as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from cypherd.batch.columns import Batch, Column, ObjectColumn, TypedColumn
from cypherd.errors import CypherTypeError
from cypherd.executor.context import ExecutionContext
from cypherd.executor.csv_files import find_csv, opened, shown_name
from cypherd.executor.csv_rows import CsvRows, Row
from cypherd.executor.evaluator import compile_expression
from cypherd.executor.expressions.compiler import located
from cypherd.executor.memory import Holding
from cypherd.executor.operator import Expression, Mapping, Operator
from cypherd.executor.rows import zeros
from cypherd.planner.logical.operators import LogicalLoadCsv
from cypherd.values.description import type_of, type_text


@dataclass(slots=True, kw_only=True)
class LoadCsv(Operator):
    source: Operator
    url: Expression
    at: int
    variable: str
    headers: bool
    terminator: str
    line: str
    file: str

    def _batches(self, context: ExecutionContext, argument: Batch) -> Iterator[Batch]:
        for batch in self.source.batches(context, argument):
            for row, url in enumerate(self.url(batch, context).to_list()):
                # The offset is for errors between the batches, whatever happens to them.
                pieces = self._of_file(url, context)
                while True:
                    with located(self.at):
                        piece = next(pieces, None)
                    if piece is None:
                        break
                    rows = zeros(len(piece[self.variable])) + row
                    yield batch.take(rows).with_columns(piece)

    def _of_file(self, url: Any, context: ExecutionContext) -> Iterator[dict[str, Column]]:
        if not isinstance(url, str):
            found = "null" if url is None else type_text(type_of(url))
            raise CypherTypeError(
                f"LOAD CSV takes the name of a file, not {found}", detail="InvalidArgumentType"
            )
        folder = context.settings.import_folder
        path = find_csv(url, folder)
        name = shown_name(path, folder)
        with Holding(context.guard) as held, opened(path, url) as text:
            rows = CsvRows(text, url, self.terminator, held.add)
            numbered = ((rows.line, row) for row in rows)
            header = next(numbered, None) if self.headers else None
            while piece := list(islice(numbered, context.batch_size)):
                context.guard.check()
                lines, values = zip(*piece, strict=True)
                yield {
                    self.variable: ObjectColumn(_maps(header[1], values) if header else [*values]),
                    self.line: TypedColumn(np.array(lines, dtype=np.int64)),
                    self.file: ObjectColumn([name] * len(piece)),
                }


def _maps(header: Row, rows: tuple[Row, ...]) -> list[dict[str, str | None]]:
    """A short row has nulls for what it lacks; what is more than the header names is left out."""
    names = [name or "" for name in header]
    width = len(names)
    return [
        dict(zip(names, row if len(row) >= width else [*row, *[None] * width], strict=False))
        for row in rows
    ]


def map_load_csv(plan: LogicalLoadCsv, number: int, mapping: Mapping) -> Operator:
    return LoadCsv(
        number=number,
        source=mapping.map(plan.source),
        url=compile_expression(plan.url),
        at=plan.url.at,
        variable=plan.variable,
        headers=plan.headers,
        terminator=plan.terminator,
        line=plan.line,
        file=plan.file,
    )
