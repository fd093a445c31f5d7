from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.batch.columns import Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.errors import ArgumentError, CypherArithmeticError, CypherTypeError
from cypherd.functions.aggregates import make_aggregator
from cypherd.values.arithmetic import MAX_INTEGER
from cypherd.values.graph import NodeRef


def aggregate(name: str, *columns: Column, distinct: bool = False) -> Any:
    """The aggregate of all rows in one group."""
    state = make_aggregator(name, distinct)
    state.add(np.zeros(len(columns[0]), dtype=np.int64), 1, columns)
    return state.results(1).to_list()[0]


def of(name: str, values: list[Any], distinct: bool = False) -> Any:
    return aggregate(name, ObjectColumn(values), distinct=distinct)


RESULTS: list[tuple[str, str, list[Any], bool, Any]] = [
    ("count", "count", [1, None, "a"], False, 2),
    ("distinct count", "count", [1, 1.0, True, None, "1", math.nan, math.nan], True, 4),
    ("rows", "count(*)", [None, None], False, 2),
    ("sum of integers", "sum", [1, 2, None], False, 3),
    ("sum of a mixture", "sum", [1, 0.5], False, 1.5),
    ("sum of none", "sum", [None], False, 0),
    ("sum that passes 64 bits on its way", "sum", [MAX_INTEGER, 1, -1], False, MAX_INTEGER),
    ("distinct sum", "sum", [2, 2, 3], True, 5),
    ("average", "avg", [1, 2, None], False, 1.5),
    ("average of none", "avg", [], False, None),
    ("average beyond 64 bits", "avg", [MAX_INTEGER, MAX_INTEGER], False, float(MAX_INTEGER)),
    ("least of a mixture", "min", [1, "a", None, [1, 2], 0.2, "b"], False, [1, 2]),
    ("greatest of a mixture", "max", [1, "a", None, [1, 2], 0.2, "b"], False, 1),
    ("least of none", "min", [None], False, None),
    ("greatest and NaN", "max", [1.0, math.inf, None], False, math.inf),
    ("collect", "collect", [1, None, "a"], False, [1, "a"]),
    ("collect none", "collect", [], False, []),
    ("distinct collect", "collect", [[1], [1.0], None, {"a": 1}], True, [[1], {"a": 1}]),
    ("sample deviation", "stdev", [2, 4, 4, 4, 5, 5, 7, 9], False, 2.138089935299395),
    ("population deviation", "stdevp", [2, 4, 4, 4, 5, 5, 7, 9], False, 2.0),
    ("deviation of one", "stdev", [3], False, 0.0),
    ("deviation of none", "stdevp", [], False, 0.0),
]


@pytest.mark.parametrize(
    ("name", "values", "distinct", "expected"),
    [r[1:] for r in RESULTS],
    ids=[r[0] for r in RESULTS],
)
def test_result(name: str, values: list[Any], distinct: bool, expected: Any) -> None:
    found = of(name, values, distinct)
    assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)
    assert type(found) is type(expected)


def test_nan_is_the_greatest_number() -> None:
    assert math.isnan(of("max", [1.0, math.nan, 2.0]))
    assert math.isnan(aggregate("max", TypedColumn(np.array([1.0, math.nan, 2.0]))))
    assert of("min", [math.nan, 2.0]) == 2.0


PERCENTILES = [
    ("percentilecont", 0.0, 10.0),
    ("percentilecont", 0.5, 20.0),
    ("percentilecont", 0.25, 15.0),
    ("percentilecont", 1.0, 30.0),
    ("percentiledisc", 0.0, 10),
    ("percentiledisc", 0.5, 20),
    ("percentiledisc", 0.34, 20),
    ("percentiledisc", 1, 30),
]


@pytest.mark.parametrize(("name", "percentile", "expected"), PERCENTILES)
def test_percentile(name: str, percentile: float, expected: Any) -> None:
    values = [30, 10, None, 20]
    found = aggregate(name, ObjectColumn(values), ObjectColumn([percentile] * 4))
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("percentile", [1000, -1, 1.1, math.nan])
def test_percentile_out_of_range(percentile: float) -> None:
    for name in ("percentilecont", "percentiledisc"):
        with pytest.raises(ArgumentError) as raised:
            aggregate(name, ObjectColumn([1]), ObjectColumn([percentile]))
        assert raised.value.detail == "NumberOutOfRange"


def test_sum_overflow() -> None:
    with pytest.raises(CypherArithmeticError, match="integer overflow"):
        of("sum", [MAX_INTEGER, 1])
    with pytest.raises(CypherArithmeticError, match="integer overflow"):
        aggregate("sum", TypedColumn(np.array([MAX_INTEGER, 1])))


@pytest.mark.parametrize("name", ["sum", "avg", "stdev"])
def test_numbers_are_needed(name: str) -> None:
    for value in ("a", True, [1]):
        with pytest.raises(CypherTypeError):
            of(name, [value])
    with pytest.raises(CypherTypeError):
        aggregate(name, TypedColumn(np.array([True])))


NAMES = ("count(*)", "count", "sum", "avg", "min", "max", "collect", "stdev", "stdevp")


@pytest.mark.parametrize("name", NAMES)
def test_a_group_without_rows(name: str) -> None:
    empty = make_aggregator(name, distinct=False).results(1).to_list()
    defaults = {"count(*)": 0, "count": 0, "sum": 0, "collect": [], "stdev": 0.0, "stdevp": 0.0}
    assert empty == [defaults.get(name)]


def test_ids_are_counted_and_collected() -> None:
    nodes = IdColumn("node", np.array([3, -1, 3]))
    assert aggregate("count", nodes) == 2
    assert aggregate("count", nodes, distinct=True) == 1
    assert aggregate("collect", nodes) == [NodeRef(3), NodeRef(3)]


def test_kept_values_are_accounted() -> None:
    for name, distinct in (("collect", False), ("count", True), ("min", False)):
        state = make_aggregator(name, distinct)
        before = state.nbytes()
        column = ObjectColumn(["x" * 100 + str(i) for i in range(50)])
        state.add(np.arange(50), 50, [column])
        assert state.nbytes() - before >= 50 * 50


numbers = {
    "int64": (np.int64, st.one_of(st.integers(-9, 9), st.integers(-(1 << 63), MAX_INTEGER))),
    "float64": (
        np.float64,
        st.one_of(
            st.sampled_from([0.0, -0.0, math.nan, math.inf, -1.5]),
            st.floats(allow_nan=True, allow_infinity=True),
        ),
    ),
}


@pytest.mark.parametrize("name", ["count(*)", "count", "sum", "avg", "min", "max"])
@pytest.mark.parametrize("kind", numbers)
def test_arrays_give_what_lists_give(kind: str, name: str) -> None:
    dtype, elements = numbers[kind]
    row = st.tuples(elements, st.booleans(), st.integers(0, 2))

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.lists(row, max_size=8), max_size=3))
    def check(batches: list[list[tuple[Any, bool, int]]]) -> None:
        typed, general = make_aggregator(name, False), make_aggregator(name, False)
        for rows in batches:
            values = np.array([value for value, _, _ in rows], dtype=dtype)
            column = TypedColumn(values, np.array([ok for _, ok, _ in rows], dtype=np.bool_))
            groups = np.array([group for _, _, group in rows], dtype=np.int64)
            typed.add(groups, 3, [column])
            general.add(groups, 3, [ObjectColumn(column.to_list())])
        assert outcome(typed) == outcome(general)

    check()


def outcome(state: Any) -> Any:
    try:
        return [repr(value) for value in state.results(3).to_list()]
    except CypherArithmeticError as error:
        return error.message
