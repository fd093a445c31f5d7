"""Servers with settings of their own, each on an empty store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server

Serve = Callable[..., Server]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """`serve(workers=4)` starts one; it is stopped at the end of the test."""
    with contextlib.ExitStack() as stack:

        def start(**settings: Any) -> Server:
            given = {"map_size": "256MiB", "workers": 2, **settings}
            return stack.enter_context(Server(tmp_path / "store", settings=given))

        yield start


@pytest.fixture
def port(serve: Serve) -> int:
    return serve().port
