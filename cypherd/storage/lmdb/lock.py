"""The exclusive lock that says who owns a store: flock on `cypherd.lock` in its folder.

The kernel frees it with the last descriptor, so a crash leaves no stale lock. Children of the
owner inherit the descriptor on purpose: while one of them lives, nobody else may own the store.
The text in the file (pid, and an address if there is one) is only for messages.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from cypherd.errors import StoreError

LOCK_FILE = "cypherd.lock"
_POLL = 0.02


class StoreLock:
    """`acquire`, then `release`; also a context manager that does both."""

    def __init__(self, path: Path, url: str | None = None) -> None:
        self._folder = Path(path)
        self._file = self._folder / LOCK_FILE
        self._url = url
        self._descriptor: int | None = None

    def acquire(self, wait: float = 0.0) -> StoreLock:
        """Tries for `wait` seconds. Raises StoreError, naming the owner."""
        descriptor = self._open()
        deadline = time.monotonic() + wait
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise StoreError(f"the store {self._folder} is in use by {self.describe()}")
            time.sleep(_POLL)
        os.set_inheritable(descriptor, True)
        self._descriptor = descriptor
        self.announce(self._url)
        return self

    def announce(self, url: str | None) -> None:
        """Write who owns the store; the address is known only after the lock is held."""
        if self._descriptor is None:
            raise StoreError(f"the lock of {self._folder} is not held")
        text = f"process {os.getpid()}" + (f" at {url}" if url else "")
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def describe(self) -> str:
        """The owner's text, e.g. `process 4711 at http://127.0.0.1:7475`."""
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            text = ""
        return text or "another process"

    def release(self) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> StoreLock:
        return self if self._descriptor is not None else self.acquire()

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _open(self) -> int:
        try:
            return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except FileNotFoundError:
            raise StoreError(f"there is no store folder {self._folder}") from None
        except OSError as error:
            raise StoreError(f"cannot lock the store {self._folder}: {error}") from error


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
