"""From files to a store: all of them, or nothing.

    manifest -> node files -> keys (label, id) -> relationship files -> indexes -> one commit

A new store is made in a folder beside the target and renamed into place; a store that is there
must be empty and not served, and takes everything in one transaction.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cypherd.errors import ImportFailed, StoreError
from cypherd.importer.manifest import Manifest, NodeFile, RelationshipFile, read_manifest
from cypherd.importer.rows import Columns, Convert, Problems, converter, read_rows
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import DATA_FILE, open_store
from cypherd.storage.lmdb.writing import LmdbWriteTransaction

Progress = Callable[[str, int, int], None]
"""(what is being loaded, rows done, rows in all)."""

KEY, START, END = "id", "startId", "endId"
_BATCH = 5000
_AMBIGUOUS = -1


@dataclass(frozen=True, slots=True)
class ImportReport:
    nodes: int
    relationships: int
    properties: int
    indexes: int
    seconds: float


def import_folder(
    folder: Path,
    store_path: Path,
    *,
    map_size: int,
    progress: Progress | None = None,
    max_errors: int = 20,
) -> ImportReport:
    """Load the CSV files of `folder` into a new or an empty store at `store_path`.

    Raises ImportFailed, listing up to `max_errors` bad rows by file and line, StoreError where
    the store is being served or not empty, StorageFull. In every case nothing was imported.
    """
    started = time.perf_counter()
    manifest = read_manifest(Path(folder))
    with _target(Path(store_path)) as place:
        store = open_store(place, map_size=map_size, create=True)
        try:
            transaction = store.write()
            try:
                _require_empty(transaction, Path(store_path))
                loader = _Loader(Path(folder), transaction, Problems(max_errors), progress)
                loader.load(manifest)
                transaction.commit()
            finally:
                transaction.abort()
        finally:
            store.close()
    return ImportReport(
        loader.nodes,
        loader.relationships,
        loader.properties,
        loader.indexes,
        time.perf_counter() - started,
    )


@dataclass(slots=True)
class _Namespace:
    """Nodes by key, among those with one label."""

    convert: Convert
    nodes: dict[Any, int] = field(default_factory=dict)

    def find(self, label: str, text: str) -> int:
        """Raises ValueError where there is no such node, or more than one."""
        node = self.nodes.get(self.convert(text))
        if node is None:
            raise ValueError(f"there is no {label} with {KEY} {text}")
        if node == _AMBIGUOUS:
            raise ValueError(f"there are several {label} with {KEY} {text}")
        return node


class _Loader:
    def __init__(
        self,
        folder: Path,
        transaction: LmdbWriteTransaction,
        problems: Problems,
        progress: Progress | None,
    ) -> None:
        self._folder = folder
        self._transaction = transaction
        self._bulk = BulkLoad(transaction)
        self._problems = problems
        self._progress = progress
        self._namespaces: dict[str, _Namespace] = {}
        self._referred: set[str] = set()
        self._keyed: dict[str, None] = {}
        self.nodes = self.relationships = self.properties = self.indexes = 0

    def load(self, manifest: Manifest) -> None:
        for entry in manifest.relationships:
            self._referred |= {entry.start_label, entry.end_label}
        for node_file in manifest.nodes:
            self._load_nodes(node_file)
        # Without all nodes, most relationships would only be told to have no ends.
        self._problems.raise_if_any()
        for relationship_file in manifest.relationships:
            self._load_relationships(relationship_file)
        self._problems.raise_if_any()
        self._bulk.finish()
        self._index()

    def _load_nodes(self, entry: NodeFile) -> None:
        rows = self._rows(entry)
        names = next(rows, (0, None))[1]
        if names is None:
            return
        keys = (KEY,) if KEY in names else ()
        columns = Columns.of(entry.file, names, entry.types, keys, key_is_property=True)
        tokens = self._tokens(columns)
        labels = tuple(map(self._transaction.label_token, entry.labels))
        if keys:
            self._keyed[entry.labels[0]] = None
        kind = converter(entry.types.get(KEY, "STRING"))
        for label in entry.labels if keys else ():
            self._namespaces.setdefault(label, _Namespace(kind))
        batch: list[tuple[int, tuple[str, ...], str, dict[int, Any]]] = []
        for line, fields in rows:
            values = self._values(entry.file, line, fields, columns, tokens)
            if values is None or fields is None:
                continue
            more = tuple(fields[i] for i in columns.labels if fields[i])
            key = fields[columns.keys[0]] if keys else ""
            if keys and not key:
                self._problems.add(entry.file, line, f"the row has no {KEY}")
                continue
            batch.append((line, more, key, values))
            if len(batch) == _BATCH:
                self._add_nodes(entry, labels, kind, batch)
                batch = []
        self._add_nodes(entry, labels, kind, batch)

    def _add_nodes(
        self,
        entry: NodeFile,
        labels: tuple[int, ...],
        kind: Convert,
        batch: list[tuple[int, tuple[str, ...], str, dict[int, Any]]],
    ) -> None:
        token = self._transaction.label_token
        ids = self._bulk.add_nodes(
            [(*labels, *map(token, more)) for _, more, _, _ in batch],
            [values for _, _, _, values in batch],
        )
        self.nodes += len(ids)
        self.properties += sum(len(values) for _, _, _, values in batch)
        for node, (line, more, key, _) in zip(ids, batch, strict=True):
            if key:
                self._register(entry, line, kind, (*entry.labels, *more), key, node)

    def _register(
        self,
        entry: NodeFile,
        line: int,
        kind: Convert,
        labels: tuple[str, ...],
        key: str,
        node: int,
    ) -> None:
        """A key is unique among the nodes with the file's first label; under other labels that
        relationships refer to, it must be so only where it is used."""
        value = kind(key)
        for position, label in enumerate(labels):
            if position and label not in self._referred:
                continue
            space = self._namespaces.setdefault(label, _Namespace(kind))
            if space.nodes.setdefault(value, node) == node:
                continue
            if position:
                space.nodes[value] = _AMBIGUOUS
            else:
                self._problems.add(entry.file, line, f"{KEY} {key} of {label} is there already")

    def _load_relationships(self, entry: RelationshipFile) -> None:
        rows = self._rows(entry)
        names = next(rows, (0, None))[1]
        if names is None:
            return
        for label in (entry.start_label, entry.end_label):
            if label not in self._namespaces:
                raise ImportFailed(f"{entry.file}: no node file has keys of the label {label}")
        columns = Columns.of(entry.file, names, entry.types, (START, END), key_is_property=False)
        tokens = self._tokens(columns)
        type_ = self._transaction.type_token(entry.type)
        batch: list[tuple[int, int, dict[int, Any]]] = []
        for line, fields in rows:
            values = self._values(entry.file, line, fields, columns, tokens)
            ends = self._ends(entry, line, fields, columns)
            if values is None or ends is None:
                continue
            batch.append((*ends, values))
            if len(batch) == _BATCH:
                self._add_relationships(type_, batch)
                batch = []
        self._add_relationships(type_, batch)

    def _add_relationships(self, type_: int, batch: list[tuple[int, int, dict[int, Any]]]) -> None:
        self._bulk.add_relationships(
            [type_] * len(batch),
            [start for start, _, _ in batch],
            [end for _, end, _ in batch],
            [values for _, _, values in batch],
        )
        self.relationships += len(batch)
        self.properties += sum(len(values) for _, _, values in batch)

    def _ends(
        self, entry: RelationshipFile, line: int, fields: list[str] | None, columns: Columns
    ) -> tuple[int, int] | None:
        if fields is None:
            return None
        start, end = (fields[i] for i in columns.keys)
        try:
            return (
                self._namespaces[entry.start_label].find(entry.start_label, start),
                self._namespaces[entry.end_label].find(entry.end_label, end),
            )
        except ValueError as error:
            self._problems.add(entry.file, line, str(error))
            return None

    def _values(
        self,
        file: str,
        line: int,
        fields: list[str] | None,
        columns: Columns,
        tokens: dict[str, int],
    ) -> dict[int, Any] | None:
        if fields is None:
            return None
        try:
            return columns.values(fields, tokens)
        except ValueError as error:
            self._problems.add(file, line, str(error))
            return None

    def _rows(self, entry: NodeFile | RelationshipFile) -> Iterator[tuple[int, list[str] | None]]:
        """Rows of a file, while telling how far it is, and whether it holds what it should."""
        total = entry.rows or 0
        done = -1
        for done, row in enumerate(read_rows(self._folder, entry.file, self._problems)):
            if self._progress is not None and done % _BATCH == 0:
                self._progress(entry.file, done, total)
            yield row
        rows = max(done, 0)
        if entry.rows is not None and rows != entry.rows and not self._problems.found:
            what = f"the file has {rows:,} rows, the manifest says {entry.rows:,}"
            self._problems.add(entry.file, None, what)
        if self._progress is not None:
            self._progress(entry.file, rows, total or rows)

    def _tokens(self, columns: Columns) -> dict[str, int]:
        token = self._transaction.property_token
        return {name: token(name) for _, name, _ in columns.properties}

    def _index(self) -> None:
        """An index on the key of every node file, under its first label; what indexes an empty
        store already has are filled."""
        self._transaction.fill_indexes()
        schema = self._transaction.schema
        present = {(i.kind, i.owner, i.properties) for i in schema.indexes}
        key = schema.property_id(KEY)
        for done, label in enumerate(self._keyed):
            owner = schema.label_id(label)
            if owner is None or key is None or ("node", owner, (key,)) in present:
                continue
            self._transaction.create_index(None, "node", owner, [key])
            self.indexes += 1
            if self._progress is not None:
                self._progress("indexes", done + 1, len(self._keyed))


@contextmanager
def _target(path: Path) -> Iterator[Path]:
    """The folder to load into, locked. A new store is renamed into place at the end."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        if not (path / DATA_FILE).exists():
            raise StoreError(f"{path} is there already and is not a cypherd store")
        with StoreLock(path):
            yield path
        return
    path = path.absolute()
    _remove_abandoned(path)
    making = path.parent / f"{_making_prefix(path)}{os.getpid()}"
    try:
        making.mkdir(parents=True)
        with StoreLock(making):
            yield making
            making.rename(path)
    except OSError as error:
        raise StoreError(f"cannot make the store {path}: {error}") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    _sync_folder(path.parent)


def _making_prefix(path: Path) -> str:
    return f".{path.name}.importing-"


def _remove_abandoned(path: Path) -> None:
    """Folders of imports that were killed: nobody holds their lock."""
    for left in path.parent.glob(f"{_making_prefix(path)}*"):
        try:
            with StoreLock(left):
                shutil.rmtree(left, ignore_errors=True)
        except StoreError:
            continue


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_empty(transaction: LmdbWriteTransaction, path: Path) -> None:
    if transaction.counts.nodes() or transaction.counts.relationships():
        raise StoreError(
            f"the store {path} holds {transaction.counts.nodes():,} nodes already; "
            "import into a new one"
        )
