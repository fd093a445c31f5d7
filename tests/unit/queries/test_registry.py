"""The registry: ids, states, what is kept of a finished query."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest

from cypherd.errors import (
    _CLASSES,
    CypherdError,
    CypherSyntaxError,
    DeadlinePassed,
    QueryCancelled,
    QueryIdInUse,
)
from cypherd.queries.registry import ClientGone, Entry, Registry


def begin(registry: Registry, text: str = "RETURN 1", **keys: Any) -> Entry:
    parameters = keys.pop("parameters", {})
    return registry.begin(text, parameters, timeout=60.0, deadline_message="late", **keys)


class _Held:
    """What an entry may hold on to."""


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_a_finished_query_holds_nothing_that_ran() -> None:
    registry = Registry(10)
    entry = begin(registry)
    held = _Held()
    gone = weakref.ref(held)

    def run(rows: _Held) -> None:
        try:
            raise CypherSyntaxError("no")
        except CypherdError as error:
            entry.stop(error)
            entry.waiting_for = lambda: f"{entry} {rows}"
            entry.stopper = lambda error: print(error, entry, rows)
            registry.end(entry, error)

    run(held)
    del held
    assert gone() is None
    shown = registry.get(entry.id)
    assert shown is not None
    assert shown["error"] == {"code": CypherSyntaxError.code, "message": "no"}


@pytest.mark.usefixtures("uncollected")
def test_a_query_that_is_no_longer_kept_leaves_no_cycle() -> None:
    registry = Registry(1)
    gone = []
    for _ in range(2):
        held = _Held()
        gone.append(weakref.ref(held))
        entry = begin(registry, parameters={"held": held})
        entry.waiting_for = lambda entry=entry: entry.id
        entry.parameters = {"held": 1, "it": held}
        registry.end(entry, QueryCancelled("stop"))
    del held, entry
    assert gone[0]() is None


def test_every_error_can_be_told_again_without_its_stack() -> None:
    kinds = list(_CLASSES.values())
    assert len(kinds) > 30
    for kind in kinds:
        error = kind("what", detail="Detail", offset=3, hint="do")
        copied = copy(error.located("abcdef"))
        assert type(copied) is kind
        assert copied.to_wire() == error.to_wire()


def test_an_id_is_taken_while_its_query_runs() -> None:
    registry = Registry(10)
    first = begin(registry, id="mine")
    with pytest.raises(QueryIdInUse, match="mine"):
        begin(registry, id="mine")
    registry.end(first)
    again = begin(registry, id="mine")
    assert registry.find("mine") is again


def test_made_ids_differ_and_are_valid() -> None:
    registry = Registry(10)
    ids = {begin(registry).id for _ in range(100)}
    assert len(ids) == 100
    assert all(id.replace("-", "").isalnum() and len(id) <= 64 for id in ids)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (None, "finished"),
        (CypherSyntaxError("no"), "failed"),
        (QueryCancelled("stop"), "cancelled"),
        (ClientGone("gone"), "disconnected"),
        (DeadlinePassed("late"), "timed out"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_how_it_ended(error: CypherdError | None, state: str) -> None:
    registry = Registry(10)
    entry = begin(registry)
    registry.end(entry, error)
    shown = registry.get(entry.id)
    assert shown is not None
    assert shown["state"] == state
    assert (shown["error"] is None) == (error is None)
    assert registry.entries() == []
    assert len(registry) == 0


def test_stop_is_told_once() -> None:
    registry = Registry(10)
    entry = begin(registry)
    told: list[CypherdError] = []
    entry.stopper = told.append
    first = QueryCancelled("first")
    assert entry.stop(first)
    assert not entry.stop(QueryCancelled("second"))
    assert told == [first]
    assert entry.to_dict()["state"] == "cancelling"
    with pytest.raises(QueryCancelled, match="first"):
        entry.check_stopped()
    registry.end(entry, first)
    shown = entry.to_dict()
    assert shown["state"] == "cancelled"
    assert shown["cancel_ms"] >= 0
    assert not entry.stop(QueryCancelled("too late"))


def test_ending_twice_keeps_the_first_end() -> None:
    registry = Registry(10)
    entry = begin(registry)
    registry.end(entry)
    registry.end(entry, QueryCancelled("late"))
    assert entry.to_dict()["state"] == "finished"
    assert len(registry.ended()) == 1


def test_finished_are_bounded_and_latest_first() -> None:
    registry = Registry(3)
    for number in range(5):
        registry.end(begin(registry, id=f"q{number}"))
    assert [entry.id for entry in registry.ended()] == ["q4", "q3", "q2"]
    assert [entry.id for entry in registry.ended(2)] == ["q4", "q3"]
    assert registry.get("q0") is None


@pytest.mark.parametrize(
    ("parameters", "kept"),
    [
        ({"a": 1, "b": [1, 2, {"c": "x"}]}, True),
        ({"a": "x" * 20_000}, False),
        ({"a": list(range(1000))}, False),
        ({"a": [[["x" * 20_000]]]}, False),
    ],
    ids=["small", "long text", "long list", "deep"],
)
def test_large_parameters_do_not_stay(parameters: dict[str, Any], kept: bool) -> None:
    registry = Registry(3)
    entry = begin(registry, "RETURN 1" + " " * 20_000, parameters=parameters)
    registry.end(entry)
    shown = entry.to_dict()
    assert bool(shown["parameters"]) == kept
    assert len(shown["query"]) <= 10_000
