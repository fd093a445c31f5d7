"""A store as what queries are asked of, in this process, while nobody serves it.

read    rows go out as they come, from one snapshot
write   its own transaction; rows are held back until it is committed
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from time import monotonic

from cypherd.binder.changing import is_update
from cypherd.cli.failures import FormatRefused, QueryFailed, write_refused
from cypherd.cli.stores import open_store_of
from cypherd.cli.target import GraphNames, Question
from cypherd.engine import Engine, Result
from cypherd.errors import (
    CypherdError,
    DeadlinePassed,
    MemoryLimitExceeded,
    NotAcceptable,
    QueryCancelled,
    StoreError,
)
from cypherd.functions.registry import function_names
from cypherd.parser import ast
from cypherd.parser.parser import parse
from cypherd.render.registry import renderer_named
from cypherd.render.renderer import RenderOptions
from cypherd.settings import MIB, Settings, format_duration
from cypherd.storage.lmdb.lock import StoreLock
from cypherd.storage.lmdb.store import DATA_FILE

_HELD = 16 * MIB
_PIECE = 64 * 1024
_SERVED_AT = re.compile(r" at (https?://\S+:[1-9]\d*)$")


class StoreServed(StoreError):
    """The store is in use by the server at `url`."""

    def __init__(self, message: str, url: str) -> None:
        super().__init__(message)
        self.url = url


class StoreTarget:
    """The protocol's Target. Holds the lock of the store until it is closed."""

    def __init__(self, settings: Settings, *, first: str | None) -> None:
        """`first` is the statement to come first: a store that is not there is made for one that
        writes. Raises StoreError, StoreServed if a server can be asked instead, and
        CypherSyntaxError."""
        path = settings.store
        if first and not (path / DATA_FILE).exists() and _writes(first, settings):
            open_store_of(settings, create=True).close()
        self._settings = settings
        self._lock = StoreLock(path)
        _acquire(self._lock, path)
        try:
            self._store = open_store_of(settings)
        except BaseException:
            self._lock.release()
            raise
        self._engine = Engine(settings)
        self._guard = _Guard(None, settings.query_memory)

    def ask(self, question: Question) -> Iterator[bytes]:
        try:
            yield from self._ask(question)
        except NotAcceptable as error:
            raise FormatRefused(error.to_dict()) from error
        except CypherdError as error:
            raise QueryFailed.of(error) from error

    def cancel(self) -> None:
        self._guard.cancelled = True

    def names(self) -> GraphNames:
        with self._store.read() as transaction:
            schema = transaction.schema
            return GraphNames(
                labels=tuple(schema.label_names()),
                types=tuple(schema.type_names()),
                properties=tuple(schema.property_names()),
                functions=function_names(),
            )

    def close(self) -> None:
        self._store.close()
        self._lock.release()

    def _ask(self, question: Question) -> Iterator[bytes]:
        renderer = renderer_named(question.format)
        options = RenderOptions(rows=question.rows)
        guard = self._guard = _Guard(question.timeout, self._settings.query_memory)
        with self._store.read() as reading:
            plan = self._engine.plan(question.text, reading)
            if plan.kind == "read" or plan.mode == "explain":
                result = self._engine.run(plan, question.parameters, reading, guard)
                yield from _rendered(result, renderer.render(result, options))
                return
        if question.read_only:
            raise write_refused()
        yield from self._write(question, guard)

    def _write(self, question: Question, guard: _Guard) -> Iterator[bytes]:
        renderer = renderer_named(question.format)
        transaction = self._store.write()
        with SpooledTemporaryFile(max_size=_HELD) as held:
            try:
                # Planned again: this snapshot's schema may be a later one.
                plan = self._engine.plan(question.text, transaction)
                result = self._engine.run(plan, question.parameters, transaction, guard)
                options = RenderOptions(rows=question.rows)
                for piece in _rendered(result, renderer.render(result, options)):
                    held.write(piece)
                transaction.commit()
            except CypherdError as error:
                error.note_commits(guard.commits)
                raise
            finally:
                transaction.abort()
            held.seek(0)
            while piece := held.read(_PIECE):
                yield piece


def _rendered(result: Result, pieces: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from pieces
    finally:
        result.close()


def _acquire(lock: StoreLock, path: Path) -> None:
    try:
        lock.acquire()
    except StoreError as error:
        at = _SERVED_AT.search(error.message)
        if at is None:
            raise
        raise StoreServed(error.message, at[1]) from error


def _writes(text: str, settings: Settings) -> bool:
    """Whether the statement would put something into a store. Raises CypherSyntaxError."""
    statement = parse(text, max_nesting=settings.max_nesting)
    body = statement.body
    if statement.mode == "explain":
        return False
    if isinstance(body, ast.Query):
        return any(is_update(clause) for part in body.parts for clause in part)
    return isinstance(body, ast.CreateIndex | ast.CreateConstraint)


class _Guard:
    """Ctrl-C, a deadline if one was asked for, and the setting query_memory."""

    def __init__(self, timeout: float | None, max_memory: int) -> None:
        self._timeout = timeout
        self._deadline = None if timeout is None else monotonic() + timeout
        self._max_memory = max_memory
        self._held = 0
        self.cancelled = False
        self.commits = 0

    def check(self) -> None:
        if self.cancelled:
            raise QueryCancelled("the query was cancelled")
        if self._deadline is not None and monotonic() >= self._deadline:
            raise DeadlinePassed(
                f"the query ran longer than the timeout of {format_duration(self._timeout or 0)} "
                "that it came with"
            )

    def hold(self, nbytes: int) -> None:
        self._held += nbytes
        if self._held > self._max_memory:
            raise MemoryLimitExceeded(
                f"the query needs more than the {self._max_memory:,} bytes "
                "that the setting query_memory allows"
            )

    def release(self, nbytes: int) -> None:
        self._held -= nbytes

    def emitted(self, rows: int) -> None:
        """A result is as large as whoever asked wants it."""

    def committed(self) -> None:
        self.commits += 1
