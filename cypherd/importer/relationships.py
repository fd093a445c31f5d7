"""Relationship files: rows -> the nodes of both ends -> records, ends, types.

A row that refers to no node is a problem, or is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.errors import ImportFailed
from cypherd.importer.columns import Columns, Key
from cypherd.importer.groups import ImportOptions, RelationshipGroup
from cypherd.importer.keys import ABSENT, KeyMap
from cypherd.importer.problems import Problems
from cypherd.importer.reading import Batch, Rows
from cypherd.importer.records import Records, count
from cypherd.importer.spaces import Spaces, key_fault, keys_of
from cypherd.importer.tracking import Tracker
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.writing import LmdbWriteTransaction


@dataclass(slots=True)
class RelationshipLoader:
    transaction: LmdbWriteTransaction
    bulk: BulkLoad
    spaces: Spaces
    problems: Problems
    options: ImportOptions
    tracker: Tracker
    added: int = 0
    properties: int = 0

    def load(self, group: RelationshipGroup) -> None:
        opened = self.tracker.open(group)
        if opened is None:
            return
        columns, table = opened
        file = _RelationshipFile(self, group, columns)
        for batch, rows, places in self.tracker.batches(group, table, columns.width):
            file.add(batch, rows, places)


class _RelationshipFile:
    def __init__(
        self, loader: RelationshipLoader, group: RelationshipGroup, columns: Columns
    ) -> None:
        self._loader = loader
        self._records = Records(columns.properties, loader.transaction.property_token)
        self._columns = columns
        name = group.files[0].name
        self._ends: list[tuple[Key, KeyMap]] = []
        for keys, what in ((columns.starts, ":START_ID"), (columns.ends, ":END_ID")):
            key = columns.require_one(name, keys, what)
            self._ends.append((key, loader.spaces.require(key.space, name)))
        if not columns.types and not group.type:
            raise ImportFailed(f"{name}: no type is given: name it before the file, or in :TYPE")
        self._type = group.type
        self._tokens: dict[str, int] = {}

    def add(self, batch: Batch, rows: Rows, places: list[int]) -> None:
        try:
            self._add(batch, rows, places)
        except ValueError:
            good = [i for i, row in enumerate(rows) if not self._faulty(batch, row, places[i])]
            self._add(batch, [rows[i] for i in good], [places[i] for i in good])

    def _faulty(self, batch: Batch, row: list[str], place: int) -> bool:
        fault = self._records.fault(row)
        if fault is None and not self._type_of(row):
            fault = "the row has no type"
        if fault is None:
            fault = self._end_fault(row)
        if fault is not None:
            self._loader.problems.add(batch.file, batch.line(place), fault)
        return fault is not None

    def _end_fault(self, row: list[str]) -> str | None:
        for name, (key, keys) in zip(("start", "end"), self._ends, strict=True):
            text = row[key.position]
            fault = f"the row has no {name}" if text == "" else key_fault(text, keys)
            if fault is not None:
                return fault
        return None

    def _add(self, batch: Batch, rows: Rows, places: list[int]) -> None:
        """Raises ValueError, having added nothing, where a row is not as it should be."""
        if not rows:
            return
        loader = self._loader
        records = self._records.of(rows)
        types = self._types_of(rows)
        starts, ends = (self._nodes(rows, key, keys) for key, keys in self._ends)
        there = (starts >= 0) & (ends >= 0)
        if not there.all():
            self._tell_missing(batch, rows, places, (starts, ends))
            kept = np.flatnonzero(there).tolist()
            starts, ends = starts[there], ends[there]
            records, types = [records[i] for i in kept], [types[i] for i in kept]
        loader.bulk.add_relationships(types, starts.tolist(), ends.tolist(), records)
        loader.added += len(records)
        loader.properties += count(records)

    def _nodes(self, rows: Rows, key: Key, keys: KeyMap) -> IntArray:
        texts = [row[key.position] for row in rows]
        if "" in texts:
            raise ValueError("a row has no end")
        return keys.find(keys_of(texts, keys))

    def _tell_missing(
        self, batch: Batch, rows: Rows, places: list[int], nodes: tuple[IntArray, IntArray]
    ) -> None:
        problems = self._loader.problems
        tell = problems.skip if self._loader.options.skip_bad_relationships else problems.add
        for row in np.flatnonzero((nodes[0] < 0) | (nodes[1] < 0)).tolist():
            for (key, _), found in zip(self._ends, nodes, strict=True):
                if found[row] < 0:
                    text = rows[row][key.position]
                    space = key.space
                    absent = found[row] == ABSENT
                    what = space.missing(text) if absent else space.several(text)
                    tell(batch.file, batch.line(places[row]), what)
                    break

    def _type_of(self, row: list[str]) -> str:
        return next((row[at].strip() for at in self._columns.types if row[at].strip()), self._type)

    def _types_of(self, rows: Rows) -> list[int]:
        if not self._columns.types:
            return [self._token(self._type)] * len(rows)
        names = list(map(self._type_of, rows))
        if "" in names:
            raise ValueError("a row has no type")
        return list(map(self._token, names))

    def _token(self, name: str) -> int:
        if name not in self._tokens:
            self._tokens[name] = self._loader.transaction.type_token(name)
        return self._tokens[name]
