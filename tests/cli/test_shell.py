"""The shell: what is taken, what its commands do, completion, and a session in a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from cypherd.cli.completion import CypherCompleter
from cypherd.cli.server_target import ServerTarget
from cypherd.cli.shell import Shell, is_whole
from cypherd.cli.store_target import StoreTarget
from cypherd.cli.target import GraphNames, Question
from cypherd.settings import MIB, Settings
from tests.cli.conftest import COMMAND, ENVIRONMENT
from tests.cli.test_query import LONG

NAMES = GraphNames(
    labels=("Person", "Place", "Odd name"),
    types=("KNOWS", "LIKES"),
    properties=("firstName", "born"),
    functions=("size", "shortestPath", "split"),
)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("RETURN 1;", True),
        ("RETURN 1", False),
        ("RETURN ';", False),
        ("MATCH (n)\nRETURN n;", True),
        (":help", True),
        ("", True),
    ],
)
def test_enter_hands_over_what_is_whole(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("MATCH (n:Pe", ["Person"]),
        ("MATCH (n:P", ["Person", "Place"]),
        ("MATCH (n:Person|Pl", ["Place"]),
        ("MATCH (:O", ["`Odd name`"]),
        ("MATCH (a)-[:k", ["KNOWS"]),
        ("MATCH (a)-[r:KNOWS|L", ["LIKES"]),
        ("MATCH (a)-[:KNOWS]->(b:Pla", ["Place"]),
        ("MATCH (n) RETURN n.f", ["firstName"]),
        ("MATCH (n) RETURN n.firstName, n.", ["firstName", "born"]),
        ("ret", ["return"]),
        ("RET", ["RETURN"]),
        ("RETURN si", ["size("]),
        ("RETURN ", []),
        (":pa", [":param", ":params"]),
    ],
)
def test_completion(before: str, offered: list[str]) -> None:
    completer = CypherCompleter(lambda: NAMES)
    document = Document(before, len(before))
    found = [c.text for c in completer.get_completions(document, CompleteEvent())]
    assert found == offered


def test_names_are_asked_for_once() -> None:
    asked = []

    def names() -> GraphNames:
        asked.append(1)
        return NAMES

    completer = CypherCompleter(names)
    for _ in range(3):
        list(completer.get_completions(Document("MATCH (n:P"), CompleteEvent()))
    completer.forget()
    list(completer.get_completions(Document("MATCH (n:P"), CompleteEvent()))
    assert asked == [1]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    settings = Settings(store=tmp_path / "store", map_size=64 * MIB)
    target = StoreTarget(settings, first="CREATE (n)")
    yield Shell(target, Question("", format="json"))
    target.close()


def test_a_server_tells_what_can_be_completed(url: str) -> None:
    target = ServerTarget(url)
    names = target.names()
    target.close()
    assert {"Person", "City"} <= set(names.labels)
    assert {"KNOWS", "WORKS_AT"} <= set(names.types)
    assert {"firstName", "classYear"} <= set(names.properties)
    assert {"size", "toUpper"} <= set(names.functions)


def test_several_statements_in_one_input(shell: Shell, capfdbinary: object) -> None:
    assert shell.take("CREATE (:A {x: 1}); MATCH (a:A) RETURN a.x;") == 0
    out = capfdbinary.readouterr().out.splitlines()  # type: ignore[attr-defined]
    assert out[-1] == b'{"columns":["a.x"],"data":[[1]]}'
    assert shell.target.names().labels == ("A",)
    assert shell.take("RETURN 1; RETURN q; CREATE (:Never);") == 1
    assert shell.target.names().labels == ("A",)


@pytest.mark.parametrize("text", [":param x 1", ":param x=1", ":param x => 1", ":param x = 1;"])
def test_parameters(shell: Shell, text: str) -> None:
    shell.take(text)
    assert shell.question.parameters == {"x": 1}
    shell.take(":param name Ann Lee")
    assert shell.question.parameters == {"x": 1, "name": "Ann Lee"}
    shell.take(":param x")
    assert shell.question.parameters == {"name": "Ann Lee"}


def test_commands(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.take(":help")
    shown = capsys.readouterr().out
    assert all(name in shown for name in (":help", ":param", ":params", ":format", ":quit"))
    shell.take(":format ndjson")
    assert shell.question.format == "ndjson"
    shell.take(":nonsense")
    assert ":nonsense" in capsys.readouterr().err
    assert not shell.ended
    shell.take(":quit")
    assert shell.ended


class Terminal:
    """The shell in a pseudo-terminal."""

    def __init__(self, store: Path, state: Path) -> None:
        self._leader, follower = pty.openpty()
        environment = {**ENVIRONMENT, "XDG_STATE_HOME": str(state), "TERM": "xterm"}
        self.process = subprocess.Popen(
            [*COMMAND, "query", "--store", str(store)],
            stdin=follower, stdout=follower, stderr=follower, env=environment, close_fds=True,
            start_new_session=True,
        )  # fmt: skip
        os.close(follower)
        self._seen = ""

    def type(self, text: str) -> None:
        os.write(self._leader, text.encode())

    def expect(self, text: str, seconds: float = 60.0) -> None:
        """Wait until the terminal has shown `text`; what came before it is forgotten."""
        end = time.monotonic() + seconds
        while text not in self._seen:
            ready, _, _ = select.select([self._leader], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"no {text!r} in {self._seen!r}"
            self._seen += os.read(self._leader, 65536).decode(errors="replace")
            # The terminal is asked where its cursor is: it has to answer.
            if "\x1b[6n" in self._seen:
                self._seen = self._seen.replace("\x1b[6n", "")
                os.write(self._leader, b"\x1b[1;1R")
        self._seen = self._seen.partition(text)[2]

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)
        os.close(self._leader)


def test_a_session(tmp_path: Path, shell: Shell) -> None:
    shell.take("CREATE (:Person {name: 'Ann'});")
    shell.target.close()
    terminal = Terminal(tmp_path / "store", tmp_path / "state")
    try:
        terminal.expect("cypherd>")
        terminal.type("MATCH (n)\r")
        terminal.expect("...")
        terminal.type("RETURN n.name AS found;\r")
        terminal.expect("Ann")
        terminal.expect("cypherd>")
        terminal.type("MATCH (n:Per\t")
        terminal.expect("son")
        terminal.type(") RETURN 'completed ' + labels(n)[0];\r")
        terminal.expect("completed Person")
        terminal.expect("cypherd>")
        terminal.type("RETURN 'now';\r")
        terminal.expect('"now"')
        terminal.expect("cypherd>")
        terminal.type(f"{LONG};\r")
        terminal.expect("a + b);")
        # Typed, Ctrl-C would be sent by a terminal that controls the process; this one does not.
        time.sleep(1.0)
        terminal.process.send_signal(signal.SIGINT)
        terminal.expect("the query was cancelled")
        terminal.expect("cypherd>")
        terminal.type(":quit\r")
        assert terminal.process.wait(30) == 0
    finally:
        terminal.close()
    assert "RETURN n.name AS found;" in (tmp_path / "state/cypherd/history").read_text()
