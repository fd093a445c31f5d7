"""The typed paths give what the general one gives: values, nulls, and errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.batch.columns import Batch, Column, IdColumn, ObjectColumn, TypedColumn
from cypherd.binder.expressions import And, BoundExpression, Call, IsNull, Not, Or, Variable, Xor
from cypherd.errors import CypherdError
from cypherd.executor.evaluator import compile_predicate
from cypherd.executor.expressions.kernels import typed_binary
from tests.unit.executor.evaluating import context_without_store, evaluate

ROWS = 20
MIN, MAX = -(1 << 63), (1 << 63) - 1
OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^")

integers = st.one_of(
    st.integers(-5, 5),
    st.integers(MIN, MAX),
    st.sampled_from([MIN, MAX, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, 1 << 31]),
)
floats = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, float(1 << 53), 2.0**63]),
)
booleans = st.booleans()
texts = st.text("ab", max_size=2)


def objects(kind: st.SearchStrategy[Any]) -> st.SearchStrategy[Column]:
    values = st.lists(st.one_of(st.none(), kind), min_size=ROWS, max_size=ROWS)
    return values.map(ObjectColumn)


def arrays(kind: st.SearchStrategy[Any], dtype: type) -> st.SearchStrategy[Column]:
    values = st.lists(kind, min_size=ROWS, max_size=ROWS)
    masks = st.one_of(st.none(), st.lists(booleans, min_size=ROWS, max_size=ROWS))
    return st.builds(
        lambda v, m: TypedColumn(np.array(v, dtype=dtype), None if m is None else np.array(m)),
        values,
        masks,
    )


ids = st.lists(st.integers(-1, 3), min_size=ROWS, max_size=ROWS)
id_columns = st.builds(
    lambda kind, values: IdColumn(kind, np.array(values, dtype=np.int64)),
    st.sampled_from(["node", "relationship"]),
    ids,
)
columns = st.one_of(
    arrays(integers, np.int64),
    arrays(st.integers(-9, 9), np.int64),
    arrays(floats, np.float64),
    arrays(booleans, np.bool_),
    objects(integers),
    objects(floats),
    objects(texts),
    objects(st.one_of(integers, floats, texts, booleans)),
    id_columns,
)
truths = st.one_of(arrays(booleans, np.bool_), objects(booleans))

X, Y, Z = Variable("x"), Variable("y"), Variable("z")


def outcome(expression: BoundExpression, batch: Batch, typed: bool) -> Any:
    """Values in a form that tells 1 from 1.0 and has NaN equal to itself, or the error."""
    try:
        values = evaluate(expression, batch, typed=typed).to_list()
    except CypherdError as error:
        return type(error), error.message
    return [(type(value), repr(value)) for value in values]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(OPERATORS), columns, columns)
def test_operators(name: str, x: Column, y: Column) -> None:
    batch = Batch(ROWS, {"x": x, "y": y})
    expression = Call(name, (X, Y))
    assert outcome(expression, batch, True) == outcome(expression, batch, False)


@settings(max_examples=150, deadline=None)
@given(truths, truths, truths)
def test_logic(x: Column, y: Column, z: Column) -> None:
    batch = Batch(ROWS, {"x": x, "y": y, "z": z})
    for expression in (And((X, Y, Z)), Or((X, Y, Z)), Xor(X, Y), Not(X), IsNull(X, True)):
        typed = evaluate(expression, batch).to_list()
        assert typed == evaluate(expression, batch, typed=False).to_list()
        true_rows = [row for row, value in enumerate(typed) if value is True]
        rows = compile_predicate(expression)(batch, context_without_store())
        assert rows.tolist() == true_rows


TERNARY: dict[str, Callable[[Any, Any], bool | None]] = {
    "and": lambda a, b: False if False in (a, b) else None if None in (a, b) else True,
    "or": lambda a, b: True if True in (a, b) else None if None in (a, b) else False,
    "xor": lambda a, b: None if None in (a, b) else a != b,
}
EXPRESSIONS: dict[str, BoundExpression] = {"and": And((X, Y)), "or": Or((X, Y)), "xor": Xor(X, Y)}


@pytest.mark.parametrize("name", ["and", "or", "xor"])
def test_truth_tables(name: str) -> None:
    pairs = [(a, b) for a in (True, False, None) for b in (True, False, None)]
    batch = Batch(
        len(pairs),
        {"x": ObjectColumn([a for a, _ in pairs]), "y": ObjectColumn([b for _, b in pairs])},
    )
    expected = [TERNARY[name](a, b) for a, b in pairs]
    assert evaluate(EXPRESSIONS[name], batch).to_list() == expected


EXACT = [
    pytest.param("=", [(1 << 53) + 1], [float(1 << 53)], [False], id="integer beyond 2^53"),
    pytest.param("<", [1 << 53], [float(1 << 53)], [False], id="2^53 itself"),
    pytest.param("+", [MAX - 1], [1], [MAX], id="largest sum"),
    pytest.param("-", [MIN + 1], [1], [MIN], id="least difference"),
    pytest.param("/", [-7], [2], [-3], id="division toward zero"),
    pytest.param("%", [-7], [2], [-1], id="remainder with the sign of the left"),
    pytest.param("/", [1], [0.0], [math.inf], id="float division by zero"),
]


@pytest.mark.parametrize(("name", "left", "right", "expected"), EXACT)
def test_exact(name: str, left: list[Any], right: list[Any], expected: list[Any]) -> None:
    batch = Batch(
        ROWS,
        {"x": TypedColumn(np.array(left * ROWS)), "y": TypedColumn(np.array(right * ROWS))},
    )
    assert evaluate(Call(name, (X, Y)), batch).to_list() == expected * ROWS


def test_the_kernels_are_used_for_arrays() -> None:
    whole = TypedColumn(np.arange(ROWS))
    assert isinstance(typed_binary("+", whole, whole), TypedColumn)
    assert isinstance(typed_binary("<", whole, ObjectColumn([1, None] * 10)), TypedColumn)
    node = IdColumn("node", np.arange(ROWS))
    assert isinstance(typed_binary("=", node, node), TypedColumn)
    assert typed_binary("/", whole, whole) is None  # one divisor is zero
