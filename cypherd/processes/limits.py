"""What a process is allowed, and with whom it dies: prctl, rlimits, threads."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from pathlib import Path

from cypherd.errors import InternalError

_PR_SET_PDEATHSIG = 1
_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int) -> None:
    """SIGKILL for this process when `parent`, which forked it, ends; also if it has already.

    The kernel forgets the wish at a fork, so each child asks for itself.
    """
    if _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        os._exit(1)


def ignore_stop_signals() -> None:
    """Ctrl-C reaches a whole process group; the front alone decides when its children stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def limit_data(nbytes: int) -> None:
    """RLIMIT_DATA: a bigger allocation becomes a MemoryError. RLIMIT_AS would count, and so
    forbid, the store's map of a terabyte."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = nbytes if hard == resource.RLIM_INFINITY else min(nbytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class MemoryGauge:
    """How much memory this process has of its own. Make it after the fork: the file that it keeps
    open speaks of the process that opened it."""

    __slots__ = ("_statm",)

    def __init__(self) -> None:
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> int:
        """Bytes of RssAnon: resident pages minus those of files and shared maps, since RSS alone
        counts every page of the store that was read. About 2 us."""
        return _own(os.pread(self._statm, 128, 0))


def memory_of(pid: int) -> int:
    """What MemoryGauge reads, of another process; 0 when that has gone."""
    try:
        return _own(Path(f"/proc/{pid}/statm").read_bytes())
    except OSError:
        return 0


def _own(statm: bytes) -> int:
    fields = statm.split(None, 3)
    return (int(fields[1]) - int(fields[2])) * _PAGE


def thread_count() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def require_single_thread() -> None:
    """Raises InternalError when a fork would copy a process with threads: their locks would stay
    taken for ever in the child. OPENBLAS_NUM_THREADS=1 keeps NumPy from starting any."""
    threads = thread_count()
    if threads != 1:
        raise InternalError(f"the process has {threads} threads and cannot be forked safely")
