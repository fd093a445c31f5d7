from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from cypherd.batch.columns import Batch, ObjectColumn, TypedColumn
from cypherd.binder.expressions import And, Call, Case, Constant, Or, Variable
from cypherd.errors import (
    CypherArithmeticError,
    CypherTypeError,
    MemoryLimitExceeded,
    ParameterMissing,
    QueryCancelled,
    StatementError,
)
from cypherd.executor.context import Unguarded
from cypherd.executor.evaluator import compile_expression, compile_predicate
from tests.unit.executor.evaluating import (
    bound_expression,
    context_without_store,
    evaluate,
    value_of,
)

BIG = range(1, 1_000_000_001)

VALUES: list[tuple[str, Any]] = [
    ("1 + 2 * 3", 7),
    ("7 / 2", 3),
    ("-7 / 2", -3),
    ("-7 % 3", -1),
    ("2 ^ 3", 8.0),
    ("1 / 2.0", 0.5),
    ("'a' + 1 + 2.5", "a12.5"),
    ("[1] + 2 + [3]", [1, 2, 3]),
    ("1 + null", None),
    ("1 < 2 <= 2 < 3", True),
    ("1 = 1.0", True),
    ("'1' = 1", False),
    ("1 < 'a'", None),
    ("[1, null] = [1, 2]", None),
    ("[1, null] = [2, 2]", False),
    ("{a: null} = {a: 1}", None),
    ("true AND null", None),
    ("false AND null", False),
    ("null AND false", False),
    ("true OR null", True),
    ("null OR false", None),
    ("true XOR null", None),
    ("true XOR false", True),
    ("NOT null", None),
    ("null IS NULL", True),
    ("1 IS NOT NULL", True),
    ("1 IN [2, 1]", True),
    ("1 IN [2, null]", None),
    ("null IN []", False),
    ("null IN [1]", None),
    ("1 IN null", None),
    ("'abc' STARTS WITH 'ab'", True),
    ("'abc' ENDS WITH 'bc'", True),
    ("'abc' CONTAINS null", None),
    ("'abc' =~ 'a.*'", True),
    ("'abc' =~ 'b'", False),
    ("'ABC' =~ '(?i)abc'", True),
    ("[1, 2, 3][-1]", 3),
    ("[1, 2, 3][5]", None),
    ("[1, 2, 3][1..]", [2, 3]),
    ("[1, 2, 3][..-1]", [1, 2]),
    ("[1, 2, 3][null..2]", None),
    ("{a: 1}['a']", 1),
    ("{a: 1}.b", None),
    ("CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END", "b"),
    ("CASE null WHEN null THEN 'a' ELSE 'b' END", "a"),
    ("CASE WHEN false THEN 1 WHEN true THEN 2 ELSE 3 END", 2),
    ("CASE WHEN null THEN 1 END", None),
    ("CASE WHEN true THEN 1 ELSE 1 / 0 END", 1),
    ("coalesce(null, 2, 1 / 0)", 2),
    ("coalesce(null, null)", None),
    ("[x IN [1, 2, 3] WHERE x > 1 | x * 10]", [20, 30]),
    ("[x IN [1, 2] | [y IN [10, 20] | x + y]]", [[11, 21], [12, 22]]),
    ("[x IN null | x]", None),
    ("[x IN []]", []),
    ("all(x IN [] WHERE x)", True),
    ("any(x IN [1, null] WHERE x = 1)", True),
    ("any(x IN [2, null] WHERE x = 1)", None),
    ("all(x IN [1, null] WHERE x = 1)", None),
    ("all(x IN [2, null] WHERE x = 1)", False),
    ("none(x IN [2, null] WHERE x = 1)", None),
    ("none(x IN [2, 3] WHERE x = 1)", True),
    ("single(x IN [1, 2] WHERE x = 1)", True),
    ("single(x IN [1, 1, null] WHERE x = 1)", False),
    ("single(x IN [1, null] WHERE x = 1)", None),
    ("reduce(s = 0, x IN [1, 2, 3] | s + x)", 6),
    ("reduce(s = '', x IN [] | s + x)", ""),
    ("reduce(s = 0, x IN null | s + x)", None),
    ("timestamp()", 1_234_500),
]

RANGES: list[tuple[str, Any]] = [
    ("range(1, 5)", [1, 2, 3, 4, 5]),
    ("range(5, 1, -2)", [5, 3, 1]),
    ("range(1, 0)", []),
    ("size(range(1, 1000000000))", 1_000_000_000),
    ("range(1, 1000000000)[999]", 1000),
    ("range(1, 1000000000)[-1]", 1_000_000_000),
    ("range(1, 1000000000)[2..4]", [3, 4]),
    ("head(tail(range(1, 1000000000)))", 2),
    ("last(range(1, 1000000000))", 1_000_000_000),
    ("head(reverse(range(1, 1000000000)))", 1_000_000_000),
    ("7.0 IN range(1, 1000000000)", True),
    ("7.5 IN range(1, 1000000000)", False),
    ("true IN range(0, 3)", False),
    ("null IN range(0, 3)", None),
    ("range(1, 1000000000) = range(1, 1000000000)", True),
    ("range(1, 3) = [1, 2, 3]", True),
    ("range(1, 3) = [1, null, 3]", None),
    ("range(1, 3) < [1, 2, 4]", True),
    ("range(1, 2) + 3", [1, 2, 3]),
    ("any(x IN range(1, 1000000000) WHERE x = 5)", True),
    ("all(x IN range(1, 1000000000) WHERE x < 5)", False),
    ("isEmpty(range(1, 0))", True),
    ("[x IN range(1, 3) | x * x]", [1, 4, 9]),
]

ERRORS: list[tuple[str, dict[str, Any], type[StatementError], str | None]] = [
    ("1 / $p", {"p": 0}, CypherArithmeticError, None),
    ("9223372036854775807 + $p", {"p": 1}, CypherArithmeticError, None),
    ("$p + 1", {"p": True}, CypherTypeError, "InvalidArgumentType"),
    ("$p.x", {"p": 1}, CypherTypeError, "InvalidArgumentType"),
    ("$p[0]", {"p": 100}, CypherTypeError, "InvalidArgumentType"),
    ("$p[0]", {"p": {"a": 1}}, CypherTypeError, "MapElementAccessByNonString"),
    ("$p['a']", {"p": [1]}, CypherTypeError, "ListElementAccessByNonInteger"),
    ("1 IN $p", {"p": 1}, CypherTypeError, "InvalidArgumentType"),
    ("NOT $p", {"p": 1}, CypherTypeError, "InvalidArgumentType"),
    ("true AND $p", {"p": "x"}, CypherTypeError, "InvalidArgumentType"),
    ("[x IN $p | x]", {"p": 1}, CypherTypeError, "InvalidArgumentType"),
    ("toInteger($p)", {"p": []}, CypherTypeError, "InvalidArgumentValue"),
    ("$missing", {}, ParameterMissing, None),
]


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, range) else value


@pytest.mark.parametrize("typed", [True, False], ids=["typed", "general"])
@pytest.mark.parametrize(("text", "expected"), VALUES + RANGES, ids=lambda v: str(v)[:40])
def test_value(text: str, expected: Any, typed: bool) -> None:
    found = plain(value_of(text, typed=typed))
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("typed", [True, False], ids=["typed", "general"])
@pytest.mark.parametrize(
    ("text", "parameters", "kind", "detail"), ERRORS, ids=[e[0] + str(e[1]) for e in ERRORS]
)
def test_errors_say_where(
    text: str,
    parameters: dict[str, Any],
    kind: type[StatementError],
    detail: str | None,
    typed: bool,
) -> None:
    with pytest.raises(kind) as raised:
        value_of(text, parameters, typed=typed)
    assert raised.value.detail == detail
    assert raised.value.offset is not None
    assert raised.value.offset >= len("RETURN ")


def test_nan_is_equal_to_nothing() -> None:
    assert value_of("0.0 / 0.0 = 0.0 / 0.0") is False
    assert value_of("0.0 / 0.0 <> 0.0 / 0.0") is True
    assert value_of("0.0 / 0.0 > 1") is False
    assert math.isnan(value_of("0.0 / 0.0"))


X = Variable("x")
INVERSE = Call("/", (Constant(12), X))
NOT_ZERO = Call("<>", (X, Constant(0)))


def numbers(*values: Any) -> Batch:
    return Batch(len(values), {"x": ObjectColumn(list(values))})


def test_and_stops_at_the_first_false_operand_row_by_row() -> None:
    both = And((NOT_ZERO, Call(">", (INVERSE, Constant(3)))))
    batch = numbers(0, 2, 6, None)
    assert evaluate(both, batch).to_list() == [False, True, False, None]
    assert compile_predicate(both)(batch, context_without_store()).tolist() == [1]


def test_or_stops_at_the_first_true_operand_row_by_row() -> None:
    either = Or((Call("=", (X, Constant(0))), Call(">", (INVERSE, Constant(3)))))
    assert evaluate(either, numbers(0, 2, 6, None)).to_list() == [True, True, False, None]


def test_case_and_coalesce_evaluate_the_chosen_branch_only() -> None:
    case = Case(None, (NOT_ZERO,), (INVERSE,), Constant("none"))
    assert evaluate(case, numbers(0, 4, None)).to_list() == ["none", 3, "none"]
    first = Call("coalesce", (Variable("y"), INVERSE))
    batch = Batch(2, {"x": ObjectColumn([0, 3]), "y": ObjectColumn(["there", None])})
    assert evaluate(first, batch).to_list() == ["there", 4]


def test_comprehension_reads_the_columns_of_its_row() -> None:
    expression = bound_expression("[x IN [1, 2, 3] WHERE x <> $p | x]")
    assert evaluate(expression, numbers(0, 0), {"p": 2}).to_list() == [[1, 3], [1, 3]]


def test_predicate_takes_true_rows_only() -> None:
    column = TypedColumn(np.array([True, False, True]), np.array([True, True, False]))
    rows = compile_predicate(X)(Batch(3, {"x": column}), context_without_store())
    assert rows.tolist() == [0]


def test_long_constant_lists_are_hashed_with_the_same_answers() -> None:
    values = [1, 2, "a", 4, 5, 6, 7, 8, 9]
    membership = Call("in", (X, Constant(values)))
    batch = numbers(1.0, True, "a", None, [1], 3, math.nan)
    expected = [True, False, True, None, False, False, False]
    assert evaluate(membership, batch).to_list() == expected
    assert evaluate(membership, batch, typed=False).to_list() == expected


class Stopping(Unguarded):
    """Cancels at the tenth check, or past a megabyte."""

    def __init__(self) -> None:
        self.checks = 0
        self.held = 0

    def check(self) -> None:
        self.checks += 1
        if self.checks == 10:
            raise QueryCancelled("stopped")

    def hold(self, nbytes: int) -> None:
        self.held += nbytes
        if self.held > 1_000_000:
            raise MemoryLimitExceeded("too much")

    def release(self, nbytes: int) -> None:
        self.held -= nbytes


@pytest.mark.parametrize(
    "text",
    [
        "all(x IN range(1, 1000000000) WHERE x > 0)",
        "reduce(s = 0, x IN range(1, 1000000000) | s + x)",
        "[x IN range(1, 1000000000) WHERE x < 0]",
    ],
)
def test_the_guard_stops_long_evaluations(text: str) -> None:
    with pytest.raises(QueryCancelled):
        compile_expression(bound_expression(text))(
            numbers(1), context_without_store({}, Stopping())
        )


def test_memory_of_comprehensions_is_accounted_and_given_back() -> None:
    guard = Stopping()
    guard.checks = 100
    evaluate_it = compile_expression(bound_expression("[x IN range(1, $n) | x]"))
    evaluate_it(numbers(1), context_without_store({"n": 1000}, guard))
    assert guard.held == 0
    with pytest.raises(MemoryLimitExceeded):
        evaluate_it(numbers(1), context_without_store({"n": 1_000_000_000}, guard))
    assert guard.held == 0


def test_a_long_range_is_not_unfolded_but_refused() -> None:
    with pytest.raises(MemoryLimitExceeded):
        value_of("range(1, 1000000000) + [1]")
    assert value_of("range(1, 1000000000)") == BIG
