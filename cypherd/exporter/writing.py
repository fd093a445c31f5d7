"""A store as a folder of files: two scans of one snapshot.

first scan    which labels stand together, which properties of which types come with them
second scan   nodes/1-Person.csv ..., relationships/1-KNOWS.csv ...
at the end    manifest.json, and schema.cypher with indexes and constraints
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cypherd.errors import StoreError
from cypherd.exporter.fields import field_of, kind_of, quoted
from cypherd.procedures.rules import schema_statements
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction, Schema

Progress = Callable[[str, int, int], None]
"""(what is written, how many so far, of how many)."""

MANIFEST, SCHEMA = "manifest.json", "schema.cypher"
_BATCH = 5_000
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class ExportReport:
    nodes: int
    relationships: int
    files: int
    seconds: float


def export_store(
    store_path: Path, folder: Path, *, map_size: int, progress: Progress | None = None
) -> ExportReport:
    """Write what a store holds, also while it is served, into the new folder: all or nothing.

    The files are made beside `folder`, in a folder with `.unfinished` behind its name.

    Raises StoreError where the store cannot be read or the folder is not empty or cannot be
    written.
    """
    started = time.perf_counter()
    store = open_store(store_path, map_size=map_size, readonly=True)
    try:
        with store.read() as read, _new_folder(folder) as unfinished:
            export = _Export(read, unfinished, progress)
            export.write()
    except UnicodeEncodeError as error:
        what = "a text with half of a surrogate pair cannot be written as UTF-8"
        raise StoreError(f"{what}: {error.object[:40]!r}") from error
    except OSError as error:
        raise StoreError(f"cannot write to {folder}: {error}") from error
    finally:
        store.close()
    files = len(export.nodes) + len(export.relationships)
    seconds = time.perf_counter() - started
    return ExportReport(export.count_nodes, export.count_relationships, files, seconds)


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, which takes its name when all went well and goes away when not."""
    if folder.exists() and any(folder.iterdir()):
        raise StoreError(f"{folder} is not empty; the files need a folder of their own")
    folder = folder.absolute()
    unfinished = folder.with_name(folder.name + ".unfinished")
    # Of an export that was killed; two at once into one folder are not meant to work.
    shutil.rmtree(unfinished, ignore_errors=True)
    for inner in ("nodes", "relationships"):
        (unfinished / inner).mkdir(parents=True)
    try:
        yield unfinished
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


Column = tuple[int, str]
"""A property's id, and the type of its values that stand in the column."""


@dataclass(slots=True)
class _File:
    """Entities with the same labels, or of one type."""

    name: str
    columns: dict[Column, None] = field(default_factory=dict)

    def rows(self, rows: Iterable[tuple[Sequence[int], dict[int, Any]]]) -> Iterator[str]:
        """Lines of ids and properties. A value stands in the column of its type."""
        columns = list(self.columns)
        for ids, properties in rows:
            fields = {(key, kind_of(value)): value for key, value in properties.items()}
            texts = [field_of(fields[column]) if column in fields else "" for column in columns]
            yield ",".join([*map(str, ids), *texts]) + "\n"


class _Export:
    def __init__(self, read: ReadTransaction, folder: Path, progress: Progress | None) -> None:
        self._read = read
        self._folder = folder
        self._progress = progress
        self.nodes: dict[tuple[int, ...], _File] = {}
        self.relationships: dict[int, _File] = {}
        self.count_nodes = read.counts.nodes()
        self.count_relationships = read.counts.relationships()

    def write(self) -> None:
        self._look()
        schema = self._read.schema
        for node_file in self.nodes.values():
            self._write_header(node_file, [":ID"], schema)
        for file in self.relationships.values():
            self._write_header(file, [":START_ID", ":END_ID"], schema)
        for nodes in self._batches(self._node_batches(), "nodes", self.count_nodes):
            self._append(self.nodes, nodes)
        for rows in self._batches(
            self._relationship_batches(), "relationships", self.count_relationships
        ):
            self._append(self.relationships, rows)
        self._write_manifest(schema)

    def _look(self) -> None:
        schema = self._read.schema
        for rows in self._batches(self._node_batches(), "looking at nodes", self.count_nodes):
            for labels, _, properties in rows:
                if labels not in self.nodes:
                    names = [schema.label_name(label) for label in labels]
                    self.nodes[labels] = _File(_file_name("nodes", len(self.nodes), names))
                _note(self.nodes[labels], properties)
        for links in self._batches(
            self._relationship_batches(), "looking at relationships", self.count_relationships
        ):
            for type_, _, properties in links:
                if type_ not in self.relationships:
                    names = [schema.type_name(type_)]
                    name = _file_name("relationships", len(self.relationships), names)
                    self.relationships[type_] = _File(name)
                _note(self.relationships[type_], properties)

    def _node_batches(self) -> Iterator[list[tuple[tuple[int, ...], tuple[int], dict[int, Any]]]]:
        for ids in self._read.scan_nodes(None, _BATCH):
            records = zip(ids.tolist(), self._read.node_records(ids), strict=True)
            yield [(tuple(row[0]), (node,), row[1]) for node, row in records if row is not None]

    def _relationship_batches(self) -> Iterator[list[tuple[int, tuple[int, int], dict[int, Any]]]]:
        for batch in self._read.scan_relationships(None, _BATCH):
            records = filter(None, self._read.relationship_records(batch.id))
            yield [(type_, (start, end), values) for type_, start, end, values in records]

    def _batches(self, batches: Iterator[list[Any]], stage: str, total: int) -> Iterator[list[Any]]:
        done = 0
        for rows in batches:
            yield rows
            done += len(rows)
            if self._progress is not None:
                self._progress(stage, done, total)

    def _write_header(self, file: _File, ids: list[str], schema: Schema) -> None:
        names = [f"{schema.property_name(key)}:{kind}" for key, kind in file.columns]
        header = ",".join([*ids, *map(quoted, names)])
        (self._folder / file.name).write_text(header + "\n", encoding="utf-8", newline="")

    def _append(self, files: dict[Any, _File], rows: list[Any]) -> None:
        """Files are opened batch by batch: there may be more than can be open at once."""
        groups: dict[Any, list[Any]] = {}
        for owner, ids, properties in rows:
            groups.setdefault(owner, []).append((ids, properties))
        for owner, group in groups.items():
            path = self._folder / files[owner].name
            with path.open("a", encoding="utf-8", newline="") as stream:
                stream.writelines(files[owner].rows(group))

    def _write_manifest(self, schema: Schema) -> None:
        entries: list[dict[str, Any]] = [
            {"file": file.name, "labels": [schema.label_name(label) for label in labels]}
            for labels, file in self.nodes.items()
        ]
        entries += [
            {"file": file.name, "type": schema.type_name(type_)}
            for type_, file in self.relationships.items()
        ]
        text = json.dumps(entries, indent=1)
        (self._folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        statements = "".join(f"{statement};\n" for statement in schema_statements(schema))
        (self._folder / SCHEMA).write_text(statements, encoding="utf-8")


def _note(file: _File, properties: dict[int, Any]) -> None:
    for key, value in properties.items():
        file.columns[key, kind_of(value)] = None


def _file_name(folder: str, number: int, names: list[str]) -> str:
    """A number keeps names apart that differ only in what a file's name cannot have."""
    plain = "_".join(re.sub(r"[^A-Za-z0-9_]", "-", name) for name in names)[:_LONGEST_NAME]
    return f"{folder}/{number + 1}-{plain}.csv" if plain else f"{folder}/{number + 1}.csv"
