"""The front's plan cache."""

from __future__ import annotations

import pytest

from cypherd.queries.jobs import Planned
from cypherd.queries.plans import PlanCache


def planned(version: int = 1, *, inline: bool = True) -> Planned:
    return Planned("read", inline, version, b"")


def test_the_plans_used_last_stay() -> None:
    cache = PlanCache(2)
    cache.put("a", planned())
    cache.put("b", planned())
    cache.get("a")
    cache.put("c", planned())
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert len(cache) == 2


@pytest.mark.parametrize(("first", "second", "kept"), [(1, 2, 2), (2, 1, 2), (2, 2, 2)], ids=str)
def test_a_newer_schema_s_plan_stays(first: int, second: int, kept: int) -> None:
    cache = PlanCache(2)
    cache.put("a", planned(first))
    cache.put("a", planned(second))
    known = cache.get("a")
    assert known is not None
    assert known.planned.schema_version == kept


def test_a_plan_that_spends_the_budget_again_and_again_is_not_tried_for_a_while() -> None:
    known = PlanCache(1).put("a", planned())
    for _ in range(2):
        known.spent()
        assert known.may_inline()
    known.spent()
    assert not known.may_inline()


def test_one_that_fits_in_between_goes_on() -> None:
    known = PlanCache(1).put("a", planned())
    for _ in range(10):
        known.spent()
        known.spent()
        known.fitted()
    assert known.may_inline()


def test_an_unbounded_plan_never_runs_inline() -> None:
    assert not PlanCache(1).put("a", planned(inline=False)).may_inline()
