"""The shell of `cypherd query`: statements over several lines, history, completion.

Lines that begin with a colon are the shell's own commands.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.graph import CypherLexer

from cypherd.cli.completion import CypherCompleter
from cypherd.cli.failures import tell
from cypherd.cli.interrupts import cancelling
from cypherd.cli.options import EXIT_PIPE_CLOSED
from cypherd.cli.parameters import value_of
from cypherd.cli.query import run_statement
from cypherd.cli.target import Question, Target
from cypherd.parser.script import is_complete, statements_of

_HISTORY = "cypherd/history"


@dataclass(frozen=True, slots=True)
class Command:
    usage: str
    does: str
    run: Callable[[Shell, str], None]


class Shell:
    """Keeps the question that each statement is asked with: parameters, format, timeout."""

    def __init__(self, target: Target, question: Question) -> None:
        self.target = target
        self.question = question
        self.completer = CypherCompleter(target.names)
        self.ended = False

    def run(self, session: PromptSession[str] | None = None) -> int:
        """Until `:quit` or the end of the input. The exit code."""
        session = self.session() if session is None else session
        print("Statements end with a semicolon; :help for help.", file=sys.stderr)
        while not self.ended:
            try:
                text = session.prompt()
            except KeyboardInterrupt:
                continue
            except EOFError:
                break
            code = self.take(text.strip())
            if code == EXIT_PIPE_CLOSED:
                return code
        return 0

    def session(self, **terminal: Any) -> PromptSession[str]:
        """`terminal`: the `input` and `output` of prompt_toolkit, if not the process's own."""
        return PromptSession(
            FormattedText([("bold", "cypherd> ")]),
            prompt_continuation="     ... ",
            multiline=True,
            key_bindings=_keys(),
            completer=self.completer,
            complete_while_typing=False,
            complete_in_thread=True,
            lexer=PygmentsLexer(CypherLexer),
            history=_history(),
            enable_open_in_editor=True,
            **terminal,
        )

    def take(self, text: str) -> int:
        """One input: a command, or statements. The exit code of the statement that failed."""
        if text.startswith(":"):
            self._command(text)
            return 0
        with cancelling(self.target) as interrupts:
            for statement in statements_of(text):
                began = time.monotonic()
                code = run_statement(self.target, self.question, statement, text, interrupts)
                if code:
                    return code
                print(f"{(time.monotonic() - began) * 1000:.1f} ms", file=sys.stderr)
        self.completer.forget()
        return 0

    def _command(self, text: str) -> None:
        name, _, rest = text.rstrip("; ").partition(" ")
        command = _COMMANDS.get(name)
        if command is None:
            tell(f"there is no {name}; :help lists what there is")
            return
        command.run(self, rest.strip())

    # --- commands -----------------------------------------------------------------------

    def help(self, _: str) -> None:
        for command in dict.fromkeys(_COMMANDS.values()):
            print(f"  {command.usage:24}{command.does}")
        print("Tab completes, the arrows bring back what was typed, Ctrl-C cancels a query.")

    def quit(self, _: str) -> None:
        self.ended = True

    def param(self, text: str) -> None:
        """`name value`, `name=value` or `name => value`; a name alone forgets it."""
        name, separator, value = _split_parameter(text)
        parameters = dict(self.question.parameters)
        if not name:
            tell("a parameter is given as :param name value")
            return
        if not separator:
            parameters.pop(name, None)
        else:
            parameters[name] = value_of(value)
        self.question = replace(self.question, parameters=parameters)

    def params(self, _: str) -> None:
        for name, value in self.question.parameters.items():
            print(f"  ${name} = {value!r}")

    def format(self, name: str) -> None:
        self.question = replace(self.question, format=name or self.question.format)
        print(f"  {self.question.format}")


_COMMANDS = {
    ":help": Command(":help", "this", Shell.help),
    ":param": Command(":param name value", "set $name; without a value, forget it", Shell.param),
    ":params": Command(":params", "the parameters that are set", Shell.params),
    ":format": Command(":format name", "how to answer from now on", Shell.format),
    ":quit": Command(":quit", "end; so does Ctrl-D", Shell.quit),
}
_COMMANDS[":exit"] = _COMMANDS[":quit"]


def run_shell(target: Target, question: Question) -> int:
    try:
        return Shell(target, question).run()
    finally:
        target.close()


def is_whole(text: str) -> bool:
    """Whether Enter hands the text over: a command, or statements that are all ended."""
    return text.lstrip().startswith(":") or is_complete(text)


def _split_parameter(text: str) -> tuple[str, str, str]:
    for separator in ("=>", "=", " "):
        name, found, value = text.partition(separator)
        if found and name.strip().isidentifier():
            return name.strip(), separator, value.strip()
    return text.strip(), "", ""


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=Condition(_at_whole_text))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    return keys


def _at_whole_text() -> bool:
    from prompt_toolkit.application import get_app

    buffer = get_app().current_buffer
    return buffer.complete_state is None and is_whole(buffer.text)


def _history() -> History:
    """A file in the user's folder for state; without such a folder, only this session's."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    file = Path(state) / _HISTORY
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
