"""Is the data file as long as LMDB thinks? Reading a mapped page behind its end kills a process.

A file that was cut (a copy that was interrupted) must be told before it is mapped. That it is
shorter than its header says is no proof: pages that a transaction took at the end and gave back
are never written. So then, and only then, a child reads all of it once. If it survives, the file
is made as long as the header says, and the question does not come up again.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import struct
from collections.abc import Callable
from pathlib import Path

from cypherd.errors import StoreError

_MAGIC = 0xBEEFC0DE
# MDB_meta behind the page header of 16 bytes, on a 64-bit machine (lmdb.h and mdb.c, 0.9):
# magic, version, address, map size, the free table (its first field is the page size), the
# main table, the last page, the transaction.
_META = struct.Struct("=16xI4x8x8xI44x48xQQ")


def require_whole(path: Path, data_file: Path, walk: Callable[[], None]) -> None:
    """`walk` opens the store and reads every page of it; it runs in a child.

    Raises StoreError for a file that has been cut. What is no LMDB file at all is left to LMDB.
    """
    size = data_file.stat().st_size
    length = _length(data_file)
    if length is None or size >= length:
        return
    if not _survives(walk):
        raise StoreError(
            f"the store {path} is damaged: its file has {size:,} bytes of {length:,}; was a copy "
            "interrupted?"
        )
    _extend(data_file, length)


def _length(data_file: Path) -> int | None:
    """Bytes up to the last page that the newest transaction knows."""
    with data_file.open("rb") as stream:
        first = stream.read(_META.size)
        if len(first) < _META.size:
            return None
        magic, page_size, *_ = _META.unpack(first)
        if magic != _MAGIC or not 256 <= page_size <= 1 << 16:
            return None
        stream.seek(page_size)
        second = stream.read(_META.size)
    metas = [_META.unpack(data) for data in (first, second) if len(data) == _META.size]
    _, _, last_page, _ = max(metas, key=lambda meta: meta[3])
    return int(last_page + 1) * int(page_size)


def _survives(walk: Callable[[], None]) -> bool:
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            walk()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _extend(data_file: Path, length: int) -> None:
    """Never shortens, whatever a writer does meanwhile."""
    try:
        descriptor = os.open(data_file, os.O_RDWR)
    except OSError:
        return
    try:
        os.posix_fallocate(descriptor, length - 1, 1)
    except OSError:
        return
    finally:
        os.close(descriptor)
