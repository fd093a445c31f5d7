"""An endless run of texts from a seed: sentences of the grammar, mutations, and noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from cypherd.resources import resource_text
from tests.fuzz.mutations import mutated, tokens_of
from tests.fuzz.sentences import Sentences

_BUDGETS = (6, 12, 25, 50, 120, 400)
_SOUP = 40


@cache
def walked_grammar() -> Sentences:
    """Made once: reading the grammar takes a second."""
    return Sentences(resource_text("grammar/cypher.lark"))


def inputs(seed: int, corpus: Sequence[str]) -> Iterator[str]:
    """The same texts for the same seed, grammar and corpus."""
    random = Random(seed)
    sentences = walked_grammar()
    words = sorted({token for text in corpus for token in tokens_of(text) if token.strip()})
    while True:
        kind = random.random()
        if kind < 0.40:
            yield sentences.text(random, random.choice(_BUDGETS))
        elif kind < 0.55:
            yield mutated(random, sentences.text(random, random.choice(_BUDGETS)), corpus)
        elif kind < 0.97:
            yield mutated(random, random.choice(corpus), corpus)
        else:
            yield " ".join(random.choices(words, k=random.randint(1, _SOUP)))
