"""Which of the writes that wait make up a group."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from cypherd.queries.waiting_writes import MOST_SHARES, Statement, WaitingWrites


def _statement(name: str, *, client: str = "a", **planned: Any) -> Statement:
    given = SimpleNamespace(kind="write", commits=False)
    for key, value in planned.items():
        setattr(given, key, value)
    entry = SimpleNamespace(id=name, client=f"{client}:1")
    nothing = cast(Any, None)
    return Statement(cast(Any, entry), nothing, cast(Any, given), nothing, nothing)


def _waiting(*statements: Statement) -> WaitingWrites:
    waiting = WaitingWrites()
    for statement in statements:
        waiting.push(statement)
    return waiting


def _names(statements: list[Statement]) -> list[str]:
    return [statement.entry.id for statement in statements]


def test_a_group_ends_before_what_runs_alone() -> None:
    waiting = _waiting(
        _statement("1"), _statement("2"), _statement("schema", kind="schema"), _statement("3")
    )
    assert _names(waiting.take_group(10)) == ["1", "2"]
    assert _names(waiting.take_group(10)) == ["schema"]
    assert _names(waiting.take_group(10)) == ["3"]
    assert not waiting
    with pytest.raises(IndexError):
        waiting.take_group(10)


def test_clients_take_turns_and_what_runs_again_comes_first() -> None:
    waiting = _waiting(
        _statement("a1"), _statement("a2"), _statement("a3"), _statement("b1", client="b")
    )
    waiting.push_again(_statement("again 2"))
    waiting.push_again(_statement("again 1"))
    assert _names(waiting.take_group(4)) == ["again 1", "again 2", "a1", "b1"]
    assert len(waiting) == 2


def test_short_ones_pass_long_ones_which_keep_their_order() -> None:
    alone = _statement("alone")
    alone.alone = True
    waiting = _waiting(
        alone, _statement("1"), _statement("commits", commits=True), _statement("2"),
        _statement("3"),
    )  # fmt: skip
    group, more = waiting.take_short(2)
    assert (_names(group), more) == (["1", "2"], True)
    group, more = waiting.take_short(2)
    assert (_names(group), more) == (["3"], False)
    assert (waiting.take_short(2), len(waiting)) == (([], False), 2)
    assert _names(waiting.take_group(9)) == ["alone"]
    assert _names(waiting.take_group(9)) == ["commits"]


def test_what_has_spent_its_share_is_let_by_again_one_at_a_time() -> None:
    """It may have been short, and the machine busy: that is no reason to wait for hours."""
    spent, longer, longest = _statement("spent"), _statement("longer"), _statement("longest")
    spent.shares, longer.shares, longest.shares = 2, MOST_SHARES, 2 * MOST_SHARES
    waiting = _waiting(longest, spent, longer, _statement("1"))
    group, more = waiting.take_short(9)
    assert (_names(group), more) == (["spent", "1"], True)
    group, more = waiting.take_short(9)
    assert (_names(group), more) == (["longer"], False)
    assert (waiting.take_short(9), len(waiting)) == (([], False), 1)
    # Without anyone who lets by it runs alone, for as long as it takes.
    waiting.push(_statement("2"))
    assert _names(waiting.take_group(9)) == ["longest"]


def test_one_that_waits_can_be_taken_out() -> None:
    first, again = _statement("1"), _statement("again")
    waiting = _waiting(first)
    waiting.push_again(again)
    waiting.remove(again)
    waiting.remove(first)
    assert len(waiting) == 0
