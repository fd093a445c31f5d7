from __future__ import annotations

from typing import Any

import pytest

from cypherd.errors import ArgumentError
from cypherd.storage.properties import stored_properties, stored_value


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ([1, 2.5], [1.0, 2.5]),
        (range(3), [0, 1, 2]),
        ([], []),
        ([True, False], [True, False]),
        (True, True),
        ((1 << 63) - 1, (1 << 63) - 1),
    ],
    ids=["mixed numbers", "range", "empty", "booleans", "boolean", "largest"],
)
def test_stored(value: Any, stored: Any) -> None:
    found = stored_value(value)
    assert found == stored
    assert type(found) is type(stored)


def test_nulls_are_left_out() -> None:
    assert stored_properties({1: None, 2: "a"}) == {2: "a"}


@pytest.mark.parametrize("value", [1 << 63, [1, -(1 << 63) - 1]], ids=["integer", "list"])
def test_past_64_bits(value: Any) -> None:
    with pytest.raises(ArgumentError):
        stored_value(value)
