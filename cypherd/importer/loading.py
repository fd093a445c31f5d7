"""From files to a store: all of them, or nothing.

    groups -> node files -> keys of each space -> relationship files -> adjacency -> indexes
           -> one commit

A batch of rows is turned into columns, each column converted as a whole, and the columns into
records. Only where that fails, the rows are looked at one by one.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cypherd.errors import StoreError
from cypherd.importer.groups import Groups, ImportOptions, Rule, groups_of_files
from cypherd.importer.manifest import groups_of_folder
from cypherd.importer.nodes import NodeLoader
from cypherd.importer.problems import Problems
from cypherd.importer.relationships import RelationshipLoader
from cypherd.importer.spaces import Spaces
from cypherd.importer.target import target_of
from cypherd.importer.tracking import Progress, Tracker
from cypherd.storage.lmdb.bulk import BulkLoad
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.lmdb.writing import LmdbWriteTransaction


@dataclass(frozen=True, slots=True)
class ImportReport:
    """`skipped` rows were left out, the first of which are `problems`."""

    nodes: int
    relationships: int
    properties: int
    indexes: int
    skipped: int
    problems: tuple[str, ...]
    seconds: float


def import_folder(
    folder: Path,
    store_path: Path,
    *,
    map_size: int,
    progress: Progress | None = None,
    max_errors: int = 20,
    options: ImportOptions | None = None,
) -> ImportReport:
    """Load the CSV files of `folder` into a new or an empty store at `store_path`.

    Raises ImportFailed, listing up to `max_errors` bad rows by file and line, StoreError where
    the store is being served or not empty, StorageFull. In every case nothing was imported.
    """
    options = options or ImportOptions(max_errors=max_errors)
    groups = groups_of_folder(Path(folder), options)
    return _import(groups, Path(store_path), map_size, progress, options)


def import_files(
    nodes: list[str],
    relationships: list[str],
    store_path: Path,
    *,
    map_size: int,
    progress: Progress | None = None,
    options: ImportOptions,
) -> ImportReport:
    """Load files that are named one by one, as `Label=header.csv,rows.csv`; raises what
    `import_folder` does."""
    groups = groups_of_files(nodes, relationships)
    return _import(groups, Path(store_path), map_size, progress, options)


def _import(
    groups: Groups,
    path: Path,
    map_size: int,
    progress: Progress | None,
    options: ImportOptions,
) -> ImportReport:
    started = time.perf_counter()
    problems = Problems(options.max_errors, options.bad_tolerance)
    with target_of(path) as place, _without_collections():
        store = open_store(place, map_size=map_size, create=True)
        try:
            transaction = store.write()
            try:
                _require_empty(transaction, path)
                loader = _Loader(transaction, problems, options, progress)
                loader.load(groups)
                transaction.commit()
            finally:
                transaction.abort()
        finally:
            store.close()
    return ImportReport(
        loader.nodes.added,
        loader.relationships.added,
        loader.nodes.properties + loader.relationships.properties,
        loader.indexes,
        problems.bad + problems.skipped,
        tuple(problems.found),
        time.perf_counter() - started,
    )


class _Loader:
    def __init__(
        self,
        transaction: LmdbWriteTransaction,
        problems: Problems,
        options: ImportOptions,
        progress: Progress | None,
    ) -> None:
        self._transaction = transaction
        self._problems = problems
        self._options = options
        self._progress = progress
        self._bulk = BulkLoad(transaction)
        spaces = Spaces()
        tracker = Tracker(problems, options, progress)
        parts = (transaction, self._bulk, spaces, problems, options, tracker)
        self.nodes = NodeLoader(*parts)
        self.relationships = RelationshipLoader(*parts)
        self.indexes = 0

    def load(self, groups: Groups) -> None:
        referred = {label for group in groups.relationships for label in group.referred}
        for node_group in groups.nodes:
            self.nodes.load(node_group, referred)
        # Without all nodes, most relationships would only be told to have no ends.
        self._problems.raise_if_any()
        for relationship_group in groups.relationships:
            self.relationships.load(relationship_group)
        self._problems.raise_if_any()
        self._bulk.finish(self._progress)
        self._make_rules()

    def _make_rules(self) -> None:
        """What was asked for, and an index on the key of every node file, under its first label;
        what indexes an empty store already has are filled."""
        self._transaction.fill_indexes()
        keys = [Rule(label, (name,)) for label, name in self.nodes.keyed]
        rules = [
            *((rule, True) for rule in self._options.constraints),
            *((rule, False) for rule in dict.fromkeys([*self._options.indexes, *keys])),
        ]
        for done, (rule, unique) in enumerate(rules, 1):
            self._make_rule(rule, unique=unique)
            if self._progress is not None:
                self._progress("indexes", done, len(rules))

    def _make_rule(self, rule: Rule, *, unique: bool) -> None:
        transaction = self._transaction
        label = transaction.label_token(rule.label)
        properties = tuple(map(transaction.property_token, rule.properties))
        indexes = transaction.schema.indexes
        if any((i.kind, i.owner, i.properties) == ("node", label, properties) for i in indexes):
            return
        if unique:
            transaction.create_constraint(None, "uniqueness", "node", label, properties)
        else:
            transaction.create_index(None, "node", label, properties)
        self.indexes += 1


@contextmanager
def _without_collections() -> Iterator[None]:
    """Rows are lists and maps by the million, none of them in a cycle: looking for cycles again
    and again takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _require_empty(transaction: LmdbWriteTransaction, path: Path) -> None:
    if transaction.counts.nodes() or transaction.counts.relationships():
        raise StoreError(
            f"the store {path} holds {transaction.counts.nodes():,} nodes already; "
            "import into a new one"
        )
