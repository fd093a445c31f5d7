"""The child that tries texts, and the watch over it.

    child:  text ->, tries it, outcome and next text ->, ...
    parent: knows which text is being tried, and how much processor time the child has had for it

Processor time, because other processes may keep the child from running; a child that neither
ends nor runs is found by the clock.
"""

from __future__ import annotations

import faulthandler
import logging
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from cypherd.settings import GIB, MIB
from cypherd.storage.lmdb.store import open_store
from tests.fuzz.corpus import texts
from tests.fuzz.inputs import inputs
from tests.fuzz.trial import Outcome, Trial

_LOOK = 0.5
_STUCK = 20
"""How many times its processor time a text may take by the clock."""

_TICKS = os.sysconf("SC_CLK_TCK")
_MEMORY = 2 * GIB


class Watched:
    """A child with the texts of one seed; a context manager that ends it."""

    def __init__(self, seed: int, limit: float) -> None:
        self._limit = limit
        self._folder = TemporaryDirectory(prefix="cypherd-fuzz-")
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        path = Path(self._folder.name)
        self._stack = path / "stack"
        self._child: Any = context.Process(target=_try_texts, args=(theirs, seed, path))
        self._child.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.join()
        self._pipe.close()
        self._folder.cleanup()

    def outcomes(self, end: float) -> Iterator[tuple[str, Outcome]]:
        """Each text with what came of it, until `end` on the clock or until the child is lost."""
        text: str = self._pipe.recv()
        while time.monotonic() < end:
            lost = self._wait()
            if lost is not None:
                yield text, lost
                return
            try:
                outcome, following = self._pipe.recv()
            except EOFError:
                yield text, self._ended()
                return
            yield text, outcome
            text = following

    def _wait(self) -> Outcome | None:
        """None when the child has something to say; else the outcome of a text without end."""
        begun, used = time.monotonic(), _processor_seconds(self._child.pid)
        while not self._pipe.poll(_LOOK):
            late = _processor_seconds(self._child.pid) - used > self._limit
            if late or time.monotonic() - begun > self._limit * _STUCK:
                os.kill(self._child.pid, signal.SIGUSR1)
                time.sleep(_LOOK)
                stack = self._stack.read_text(encoding="utf-8", errors="replace")
                last = stack.splitlines()[1:2]
                return Outcome("Hang", f"no end\n{stack}", f"no end {last}", self._limit)
        return None

    def _ended(self) -> Outcome:
        self._child.join()
        stack = self._stack.read_text(encoding="utf-8", errors="replace")
        signature = f"the process ended: {self._child.exitcode} {stack.splitlines()[2:3]}"
        return Outcome("Crash", f"{signature}\n{stack}", signature)


def _processor_seconds(pid: int) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _try_texts(pipe: Connection, seed: int, folder: Path) -> None:
    """The child: a store of its own, and texts without end."""
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    logging.disable()
    with (folder / "stack").open("w", encoding="utf-8") as stack:
        faulthandler.enable(stack)
        faulthandler.register(signal.SIGUSR1, stack)
        store = open_store(folder / "store", map_size=64 * MIB, create=True)
        trial = Trial(store)
        trial.fill()
        following = inputs(seed, texts())
        text = next(following)
        pipe.send(text)
        while True:
            outcome = trial.run(text)
            text = next(following)
            pipe.send((outcome, text))
