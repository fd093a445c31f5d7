"""A served sample graph, and the command line in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server
from cypherd.generator import generate_social_network
from cypherd.settings import GIB

PERSONS = 200
ENVIRONMENT = {**os.environ, "CYPHERD_MAP_SIZE": "256MiB"}
COMMAND = (sys.executable, "-m", "cypherd")


def cypherd(*arguments: str | Path, stdin: str = "", text: bool = True) -> Any:
    """What `subprocess.run` gives; `text` False: its output as bytes."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin if text else stdin.encode(),
        capture_output=True,
        text=text,
        timeout=120,
        check=False,
        env=ENVIRONMENT,
    )


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """For reading; the store has PERSONS persons."""
    store = tmp_path_factory.mktemp("cli") / "sample"
    generate_social_network(store, persons=PERSONS, map_size=GIB)
    with Server(store, settings={"map_size": "1GiB"}) as running:
        yield running


@pytest.fixture(scope="session")
def url(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def writable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a store of its own that tests may write to."""
    store = tmp_path_factory.mktemp("cli-writable") / "store"
    with Server(store, settings={"map_size": "256MiB"}) as running:
        yield running
