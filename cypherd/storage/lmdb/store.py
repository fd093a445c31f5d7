"""The embedded store: one LMDB file in a folder, open in one process.

An environment never crosses a fork: every process opens its own. A process reads through a
read-only environment until it first writes: opening a writable one takes LMDB's write lock for
a moment, and a reader must not wait for a writer that is in the middle of a long transaction.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import lmdb

from cypherd.errors import InternalError, StoreError
from cypherd.settings import TIB
from cypherd.storage.lmdb.checking import CheckReport, Progress, check_tables
from cypherd.storage.lmdb.failures import explained, opening
from cypherd.storage.lmdb.layout import (
    FORMAT_NAME,
    FORMAT_VERSION,
    META_FORMAT,
    META_NAME,
    META_NEXT_NODE,
    META_NEXT_RELATIONSHIP,
    META_NEXT_RULE,
    META_SCHEMA_VERSION,
    META_STATEMENTS,
    TABLES,
    Tables,
    open_tables,
    pack_big,
    unpack_big,
    unpackb,
)
from cypherd.storage.lmdb.lock import LOCK_FILE
from cypherd.storage.lmdb.reading import LmdbReadTransaction
from cypherd.storage.lmdb.record_cache import DEFAULT_RECORDS, RecordCache
from cypherd.storage.lmdb.schema import LmdbSchema, load_schema, read_version
from cypherd.storage.lmdb.wholeness import require_whole
from cypherd.storage.lmdb.writing import LmdbWriteTransaction
from cypherd.storage.protocols import StoreUsage

DATA_FILE = "data.mdb"
_OWN_FILES = frozenset({LOCK_FILE, "lock.mdb"})

_SPARE_TRANSACTIONS = 2
"""Reading transactions that py-lmdb keeps to renew: beginning one then costs under 1 us."""

DEFAULT_READERS = 126

# Lines of mdb_reader_list: process, thread, transaction.
_READER = re.compile(r"^\s*\d+\s+[0-9a-f]+\s+(\d+)\s*$", re.MULTILINE)
_META_PAGES = 2


def open_store(
    path: Path,
    *,
    map_size: int = 1 * TIB,
    max_readers: int = DEFAULT_READERS,
    create: bool = False,
    readonly: bool = False,
    record_cache: int = DEFAULT_RECORDS,
) -> LmdbStore:
    """Open the store in the folder `path`; with `create`, make it where there is none. It keeps
    the properties of up to `record_cache` small records unpacked.

    Raises StoreError where the folder is missing, cannot be read or written, holds something
    else, is of another format or damaged; StorageFull where there is no room for a new store.
    """
    path = Path(path)
    with opening(path):
        if create and not (path / DATA_FILE).exists():
            _require_free(path)
            path.mkdir(parents=True, exist_ok=True)
            _create(path, map_size, max_readers)
        _require_store(path, readonly)
        require_whole(path, path / DATA_FILE, lambda: _walk(path, map_size, max_readers))
    store = LmdbStore(path, map_size, max_readers, readonly, create, RecordCache(record_cache))
    try:
        with opening(path):
            store.check_format()
    except BaseException:
        store.close()
        raise
    return store


class LmdbStore:
    """The protocol's GraphStore."""

    def __init__(
        self,
        path: Path,
        map_size: int,
        max_readers: int,
        readonly: bool,
        writable: bool,
        cache: RecordCache,
    ) -> None:
        self.path = path
        self._cache = cache
        self._map_size = map_size
        self._max_readers = max_readers
        self._readonly = readonly
        self._writable = writable and not readonly
        self._reading = 0
        self._schema: LmdbSchema | None = None
        self._highest_version = 0
        self._env: Any = None
        self._tables: Tables
        self._open()

    def read(self) -> LmdbReadTransaction:
        """Raises StoreError when all slots of the reader table are taken by the living."""
        txn = self._begin_read()
        try:
            schema = self.schema_of(txn)
        except lmdb.Error as error:
            txn.abort()
            raise explained(error) from error
        self._reading += 1
        return LmdbReadTransaction(txn, self._tables, schema, self._closed_read, self._cache)

    def write(self) -> LmdbWriteTransaction:
        """Waits for the transaction of another writer to end."""
        if self._readonly:
            raise StoreError(f"the store {self.path} was opened for reading only")
        if not self._writable:
            self._open_writable()
        try:
            txn = self.begin_writing()
        except lmdb.Error as error:
            raise explained(error) from error
        try:
            schema = self.schema_of(txn)
            return LmdbWriteTransaction(self, txn, self._tables, schema)
        except lmdb.Error as error:
            txn.abort()
            raise explained(error) from error

    def last_statements(self) -> tuple[int, tuple[int, ...]]:
        txn = self._begin_read()
        data = txn.get(META_STATEMENTS, db=self._tables.meta)
        txn.abort()
        if data is None:
            return 0, ()
        sequence, statements = unpackb(data)
        return sequence, tuple(statements)

    def usage(self) -> StoreUsage:
        txn = self._begin_read()
        try:
            stats = [txn.stat(db=table) for table in self._tables]
        finally:
            txn.abort()
        info, main = self._env.info(), self._env.stat()
        parts = ("branch_pages", "leaf_pages", "overflow_pages")
        used = _META_PAGES + sum(stat[part] for stat in (main, *stats) for part in parts)
        pages = max(used, info["last_pgno"] + 1)
        begun = [int(number) for number in _READER.findall(self._env.readers())]
        oldest = info["last_txnid"] - min(begun) if begun else 0
        size = main["psize"]
        return StoreUsage(
            pages * size, used * size, (pages - used) * size, len(begun), max(0, oldest)
        )

    def reader_check(self) -> int:
        return int(self._env.reader_check())

    def check(self, *, most: int = 100, progress: Progress | None = None) -> CheckReport:
        """Hold every table of one snapshot against the others; see lmdb/checking."""
        txn = self._begin_read()
        try:
            return check_tables(txn, self._tables, most=most, progress=progress)
        finally:
            txn.abort()

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
            self._env = None

    def check_format(self) -> None:
        """Raises StoreError where the format is not the one this version reads."""
        txn = self._begin_read()
        try:
            name = txn.get(META_NAME, db=self._tables.meta)
            version = txn.get(META_FORMAT, db=self._tables.meta)
        finally:
            txn.abort()
        if name != FORMAT_NAME or version is None:
            raise StoreError(f"{self.path} is not a cypherd store")
        _require_format(self.path, int(unpack_big(version)[0]))

    # --- what writing transactions ask for ---

    def begin_writing(self) -> Any:
        return self._env.begin(write=True)

    def begin_child(self, parent: Any) -> Any:
        return self._env.begin(parent=parent, write=True)

    def schema_of(self, txn: Any) -> LmdbSchema:
        schema = self._schema
        if schema is not None and schema.version == read_version(txn, self._tables):
            return schema
        schema = load_schema(txn, self._tables)
        if self._schema is None or schema.version > self._schema.version:
            self._schema = schema
        return schema

    def next_schema_version(self, present: int) -> int:
        """Never the same twice in a process, not even when a transaction is aborted: a plan
        made inside it must not pass for one of a later schema."""
        self._highest_version = max(present, self._highest_version) + 1
        return self._highest_version

    def committed(self, schema: LmdbSchema) -> None:
        self._schema = schema

    # --- inside ---

    def _open(self) -> None:
        with opening(self.path):
            self._env = _environment(
                self.path, self._map_size, self._max_readers, readonly=not self._writable
            )
            try:
                self._tables = open_tables(self._env, create=False)
            except BaseException:
                self.close()
                raise

    def _open_writable(self) -> None:
        # One process cannot have the file open twice: closing either would drop the locks.
        if self._reading:
            raise InternalError("close reading transactions before the first writing one")
        self.close()
        self._writable = True
        self._open()

    def _begin_read(self) -> Any:
        try:
            return self._env.begin()
        except lmdb.ReadersFullError:
            # Slots of killed processes stay taken until somebody looks.
            self._env.reader_check()
        try:
            return self._env.begin()
        except lmdb.Error as error:
            raise explained(error) from error

    def _closed_read(self) -> None:
        self._reading -= 1


def _environment(path: Path, map_size: int, max_readers: int, *, readonly: bool) -> Any:
    try:
        return _lmdb_open(path, map_size, max_readers, readonly)
    except lmdb.ReadersFullError:
        # Opening for reading needs a slot itself; opening for writing needs none, and so can
        # free those of killed processes.
        env = _lmdb_open(path, map_size, max_readers, False)
        env.reader_check()
        env.close()
        return _lmdb_open(path, map_size, max_readers, readonly)


def _lmdb_open(path: Path, map_size: int, max_readers: int, readonly: bool) -> Any:
    return lmdb.open(
        str(path),
        map_size=map_size,
        max_dbs=len(TABLES),
        max_readers=max_readers,
        max_spare_txns=_SPARE_TRANSACTIONS,
        readonly=readonly,
        subdir=True,
        lock=True,
        create=False,
        sync=True,
        metasync=True,
        writemap=False,
        meminit=False,
        # Linux stops reading ahead by itself where faults are random, and a scan of a cold
        # store needs it.
        readahead=True,
    )


def _create(path: Path, map_size: int, max_readers: int) -> None:
    """A new store is made under another name, so that a crash leaves none that is half made."""
    making = path / f".making-{os.getpid()}"
    making.mkdir()
    env = lmdb.open(str(making), map_size=map_size, max_dbs=len(TABLES), max_readers=max_readers)
    try:
        tables = open_tables(env, create=True)
        with env.begin(write=True) as txn:
            txn.put(META_NAME, FORMAT_NAME, db=tables.meta)
            txn.put(META_FORMAT, pack_big(FORMAT_VERSION), db=tables.meta)
            for counter in (META_NEXT_NODE, META_NEXT_RELATIONSHIP, META_NEXT_RULE):
                txn.put(counter, pack_big(0), db=tables.meta)
            txn.put(META_SCHEMA_VERSION, pack_big(1), db=tables.meta)
    finally:
        env.close()
    (making / DATA_FILE).rename(path / DATA_FILE)
    (making / "lock.mdb").unlink()
    making.rmdir()


def _walk(path: Path, map_size: int, max_readers: int) -> None:
    """Read every page that is in use."""
    env = _environment(path, map_size, max_readers, readonly=True)
    tables = open_tables(env, create=False)
    with env.begin() as txn:
        for table in tables:
            for _ in txn.cursor(db=table):
                pass


def _require_free(path: Path) -> None:
    """Raises StoreError where a new store cannot be made in `path`."""
    if not path.exists():
        return
    if not path.is_dir():
        raise StoreError(f"{path} is not a folder")
    if not os.access(path, os.W_OK | os.X_OK):
        raise StoreError(f"the store folder {path} is not writable")
    foreign = sorted(entry.name for entry in path.iterdir() if entry.name not in _OWN_FILES)
    if foreign:
        raise StoreError(f"{path} is not a cypherd store: it holds other files ({foreign[0]})")


def _require_store(path: Path, readonly: bool) -> None:
    if not path.exists():
        raise StoreError(f"there is no store folder {path}")
    if not path.is_dir():
        raise StoreError(f"{path} is not a folder")
    if not (path / DATA_FILE).exists():
        raise StoreError(f"{path} is not a cypherd store: it has no {DATA_FILE}")
    if not os.access(path, os.R_OK | os.X_OK):
        raise StoreError(f"the store folder {path} is not readable")
    if not readonly and not (
        os.access(path, os.W_OK | os.X_OK) and os.access(path / DATA_FILE, os.W_OK)
    ):
        raise StoreError(f"the store folder {path} is not writable")


def _require_format(path: Path, version: int) -> None:
    if version == FORMAT_VERSION:
        return
    newer = version > FORMAT_VERSION
    raise StoreError(
        f"the store {path} has format {version}, {'newer' if newer else 'older'} than format "
        f"{FORMAT_VERSION}, which this version of cypherd reads"
        + ("; use a newer cypherd" if newer else "; import its data again")
    )
