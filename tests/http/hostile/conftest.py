"""One server for all hostile requests, and what must hold after each module of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import Server, ask, cancel, request, running, wait_for
from tests.http.hostile import wire

LONG = "UNWIND range(1, 1000000000000) AS x RETURN count(x)"
WITNESS = "witness"
# Descriptors that may come and go by themselves: a worker's, a file being served.
_SLACK = 12


@pytest.fixture(scope="session", params=[1, 2], ids=["one front", "two fronts"])
def target(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hostile")
    settings = {"map_size": "256MiB", "workers": 2, "max_body": "2MiB", "default_timeout": "20s",
                "fronts": request.param}  # fmt: skip
    with Server(folder / "store", settings=settings, log=folder / "log") as server:
        ask(server.port, "RETURN 1")
        yield server


@pytest.fixture(scope="session")
def hostile_port(target: Server) -> int:
    return target.port


@pytest.fixture(scope="module", autouse=True)
def unharmed(target: Server, request: pytest.FixtureRequest) -> Iterator[None]:
    """A query that runs all the while is not lost, nor is what was written; nothing else is left
    running; the server answers, has no more descriptors open, and logged no fault of its own."""
    port = target.port
    group = request.module.__name__.rpartition(".")[2]
    assert ask(port, "CREATE (:Kept {by: $group})", {"group": group}).status == 200
    before = descriptors(target.pid)
    witness = wire.Wire(port)
    witness.send(wire.ask(LONG, id=WITNESS, timeout="280s"))
    assert wait_for(lambda: WITNESS in running(port), 10) is not None
    yield
    assert wait_for(lambda: set(running(port)) == {WITNESS}, 10) is not None, running(port)
    assert cancel(port, WITNESS).status == 200
    told = witness.read().json()["errors"][0]
    assert told["code"] == "Neo.ClientError.Transaction.Terminated"
    witness.close()
    assert health(port)["running"] == 0
    kept = ask(port, "MATCH (n:Kept {by: $group}) RETURN count(n)", {"group": group})
    assert kept.rows() == [[1]]
    assert ask(port, "MATCH (n:Evil) RETURN count(n)").rows() == [[0]]

    def let_go() -> bool:
        return descriptors(target.pid) <= before + _SLACK

    assert wait_for(let_go, 15, 0.1) is not None, (before, descriptors(target.pid))
    assert faults(target) == []


def health(port: int) -> Any:
    answer = request(port, "GET", "/health")
    assert answer.status == 200
    return answer.json()


def descriptors(pid: int) -> int:
    """Open descriptors of a process and all below it."""
    count = 0
    with contextlib.suppress(OSError):
        count = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = (task / "children").read_text().split()
            count += sum(descriptors(int(child)) for child in children)
    return count


def faults(server: Server) -> list[str]:
    """Lines of the log that a hostile request must not cause."""
    lines = server.log_lines()
    return [line for line in lines if "Traceback" in line or " ERROR " in line]


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts a server of its own, with short limits: `impatient(body_timeout="1s")`."""
    with contextlib.ExitStack() as stack:

        def start(**settings: Any) -> Server:
            given = {"map_size": "64MiB", "workers": 2, **settings}
            return stack.enter_context(Server(tmp_path / "store", settings=given))

        yield start
