"""LMDB's errors as errors a user can read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from cypherd.errors import CypherdError, InternalError, StorageFull, StoreError

# A disk that takes only part of a write is an input/output error to LMDB, not "no space left".
_FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_FULL_TEXTS = tuple(os.strerror(number) for number in _FULL_DISK)
_DAMAGED = (
    lmdb.CorruptedError,
    lmdb.PageNotFoundError,
    lmdb.PanicError,
    lmdb.InvalidError,
    lmdb.VersionMismatchError,
    lmdb.IncompatibleError,
)


def explained(error: lmdb.Error) -> CypherdError:
    """What an error inside a transaction means."""
    if isinstance(error, lmdb.MapFullError):
        return StorageFull(
            "the store has reached its map size; start with a larger setting map_size"
        )
    if isinstance(error, lmdb.DiskError) or any(text in str(error) for text in _FULL_TEXTS):
        return StorageFull(f"the disk cannot take what the transaction writes: {error}")
    if isinstance(error, lmdb.TxnFullError | lmdb.PageFullError | lmdb.CursorFullError):
        return StorageFull(f"the transaction is too large for the store: {error}")
    if isinstance(error, lmdb.ReadersFullError):
        return StoreError("all slots of the reader table are in use; see setting max_readers")
    if isinstance(error, lmdb.PanicError):
        return StoreError("writing to the store has failed before; it has to be opened again")
    if isinstance(error, _DAMAGED):
        return StoreError(f"the store is damaged: {error}")
    return InternalError(f"the store failed: {error}")


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Errors while a store is opened, as StoreError naming the folder."""
    try:
        yield
    except lmdb.ReadersFullError as error:
        raise StoreError(
            f"all slots of the reader table of {path} are in use; see setting max_readers"
        ) from error
    except (lmdb.NotFoundError, *_DAMAGED) as error:
        raise StoreError(f"{path} is not a cypherd store, or it is damaged: {error}") from error
    except lmdb.MapFullError as error:
        raise StorageFull(f"setting map_size is smaller than the store {path}") from error
    except (lmdb.Error, OSError) as error:
        full = isinstance(error, lmdb.DiskError) or any(text in str(error) for text in _FULL_TEXTS)
        kind = StorageFull if full else StoreError
        raise kind(f"cannot open the store {path}: {error}") from error
