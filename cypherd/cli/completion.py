"""What Tab offers: after a colon labels or types, after a dot properties, else words of the
language."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from cypherd.cli.target import GraphNames
from cypherd.parser.script import grammar_lexer

_WORD = re.compile(r"[\w$:]*$")
_PROPERTY = re.compile(r"[\w)\]`]\s*\.\s*(\w*)$")
# A label or type: behind a colon, or behind the bar or ampersand between two of them.
_NAME = re.compile(r"[:|&!]\s*(\w*)$")
_PLAIN = re.compile(r"[^\W\d]\w*")
_SHELL_WORDS = (":exit", ":format", ":help", ":param", ":params", ":quit")
# Names change with what is written: they are asked for again after so long.
_KEPT_SECONDS = 30.0


class CypherCompleter(Completer):
    """`names` asks what the graph has; it is called when first needed."""

    def __init__(self, names: Callable[[], GraphNames]) -> None:
        self._ask = names
        self._names = GraphNames()
        self._asked_at: float | None = None

    def forget(self) -> None:
        """Ask for the names again, when they are old."""
        if self._asked_at is not None and time.monotonic() - self._asked_at > _KEPT_SECONDS:
            self._asked_at = None

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        before = document.text_before_cursor
        typed, words = self._offered(before)
        for word in words:
            if word.lower().startswith(typed.lower()):
                yield Completion(_quoted(word), start_position=-len(typed))

    def _offered(self, before: str) -> tuple[str, Iterable[str]]:
        """What was typed of a word, and the words that could stand there."""
        if before.lstrip().startswith(":") and " " not in before.lstrip():
            return before.lstrip(), _SHELL_WORDS
        names = self._graph()
        if found := _PROPERTY.search(before):
            return found[1], names.properties
        if found := _NAME.search(before):
            in_relationship = before.rfind("[") > before.rfind("]")
            return found[1], names.types if in_relationship else names.labels
        word = _WORD.search(before)
        typed = word[0] if word else ""
        return typed, self._words(typed, names) if typed else ()

    def _words(self, typed: str, names: GraphNames) -> Iterable[str]:
        """Keywords as the word was begun, in capitals or not; functions with their parenthesis."""
        keywords = sorted(grammar_lexer().keywords)
        yield from (map(str.lower, keywords) if typed.islower() else keywords)
        yield from (f"{name}(" for name in names.functions)

    def _graph(self) -> GraphNames:
        if self._asked_at is None:
            self._asked_at = time.monotonic()
            self._names = self._ask()
        return self._names


def _quoted(name: str) -> str:
    """A name that is no plain word goes in backquotes."""
    if _PLAIN.fullmatch(name.rstrip("(")) or name.startswith(":"):
        return name
    return f"`{name.replace('`', '``')}`"
