"""The processes of a running server, from /proc: who they are and what they hold open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
WORKER_NICE = 19


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    state: str
    nice: int

    @property
    def is_alive(self) -> bool:
        return self.state not in "ZX"


def process(pid: int) -> Process | None:
    """None when there is none."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The name in parentheses may hold anything; the fields begin behind the last one.
    fields = text[text.rindex(")") + 2 :].split()
    return Process(pid, int(fields[1]), fields[0], int(fields[16]))


def _all() -> Iterator[Process]:
    for entry in PROC.iterdir():
        if entry.name.isdigit() and (found := process(int(entry.name))) is not None:
            yield found


def descendants(pid: int) -> list[Process]:
    """Living processes below `pid`, parents before children."""
    children: dict[int, list[Process]] = {}
    for one in _all():
        children.setdefault(one.parent, []).append(one)
    found: list[Process] = []
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(0), []):
            found.append(child)
            waiting.append(child.pid)
    return [one for one in found if one.is_alive]


def workers(pid: int) -> list[int]:
    """The read workers of the server whose first process is `pid`: those at nice 19."""
    return [one.pid for one in descendants(pid) if one.nice == WORKER_NICE]


def writers(pid: int) -> list[int]:
    """The writer: what the template forked and did not make nice, with the store open to write. The
    planners are not nice either."""
    below = descendants(pid)
    templates = {one.parent for one in below if one.nice == WORKER_NICE}
    return [
        one.pid
        for one in below
        if one.parent in templates and one.nice != WORKER_NICE and _writes(one.pid)
    ]


def _writes(pid: int) -> bool:
    try:
        for link in (PROC / str(pid) / "fd").iterdir():
            if link.readlink().name == "data.mdb":
                told = (PROC / str(pid) / "fdinfo" / link.name).read_text()
                if int(told.split("flags:")[1].split()[0], 8) & os.O_RDWR:
                    return True
    except OSError:
        # It has ended, or closed what was looked at.
        return False
    return False


def fronts(pid: int) -> list[int]:
    """The first front and those beside it: children that have none themselves, as the template
    has."""
    below = descendants(pid)
    parents = {one.parent for one in below}
    return [one.pid for one in below if one.parent == pid and one.pid not in parents]


def open_descriptors(pid: int) -> int:
    """Descriptors held by `pid` and all below it."""
    total = 0
    for one in (pid, *(child.pid for child in descendants(pid))):
        try:
            total += sum(1 for _ in (PROC / str(one) / "fd").iterdir())
        except OSError:
            continue
    return total


def anonymous_memory(pid: int) -> int:
    """Bytes of a process that are its own, not of a file (RssAnon)."""
    try:
        text = (PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    found = [line.split()[1] for line in text.splitlines() if line.startswith("RssAnon:")]
    return int(found[0]) * 1024 if found else 0


def shared_memory_files() -> int:
    """Bytes of files in /dev/shm."""
    try:
        return sum(path.stat().st_size for path in Path("/dev/shm").iterdir() if path.is_file())
    except OSError:
        return 0
