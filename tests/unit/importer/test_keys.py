"""The key map against a dict, with keys that come again, empty ones and growth."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.importer.keys import ABSENT, AMBIGUOUS, KeyMap

Key = str | int
_integers = st.integers(-5, 5) | st.integers(-(1 << 63), (1 << 63) - 1)


def check(batches: Sequence[Sequence[Key]], others: Sequence[Key], *, integers: bool) -> None:
    keys, expected = KeyMap(integers), dict[Key, int]()
    for batch in batches:
        new = keys.add(batch, len(expected)).tolist()
        for key, is_new in zip(batch, new, strict=True):
            assert is_new == (key not in expected)
            expected.setdefault(key, len(expected))
    assert len(keys) == len(expected)
    wanted = [*others, *expected]
    assert keys.find(wanted).tolist() == [expected.get(key, ABSENT) for key in wanted]


@settings(deadline=None)
@given(st.lists(st.lists(st.text(max_size=6))), st.lists(st.text(max_size=6)))
def test_strings(batches: list[list[str]], others: list[str]) -> None:
    check(batches, others, integers=False)


@settings(deadline=None)
@given(st.lists(st.lists(_integers)), st.lists(_integers))
def test_integers(batches: list[list[int]], others: list[int]) -> None:
    check(batches, others, integers=True)


@pytest.mark.parametrize("integers", [True, False])
def test_growth(integers: bool) -> None:
    chance = random.Random(3)
    numbers = [[chance.randrange(60_000) for _ in range(5_000)] for _ in range(12)]
    texts = [[f"person {n}" for n in batch] for batch in numbers]
    check(numbers if integers else texts, [], integers=integers)


def test_keys_of_several_nodes() -> None:
    keys = KeyMap(False)
    keys.also(["a", "b"], np.array([1, 2]))
    keys.also(["b", "c", "a"], np.array([3, 4, 1]))
    assert keys.find(["a", "b", "c", "d"]).tolist() == [1, AMBIGUOUS, 4, ABSENT]
