"""Node files: rows -> keys that are new -> records, labels.

A row whose key is there already is a problem, or is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cypherd.batch.columns import IntArray
from cypherd.importer.columns import Columns, Key, Space
from cypherd.importer.groups import ImportOptions, NodeGroup
from cypherd.importer.keys import KeyMap, Keys
from cypherd.importer.problems import Problems
from cypherd.importer.reading import Batch, Rows
from cypherd.importer.records import Records, count
from cypherd.importer.spaces import Spaces, key_fault, keys_of
from cypherd.importer.tracking import Tracker
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.writing import LmdbWriteTransaction


@dataclass(slots=True)
class NodeLoader:
    transaction: LmdbWriteTransaction
    bulk: BulkLoad
    spaces: Spaces
    problems: Problems
    options: ImportOptions
    tracker: Tracker
    added: int = 0
    properties: int = 0
    keyed: dict[tuple[str, str], None] = field(default_factory=dict)
    """First labels and the property that is the key of nodes with it, in order."""

    def load(self, group: NodeGroup, referred: Iterable[str]) -> None:
        """`referred`: labels under which relationships look for keys."""
        opened = self.tracker.open(group)
        if opened is None:
            return
        columns, table = opened
        file = _NodeFile(self, group, columns, frozenset(referred))
        for batch, rows, places in self.tracker.batches(group, table, columns.width):
            file.add(batch, rows, places)


class _NodeFile:
    def __init__(
        self, loader: NodeLoader, group: NodeGroup, columns: Columns, referred: frozenset[str]
    ) -> None:
        self._loader = loader
        self._group = group
        self._columns = columns
        self._referred = referred
        self._token = loader.transaction.label_token
        self._labels = tuple(map(self._token, group.labels))
        self._label_sets: dict[tuple[str, ...], tuple[int, ...]] = {}
        self._records = Records(columns.properties, loader.transaction.property_token)
        name = group.files[0].name
        self._key: Key | None = None
        self._keys: KeyMap | None = None
        self._by_label = False
        if columns.ids:
            self._key = columns.require_one(name, columns.ids, "of keys")
            self._keys = loader.spaces.of(self._key.space, integers=self._key.integers)
            self._by_label = group.by_label and self._key.space.label
            for label in group.labels if self._by_label else ():
                loader.spaces.of(Space(label, label=True), integers=self._key.integers)
            if columns.id_property and group.labels:
                loader.keyed[group.labels[0], columns.id_property] = None

    def add(self, batch: Batch, rows: Rows, places: list[int]) -> None:
        try:
            records = self._records.of(rows)
            self._add(batch, rows, places, records)
        except ValueError:
            good = [i for i, row in enumerate(rows) if not self._faulty(batch, row, places[i])]
            rows, places = [rows[i] for i in good], [places[i] for i in good]
            self._add(batch, rows, places, self._records.of(rows))

    def _faulty(self, batch: Batch, row: list[str], place: int) -> bool:
        fault = self._records.fault(row)
        if fault is None and self._key is not None and self._keys is not None:
            text = row[self._key.position]
            if text == "":
                fault = f"the row has no {self._columns.id_property or 'id'}"
            else:
                fault = key_fault(text, self._keys)
        if fault is not None:
            self._loader.problems.add(batch.file, batch.line(place), fault)
        return fault is not None

    def _add(
        self, batch: Batch, rows: Rows, places: list[int], records: list[dict[int, object]]
    ) -> None:
        """Raises ValueError, having added nothing, where a row has no key or a bad one."""
        loader = self._loader
        if self._key is not None and self._keys is not None:
            texts = [row[self._key.position] for row in rows]
            if "" in texts:
                raise ValueError("a row has no key")
            keys = keys_of(texts, self._keys)
            new = self._keys.add(keys, loader.bulk.next_node)
            if not new.all():
                self._tell_twice(batch, places, texts, new.tolist())
                kept = np.flatnonzero(new).tolist()
                rows = [rows[i] for i in kept]
                records = [records[i] for i in kept]
                keys = [keys[i] for i in kept]
        labels = self._labels_of(rows)
        ids = loader.bulk.add_nodes(labels, records)
        loader.added += len(ids)
        loader.properties += count(records)
        if self._by_label:
            self._register(rows, keys, np.arange(ids.start, ids.stop, dtype=np.int64))

    def _tell_twice(
        self, batch: Batch, places: list[int], texts: list[str], new: list[bool]
    ) -> None:
        assert self._key is not None
        problems = self._loader.problems
        tell = problems.skip if self._loader.options.skip_duplicate_nodes else problems.add
        for place, text, is_new in zip(places, texts, new, strict=True):
            if not is_new:
                tell(batch.file, batch.line(place), self._key.space.twice(text))

    def _labels_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Label ids of each row: those of the group, then those of its columns."""
        places = self._columns.labels
        if not places:
            return [self._labels] * len(rows)
        found = []
        for row in rows:
            texts = tuple(row[place] for place in places)
            if texts not in self._label_sets:
                self._label_sets[texts] = (*self._labels, *map(self._token, self._names(texts)))
            found.append(self._label_sets[texts])
        return found

    def _names(self, texts: tuple[str, ...]) -> list[str]:
        delimiter = self._columns.label_delimiter
        parts = [text.split(delimiter) if delimiter else [text] for text in texts]
        return [name.strip() for names in parts for name in names if name.strip()]

    def _register(self, rows: Rows, keys: Keys, nodes: IntArray) -> None:
        """A key is unique among the nodes with the file's first label; under other labels that
        relationships refer to, it must be so only where it is used."""
        assert self._key is not None
        places = self._columns.labels
        for label in self._group.labels[1:]:
            if label in self._referred:
                self._also(label, keys, nodes)
        if not places:
            return
        texts = [self._names(tuple(row[place] for place in places)) for row in rows]
        for label in sorted({name for names in texts for name in names} & self._referred):
            chosen = [i for i, names in enumerate(texts) if label in names]
            self._also(label, [keys[i] for i in chosen], nodes[chosen])

    def _also(self, label: str, keys: Keys, nodes: IntArray) -> None:
        assert self._key is not None
        space = Space(label, label=True)
        if space != self._key.space:
            self._loader.spaces.of(space, integers=self._key.integers).also(keys, nodes)
