"""Random texts of the grammar: a walk over its rules with a budget, nearly always well-formed.

    start -> statement -> query -> ... -> terminals -> "MATCH ( a : A ) RETURN a . i"

Rules are Lark's own, so new syntax is walked as soon as the grammar has it. What the grammar does
not say (which names are there, how many arguments a function takes) is drawn from what the text
has bound so far, because a binder that refuses every text hides the planner behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random

from lark import Lark
from lark.grammar import NonTerminal, Rule, Symbol, Terminal
from lark.lexer import PatternStr

from cypherd.functions.registry import all_functions
from cypherd.procedures.registry import BUILT_IN
from tests.fuzz.words import (
    CONSTANTS,
    CONTEXT_WORDS,
    KEYS,
    LABELS,
    MARKED,
    NAMES,
    TERMINAL_WORDS,
    WEIGHTS,
)

Step = tuple[Symbol, str, int] | str | Callable[[], None]
"""A symbol, the rule it stands in and the budget for what it becomes; a word; what to do there."""

_NEVER = 1 << 30
_FUNCTIONS = [
    (function.name, len(function.arguments) - function.optional, len(function.arguments))
    for _, overloads in all_functions().values()
    for function in overloads
]
_BINDING = {"node", "relationship_detail", "pattern_node", "unwind_clause", "pattern_part",
            "foreach_clause", "start_item", "yield_item"}  # fmt: skip
_SCOPES = {"with_clause", "return_clause"}
_CALLED = {"filtering_call": ("all", "any", "none", "single", "filter"),
           "extracting_call": ("extract",), "reducing_call": ("reduce",)}  # fmt: skip
"""What is called where a variable runs over a list in the call's parentheses."""

_LISTED = {"comprehension", "mapping"}
_WORDED = {"is_worded", "is_normalized"}
_COMPARED = ("=", "<>", "<", ">=", "IN", "STARTS WITH", "IS NULL OR $p =", "XOR 1 <")
"""A condition that is none would be refused before it is planned."""

_ROOMY = {"projection_items", "properties", "match_clause", "node"}
_SLACK = 6
"""What some rules may cost more than is left: their shortest forms are seldom allowed."""

_OPTIONAL_PARTS = {"node", "pattern_node", "relationship_detail", "projection"}
_ASSIGNED = {"set_one", "remove_item", "set_item"}


class Sentences:
    """The rules of one grammar, and how short a text each can become."""

    def __init__(self, grammar: str) -> None:
        lark = Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True)
        self._rules: dict[str, list[Rule]] = {}
        for rule in lark.rules:
            self._rules.setdefault(rule.origin.name, []).append(rule)
        self._texts = {
            terminal.name: terminal.pattern.value
            for terminal in lark.terminals
            if isinstance(terminal.pattern, PatternStr)
        }
        self._least = self._least_sizes()

    def unknown_terminals(self) -> set[str]:
        """Terminals for which there is no text: the table of words lacks them."""
        used = {s.name for rules in self._rules.values() for r in rules for s in r.expansion
                if isinstance(s, Terminal)}  # fmt: skip
        return used - self._texts.keys() - TERMINAL_WORDS.keys() - MARKED.keys()

    def text(self, random: Random, budget: int, start: str = "start") -> str:
        """A text of `start` whose tree has about `budget` rules that are more than a link."""
        return " ".join(_Walk(self, random).words(start, budget))

    def rules_of(self, name: str) -> list[Rule]:
        return self._rules[name]

    def least(self, symbol: Symbol) -> int:
        return 0 if isinstance(symbol, Terminal) else self._least[symbol.name]

    def cost(self, rule: Rule) -> int:
        """Least budget of an expansion: one for itself, unless it is a mere link."""
        inner = sum(self.least(symbol) for symbol in rule.expansion)
        return inner + (len(rule.expansion) > 1)

    def terminal(self, name: str) -> str | None:
        return self._texts.get(name)

    def _least_sizes(self) -> dict[str, int]:
        self._least = dict.fromkeys(self._rules, _NEVER)
        changed = True
        while changed:
            changed = False
            for name, rules in self._rules.items():
                least = min(min(self.cost(rule), _NEVER) for rule in rules)
                changed |= least < self._least[name]
                self._least[name] = least
        return self._least


class _Walk:
    """One text: the steps still to take, and the names that are bound so far."""

    def __init__(self, sentences: Sentences, random: Random) -> None:
        self._sentences = sentences
        self._random = random
        self._names: list[str] = []
        self._columns: list[str] = []
        self._in_with = False
        self._steps: list[Step] = []

    def words(self, start: str, budget: int) -> Iterator[str]:
        self._steps = [(NonTerminal(start), start, budget)]
        while self._steps:
            step = self._steps.pop()
            if isinstance(step, str):
                yield step
                continue
            if not isinstance(step, tuple):
                step()
                continue
            symbol, within, left = step
            if isinstance(symbol, Terminal):
                yield self._word(symbol.name, within)
            elif (known := self._known(symbol.name, within, left)) is not None:
                yield known
            else:
                self._expand(symbol.name, left)

    def _word(self, terminal: str, within: str) -> str:
        text = self._sentences.terminal(terminal)
        if text is not None:
            return text if self._random.random() < 0.95 else text.lower()
        words = CONTEXT_WORDS.get((within, terminal)) or MARKED.get(terminal)
        return self._random.choice(words or TERMINAL_WORDS[terminal])

    def _known(self, name: str, within: str, left: int) -> str | None:
        """The word where the grammar allows any name but only some make sense."""
        random = self._random
        if name == "variable" and random.random() < 0.95:
            return random.choice(self._names or CONSTANTS)
        if name == "postfix" and within in _ASSIGNED and self._names and random.random() < 0.85:
            return f"{random.choice(self._names)} . {random.choice(KEYS)}"
        if name == "name" and within == "shortest_path":
            return random.choice(("shortestPath", "allShortestPaths"))
        if name == "procedure" and random.random() < 0.8:
            return random.choice(BUILT_IN.names())
        if name == "name" and within in _BINDING:
            return self._bound()
        if name == "key" and random.random() < 0.95:
            if within == "projection_item":
                free = [name for name in NAMES if name not in self._columns]
                self._columns.append(random.choice(free or NAMES))
                return self._columns[-1]
            return random.choice(LABELS if within in ("label_atom", "hint") else KEYS)
        return None

    def _bound(self) -> str:
        name = self._random.choice(NAMES)
        self._names.append(name)
        return name

    def _expand(self, name: str, left: int) -> None:
        rule = self._chosen(name, left)
        if name == "projection_item" and self._in_with and self._random.random() < 0.9:
            rule = max(self._sentences.rules_of(name), key=lambda rule: len(rule.expansion))
        if rule.alias == "call" and self._random.random() < 0.9:
            self._call(left)
            return
        self._enter(name)
        spare = max(0, left - self._sentences.cost(rule))
        shares = self._shares(rule.expansion, spare)
        within = _within(rule)
        steps: list[Step] = [
            (symbol, within, share) for symbol, share in zip(rule.expansion, shares, strict=True)
        ]
        if name == "single_query" and self._random.random() < 0.95:
            steps.append((NonTerminal("return_clause"), within, left // 4))
        if name == "where" and self._random.random() < 0.8:
            half = shares[-1] // 2
            sides: list[Step] = [(NonTerminal("sum"), within, half)] * 2
            steps[1:] = [sides[0], self._random.choice(_COMPARED), sides[1]]
        if rule.alias in _LISTED or rule.alias in _CALLED:
            steps = self._with_variables(rule.alias, steps)
        self._steps.extend(reversed(steps))

    def _with_variables(self, alias: str, steps: list[Step]) -> list[Step]:
        """`x IN` before the first expression; before the second where a sum is kept as well."""
        written = list(steps)
        if alias in _CALLED:
            written[0] = self._random.choice(_CALLED[alias])
        before = [[self._bound(), "="]] if alias == "reducing_call" else []
        before.append([self._bound(), "IN"])
        places = [i for i, step in enumerate(steps) if _is_expression(step)]
        for place, words in reversed(list(zip(places, before, strict=False))):
            written[place:place] = words
        return written

    def _enter(self, name: str) -> None:
        if name in _SCOPES:
            self._columns = []
            self._in_with = name == "with_clause"
            self._steps.append(self._leave_scope)
        elif name == "subquery":
            outer = list(self._names)

            def leave() -> None:
                self._names = outer

            self._steps.append(leave)

    def _leave_scope(self) -> None:
        if self._columns:
            self._names = list(self._columns)

    def _call(self, left: int) -> None:
        """A function that is there, most often with as many arguments as it takes."""
        random = self._random
        name, least, most = random.choice(_FUNCTIONS)
        count = random.randint(least, most) if random.random() < 0.95 else random.randint(0, 4)
        share = left // max(count, 1) - 1
        steps: list[Step] = []
        for _ in range(count):
            steps.extend([(NonTerminal("expression"), "call", max(share, 0)), ","])
        if count:
            steps.pop()
        self._steps.extend([")", *reversed(steps), f"{name}("])

    def _chosen(self, name: str, left: int) -> Rule:
        rules = self._sentences.rules_of(name)
        room = left + _SLACK if name in _ROOMY else left
        affordable = [rule for rule in rules if self._sentences.cost(rule) <= room]
        if not affordable:
            least = min(map(self._sentences.cost, rules))
            affordable = [rule for rule in rules if self._sentences.cost(rule) == least]
        weights = [_weight(rule) for rule in affordable]
        return self._random.choices(affordable, weights)[0]

    def _shares(self, symbols: Sequence[Symbol], spare: int) -> list[int]:
        """Each symbol's least size and a random part of what is to spare."""
        inner = [i for i, symbol in enumerate(symbols) if isinstance(symbol, NonTerminal)]
        shares = [self._sentences.least(symbol) for symbol in symbols]
        parts = [self._random.random() for _ in inner]
        for i, part in zip(inner, parts, strict=True):
            shares[i] += int(spare * part / sum(parts))
        return shares


def _within(rule: Rule) -> str:
    """The rule by which words are chosen: repetitions belong to the one that has them."""
    if rule.alias in _WORDED:
        return rule.alias
    return rule.origin.name.split("_star_")[0].split("_plus_")[0].removeprefix("__")


def _is_expression(step: Step) -> bool:
    return isinstance(step, tuple) and step[0] == NonTerminal("expression")


def _weight(rule: Rule) -> float:
    name = rule.origin.name
    if name in _OPTIONAL_PARTS:
        return float(0.45 ** len(rule.expansion))
    for key in (rule.alias, *(s.name.rstrip("0123456789_") for s in rule.expansion)):
        if (name, key) in WEIGHTS:
            return WEIGHTS[name, key]
    is_link = len(rule.expansion) == 1 and isinstance(rule.expansion[0], NonTerminal)
    return 8.0 if is_link and rule.options.expand1 else 1.0
