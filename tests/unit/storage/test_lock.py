from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from cypherd.errors import StoreError
from cypherd.storage.lmdb.lock import StoreLock

HOLD = """
import sys
from pathlib import Path
from cypherd.storage.lmdb.lock import StoreLock
lock = StoreLock(Path(sys.argv[1]))
lock.acquire()
lock.announce("http://127.0.0.1:7475")
print("held", flush=True)
sys.stdin.read()
"""


def test_the_second_one_is_told_who_has_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "held\n"
        with pytest.raises(StoreError) as caught:
            StoreLock(tmp_path).acquire()
        assert f"process {owner.pid} at http://127.0.0.1:7475" in caught.value.message
        started = time.monotonic()
        with pytest.raises(StoreError):
            StoreLock(tmp_path).acquire(wait=0.1)
        assert time.monotonic() - started >= 0.1
        owner.kill()
    # Nothing has to be cleaned up after a crash.
    StoreLock(tmp_path).acquire(wait=5).release()


def test_release_lets_the_next_one_in(tmp_path: Path) -> None:
    first, second = StoreLock(tmp_path), StoreLock(tmp_path)
    with first:
        with pytest.raises(StoreError):
            second.acquire()
        assert first.describe().startswith("process ")
    second.acquire()
    second.release()
    second.release()


def test_a_child_holds_the_lock_on(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path).acquire()
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        lock.release()
        with pytest.raises(StoreError):
            StoreLock(tmp_path).acquire()
        child.kill()
    StoreLock(tmp_path).acquire(wait=5).release()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store folder"):
        StoreLock(tmp_path / "missing").acquire()
