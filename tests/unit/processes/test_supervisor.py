"""Supervisor, template and forks: who dies with whom, and who is replaced."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import wait_for
from benchmarks.processes import descendants, process

ROOT = Path(__file__).resolve().parents[3]


class Tiny:
    """tests/unit/processes/tiny.py in a process of its own."""

    def __init__(self, port: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.processes.tiny", str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )

    def told(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read() if self.process.stderr else ""
        told: dict[str, Any] = json.loads(line)
        return told

    def do(self, command: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.told()

    def end(self, command: str) -> int:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.wait(30)

    def template(self, front: int) -> int:
        below = descendants(self.process.pid)
        (found,) = (one.pid for one in below if one.parent == self.process.pid and one.pid != front)
        return found


@pytest.fixture
def tiny() -> Iterator[Tiny]:
    server = Tiny()
    yield server
    server.process.kill()
    server.process.communicate()


def lives(pid: int) -> bool:
    found = process(pid)
    return found is not None and found.is_alive


def gone(*pids: int) -> bool:
    return wait_for(lambda: not any(lives(pid) for pid in pids), 10.0) is not None


def test_a_child_is_ready_made_and_echoes(tiny: Tiny) -> None:
    tiny.told()
    child = tiny.do("fork")
    assert child["frozen"]
    assert child["ignores"] == [True, True]
    # A session of its own would be a scheduling group of its own, and nice would mean nothing.
    assert child["session"] == os.getsid(tiny.process.pid)
    assert tiny.do("ask 0") == {"answer": "hello"}


def test_children_inherit_no_other_child_s_channel(tiny: Tiny) -> None:
    """So end-of-file means what it says, in both directions, while siblings live."""
    tiny.told()
    first, second = tiny.do("fork"), tiny.do("fork")
    assert second["sockets"] == first["sockets"] == 1
    assert tiny.do("kill 0") == {"closed": True}
    assert tiny.do("ask 1") == {"answer": "hello"}
    assert tiny.do("close 1") == {"dead": second["pid"]}


def test_a_kill_after_death_hits_nobody(tiny: Tiny) -> None:
    tiny.told()
    child = tiny.do("fork")
    os.kill(child["pid"], signal.SIGKILL)
    assert tiny.do("after 0") == {"dead": child["pid"]}


def test_a_dead_template_is_replaced(tiny: Tiny) -> None:
    front = tiny.told()["front"]
    child = tiny.do("fork")
    template = tiny.template(front)
    os.kill(template, signal.SIGKILL)
    assert gone(template, child["pid"])
    assert tiny.do("ask 0") == {"closed": True}
    tiny.do("fork")
    assert tiny.do("ask 1") == {"answer": "hello"}
    assert lives(front)


def test_a_crashed_front_is_started_again_and_its_children_end(tiny: Tiny) -> None:
    first = tiny.told()
    child = tiny.do("fork")
    os.kill(first["front"], signal.SIGKILL)
    second = tiny.told()
    assert second["front"] != first["front"]
    assert second["port"] == first["port"]
    assert gone(child["pid"])
    tiny.do("fork")
    assert tiny.do("ask 0") == {"answer": "hello"}


def test_a_front_that_goes_on_crashing_is_given_up(tiny: Tiny) -> None:
    for _ in range(6):
        os.kill(tiny.told()["front"], signal.SIGKILL)
    assert tiny.process.wait(30) == 1
    assert tiny.process.stderr is not None
    assert "giving up" in tiny.process.stderr.read()


@pytest.mark.parametrize("code", [0, 7], ids=str)
def test_the_front_s_exit_code_is_the_server_s(tiny: Tiny, code: int) -> None:
    tiny.told()
    tiny.do("fork")
    below = [one.pid for one in descendants(tiny.process.pid)]
    assert tiny.end(f"exit {code}") == code
    # Ended before the supervisor, not some time after it.
    assert not any(lives(pid) for pid in below)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_a_signal_stops_it_cleanly(tiny: Tiny, number: signal.Signals) -> None:
    tiny.told()
    tiny.do("fork")
    below = [one.pid for one in descendants(tiny.process.pid)]
    tiny.process.send_signal(number)
    # As `timeout` and many others do: the process, and then its group once more.
    tiny.process.send_signal(number)
    assert tiny.process.wait(30) == 0
    assert not any(lives(pid) for pid in below)


def test_everything_ends_with_a_killed_supervisor(tiny: Tiny) -> None:
    tiny.told()
    tiny.do("fork")
    below = [one.pid for one in descendants(tiny.process.pid)]
    assert len(below) == 3
    tiny.process.kill()
    assert gone(*below)


def test_an_address_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = Tiny(port)
        _, errors = server.process.communicate(timeout=30)
    assert server.process.returncode == 2
    assert f"port {port}" in errors
    assert "in use" in errors
