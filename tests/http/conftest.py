"""A served sample graph for all tests of this folder, and servers with settings of their own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server
from cypherd.generator import generate_social_network
from cypherd.settings import GIB

PERSONS = 300
FRIEND = "https://friend.example"
"""The origin that the server with small limits allows."""

Serve = Callable[..., Server]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("http") / "sample"
    generate_social_network(store, persons=PERSONS, map_size=GIB)
    with Server(store, settings={"map_size": "1GiB"}) as running:
        yield running


@pytest.fixture(scope="session")
def port(server: Server) -> int:
    return server.port


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts a server on an empty store: `serve(max_rows=10)`."""
    with contextlib.ExitStack() as stack:

        def start(**settings: Any) -> Server:
            given = {"map_size": "256MiB", "workers": 2, **settings}
            return stack.enter_context(Server(tmp_path / "store", settings=given))

        yield start


@pytest.fixture(scope="session")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a server with small limits, below a path."""
    settings = {
        "map_size": "256MiB",
        "workers": 2,
        "max_rows": 150_000,
        "spool_memory": "64KiB",
        "spool_limit": "4MiB",
        "root_path": "/graph",
        "allowed_origins": FRIEND,
    }
    with Server(tmp_path_factory.mktemp("limited") / "store", settings=settings) as server:
        yield server.port
