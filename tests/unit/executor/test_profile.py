"""Own times and counted store hits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cypherd.binder.expressions import Constant
from cypherd.executor.context import OperatorProfile
from cypherd.executor.correlation import first_row_pays, one_row_at_a_time, writes
from cypherd.executor.mapper import MAPPERS
from cypherd.executor.profile import counting, own_times
from cypherd.planner.logical import operators as logical
from cypherd.storage.protocols import Expansion, SeekRows


def test_every_logical_operator_has_a_mapper() -> None:
    abstract = {logical.LogicalOperator, logical.LogicalUnary, logical.LogicalBinary}
    kinds = {
        kind
        for kind in vars(logical).values()
        if isinstance(kind, type) and issubclass(kind, logical.LogicalOperator)
    }
    assert set(MAPPERS) == kinds - abstract


def test_own_times_of_operators_used_twice() -> None:
    argument = logical.LogicalArgument()
    scan = logical.LogicalAllNodesScan(source=argument, variable="n")
    root = logical.LogicalApply(source=argument, inner=scan, variables=("n",))
    profile = {
        0: OperatorProfile(1, 10.0),
        1: OperatorProfile(1, 2.0),
        2: OperatorProfile(1, 5.0),
        3: OperatorProfile(1, 1.0),
    }
    own = own_times(root, profile)
    assert [own[number].seconds for number in range(4)] == [3.0, 2.0, 4.0, 1.0]


class _Transaction:
    schema = object()

    def scan(self) -> Any:
        yield np.arange(3)
        yield np.arange(2)

    def expand(self, nodes: Any, direction: str, types: Any, size: int) -> Any:
        """Node number 1 has none, number 2 comes in two pieces."""
        for row in ([0, 2, 2], [2, 3]):
            ids = np.array(row)
            yield Expansion(ids, ids, ids)

    def index_seek(self, index: Any, values: Any) -> Any:
        return SeekRows(np.arange(1), np.arange(1))

    def index_range(self, index: Any, low: Any) -> Any:
        return iter(())

    def node_properties(self, nodes: Any, keys: list[int]) -> list[list[Any]]:
        return [[None] * len(nodes)] * len(keys)


def test_hits_are_rows_asked_for_or_given() -> None:
    profile = OperatorProfile()
    proxy: Any = counting(_Transaction(), profile)  # type: ignore[arg-type]
    list(proxy.scan())
    assert profile.store_hits == 5
    proxy.node_properties(np.arange(4), [1, 2])
    assert profile.store_hits == 9
    other = OperatorProfile()
    again: Any = counting(proxy, other)
    list(again.scan())
    assert (profile.store_hits, other.store_hits) == (9, 5)


def test_a_look_that_finds_nothing_is_a_hit() -> None:
    def hits(name: str, *arguments: Any) -> int:
        profile = OperatorProfile()
        answer = getattr(counting(_Transaction(), profile), name)(*arguments)  # type: ignore[arg-type]
        if not isinstance(answer, SeekRows):
            list(answer)
        return profile.store_hits

    assert hits("expand", np.arange(6), "out", None, 3) == 5 + 3
    assert hits("index_seek", object(), [(1,), (2,), (3,)]) == 3
    assert hits("index_range", object(), [1, 2]) == 1


_ARGUMENT = logical.LogicalArgument()
_SCAN = logical.LogicalAllNodesScan(source=_ARGUMENT, variable="n")


@pytest.mark.parametrize(
    ("plan", "one_row", "early", "written"),
    [
        pytest.param(_ARGUMENT, False, False, 0, id="argument"),
        pytest.param(_SCAN, False, True, 0, id="scan"),
        pytest.param(
            logical.LogicalDistinct(source=_SCAN, variables=("n",)), True, True, 0, id="distinct"
        ),
        pytest.param(
            logical.LogicalCartesianProduct(left=_ARGUMENT, right=_SCAN), True, True, 0, id="sides"
        ),
        pytest.param(
            logical.LogicalSemiApply(
                source=_ARGUMENT,
                inner=logical.LogicalDistinct(source=_SCAN, variables=("n",)),
                negated=False,
            ),
            False,
            False,
            0,
            id="what an inner plan does is its owner's matter",
        ),
        pytest.param(
            logical.LogicalForeach(
                source=_ARGUMENT,
                variable="x",
                expression=Constant([1]),
                inner=logical.LogicalSet(source=_ARGUMENT, items=()),
            ),
            False,
            False,
            1,
            id="writes in an inner plan",
        ),
    ],
)
def test_correlation(
    plan: logical.LogicalOperator, one_row: bool, early: bool, written: int
) -> None:
    assert one_row_at_a_time(plan) is one_row
    assert first_row_pays(plan) is early
    assert writes(plan) == written
