"""Batches of a group's rows, while telling how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cypherd.importer.columns import Columns, is_marked
from cypherd.importer.groups import ImportOptions, NodeGroup, RelationshipGroup
from cypherd.importer.problems import Problems
from cypherd.importer.reading import Batch, Rows, Table

Progress = Callable[[str, int, int], None]
"""(what is being loaded, rows done, rows in all: estimated from the size of the files)."""


@dataclass(frozen=True, slots=True)
class Tracker:
    problems: Problems
    options: ImportOptions
    progress: Progress | None

    def open(self, group: NodeGroup | RelationshipGroup) -> tuple[Columns, Table] | None:
        """The columns of a group; None, and a problem, where it has no header."""
        table = Table(group.files, self.options.dialect, self.problems)
        names = table.header()
        if names is None:
            return None
        table.empty_strings = is_marked(names) and not self.options.ignore_empty_strings
        return group.layout(group.files[0].name, names, self.options), table

    def batches(
        self, group: NodeGroup | RelationshipGroup, table: Table, width: int
    ) -> Iterator[tuple[Batch, Rows, list[int]]]:
        """Batches, their rows of the right width, and which rows of the batch these are."""
        name, done, bad = group.files[0].name, 0, self.problems.bad
        for batch in table.batches():
            rows, places = self._whole_rows(batch, width)
            yield batch, rows, places
            done += sum(map(bool, batch.rows))
            self._tell(name, done, group.rows or int(done / batch.share if batch.share else 0))
        if group.rows is not None and done != group.rows and self.problems.bad == bad:
            what = f"the file has {done:,} rows, the manifest says {group.rows:,}"
            self.problems.add(name, None, what)
        self._tell(name, done, group.rows or done)

    def _whole_rows(self, batch: Batch, width: int) -> tuple[Rows, list[int]]:
        if all(len(row) == width for row in batch.rows):
            return batch.rows, list(range(len(batch.rows)))
        places = []
        for place, row in enumerate(batch.rows):
            if len(row) == width:
                places.append(place)
            elif row:
                what = f"{len(row)} fields instead of {width}"
                self.problems.add(batch.file, batch.line(place), what)
        return [batch.rows[place] for place in places], places

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, max(done, total))
