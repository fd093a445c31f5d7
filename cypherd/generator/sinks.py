"""Where a made-up graph goes: into a new store, or into CSV files that `cypherd import` takes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Any, Protocol

from cypherd.errors import StoreError
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import WriteTransaction

Progress = Callable[[str, int, int], None]
"""Called with what is made, how many so far, and of how many."""

TYPES = ("KNOWS", "STUDY_AT", "WORKS_AT", "IS_LOCATED_IN", "IS_PART_OF")
KEYS = (
    "id", "firstName", "lastName", "birthday", "creationDate", "gender", "browserUsed",
    "locationIP", "name", "classYear", "workFrom",
)  # fmt: skip
INDEXES = (("Person", "id"), ("Person", "firstName"))

_NAMED = ("id:int", "name")
NODE_HEADERS: Mapping[str, tuple[str, ...]] = {
    "Person": (
        "id:int",
        "firstName",
        "lastName",
        "gender",
        "birthday:int",
        "creationDate:int",
        "browserUsed",
        "locationIP",
    ),
    "Country": _NAMED,
    "City": _NAMED,
    "University": _NAMED,
    "Company": _NAMED,
}
"""Properties of nodes by label, as they stand in the header of a file."""

RELATIONSHIP_HEADERS: Mapping[str, tuple[str, ...]] = {
    "KNOWS": ("creationDate:int",),
    "STUDY_AT": ("classYear:int",),
    "WORKS_AT": ("workFrom:int",),
    "IS_LOCATED_IN": (),
    "IS_PART_OF": (),
}


@dataclass(slots=True)
class Relationships:
    """Relationships of one batch, as columns."""

    types: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    properties: list[dict[str, Any]] = field(default_factory=list)

    def add(self, type_: str, start: int, end: int, properties: dict[str, Any]) -> None:
        self.types.append(type_)
        self.starts.append(start)
        self.ends.append(end)
        self.properties.append(properties)


class Sink(Protocol):
    """Takes a graph in batches."""

    def nodes(self, label: str, properties: Sequence[Mapping[str, Any]]) -> range:
        """The ids of the new nodes."""

    def relationships(self, batch: Relationships) -> None: ...


# --- a store ---


@contextmanager
def store_sink(path: Path, map_size: int, progress: Progress | None) -> Iterator[Sink]:
    """All or nothing. Raises StoreError when the store is in use, already holds nodes or cannot
    be made, StorageFull past `map_size`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the store folder {path}: {error}") from error
    with StoreLock(path):
        store = open_store(path, map_size=map_size, create=True)
        try:
            with store.write() as transaction:
                if transaction.counts.nodes():
                    raise StoreError("the store already holds a graph; generate needs a new one")
                bulk = BulkLoad(transaction)
                yield _StoreSink(transaction, bulk)
                bulk.finish(progress)
                _make_indexes(transaction)
                transaction.commit()
        finally:
            store.close()


def _make_indexes(transaction: WriteTransaction) -> None:
    for label, name in INDEXES:
        key = transaction.property_token(name)
        index = f"{label}_{name}".lower()
        transaction.create_index(index, "node", transaction.label_token(label), (key,))


class _StoreSink:
    def __init__(self, transaction: WriteTransaction, bulk: BulkLoad) -> None:
        self._transaction = transaction
        self._bulk = bulk
        self._types = {name: transaction.type_token(name) for name in TYPES}
        self._keys = {name: transaction.property_token(name) for name in KEYS}
        for label in NODE_HEADERS:
            transaction.label_token(label)

    def nodes(self, label: str, properties: Sequence[Mapping[str, Any]]) -> range:
        labels = (self._transaction.label_token(label),)
        return self._bulk.add_nodes([labels] * len(properties), self._by_key(properties))

    def relationships(self, batch: Relationships) -> None:
        types = [self._types[name] for name in batch.types]
        self._bulk.add_relationships(
            types, batch.starts, batch.ends, self._by_key(batch.properties)
        )

    def _by_key(self, properties: Sequence[Mapping[str, Any]]) -> list[dict[int, Any]]:
        keys = self._keys
        return [{keys[name]: value for name, value in row.items()} for row in properties]


# --- files ---


@contextmanager
def csv_sink(folder: Path) -> Iterator[Sink]:
    """A file a label and a file a type. Raises StoreError where the folder is there, unless it
    is empty, or a file cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise StoreError(f"{folder} is not empty; the files need a folder of their own")
        with ExitStack() as files:
            yield _CsvSink(folder, files)
    except OSError as error:
        raise StoreError(f"cannot write to {folder}: {error}") from error


class _CsvSink:
    def __init__(self, folder: Path, files: ExitStack) -> None:
        def opened(name: str, header: Sequence[str]) -> Any:
            path = folder / f"{name}.csv"
            writer = csv.writer(files.enter_context(path.open("w", encoding="utf-8", newline="")))
            writer.writerow(header)
            return writer

        self._count = 0
        self._nodes = {
            label: opened(label, (":ID", *header)) for label, header in NODE_HEADERS.items()
        }
        self._relationships = {
            type_: opened(type_, (":START_ID", ":END_ID", *header))
            for type_, header in RELATIONSHIP_HEADERS.items()
        }

    def nodes(self, label: str, properties: Sequence[Mapping[str, Any]]) -> range:
        ids = range(self._count, self._count + len(properties))
        names = [_name(column) for column in NODE_HEADERS[label]]
        rows = zip(ids, properties, strict=True)
        self._nodes[label].writerows((node, *map(row.__getitem__, names)) for node, row in rows)
        self._count = ids.stop
        return ids

    def relationships(self, batch: Relationships) -> None:
        for type_, writer in self._relationships.items():
            chosen = [name == type_ for name in batch.types]
            names = [_name(column) for column in RELATIONSHIP_HEADERS[type_]]
            columns = (batch.starts, batch.ends, batch.properties)
            rows = zip(*(compress(column, chosen) for column in columns), strict=True)
            writer.writerows((start, end, *map(row.get, names)) for start, end, row in rows)


def _name(column: str) -> str:
    return column.partition(":")[0]
