"""Each rule by itself: before and after, and the same object where nothing changes."""

from __future__ import annotations

import pytest

from cypherd.binder.expressions import (
    And,
    BoundExpression,
    Call,
    Constant,
    HasLabels,
    Not,
    Property,
    Variable,
)
from cypherd.binder.traversal import walk as parts
from cypherd.parser.parser import parse
from cypherd.planner.context import PlanContext
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.expressions import expressions
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import walk
from cypherd.planner.planner import plan_statement
from cypherd.planner.rules import RULES, Rule
from cypherd.planner.rules.count_from_store import count_from_store
from cypherd.planner.rules.fold_constants import fold, fold_constants
from cypherd.planner.rules.merge_filters import merge_filters
from cypherd.planner.rules.prune_unused import prune_unused
from cypherd.planner.rules.push_down_filters import push_down_filters
from cypherd.planner.rules.read_after_limit import read_after_limit
from cypherd.planner.rules.split_conjunctions import split_conjunctions
from cypherd.planner.rules.use_top_for_sorted_limit import use_top_for_sorted_limit
from cypherd.storage.protocols import ReadTransaction
from cypherd.values.types import CypherType as T


def integer(value: int) -> Constant:
    return Constant(value, type=T.INTEGER)


def boolean(value: bool) -> Constant:
    return Constant(value, type=T.BOOLEAN)


def number_of(operator: str, left: int, right: int) -> BoundExpression:
    return Call(operator, (integer(left), integer(right)), type=T.INTEGER)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (number_of("+", 2, 3), integer(5)),
        (number_of("*", 2, -3), integer(-6)),
        (Not(boolean(True), type=T.BOOLEAN), boolean(False)),
        (And((boolean(True), boolean(False)), type=T.BOOLEAN), boolean(False)),
    ],
)
def test_fold(before: BoundExpression, after: BoundExpression) -> None:
    assert fold(before) == after


@pytest.mark.parametrize(
    "expression",
    [number_of("/", 1, 0), number_of("+", 2**63 - 1, 1), number_of("*", 2**62, 4)],
)
def test_what_may_fail_is_not_folded(expression: BoundExpression) -> None:
    assert fold(expression) is expression


def rewritten(query: str, transaction: ReadTransaction, *rules: Rule) -> list[str]:
    """The operators of a plan made with these rules only, the result first."""
    plan = plan_statement(query, parse(query), transaction, rules=rules)
    return [type(operator).__name__.removeprefix("Logical") for operator in walk(plan.root)]


REWRITES = [
    (
        fold_constants,
        "MATCH (n:City) WHERE true OR n.x = 1 RETURN n",
        ["ProduceResults", "NodeByLabelScan", "Argument"],
    ),
    (
        split_conjunctions,
        "WITH 1 AS a, 2 AS b WHERE a = 1 AND b = 2 RETURN a",
        ["ProduceResults", "Project", "Filter", "Filter", "Project", "Argument"],
    ),
    (
        merge_filters,
        "MATCH (n) WHERE n.x = 1 AND n.y = 2 RETURN n",
        ["ProduceResults", "Filter", "AllNodesScan", "Argument"],
    ),
    (
        push_down_filters,
        "MATCH (n:City) WITH n, n.name AS name WHERE n.x = 1 RETURN name",
        ["ProduceResults", "Project", "Project", "Filter", "NodeByLabelScan", "Argument"],
    ),
    (
        push_down_filters,
        "MATCH (n:City) WITH n ORDER BY n.x LIMIT 3 WHERE n.x = 1 RETURN n",
        ["ProduceResults", "Filter", "Limit", "Sort", "NodeByLabelScan", "Argument"],
    ),
    (
        use_top_for_sorted_limit,
        "MATCH (n:City) RETURN n ORDER BY n.x SKIP 2 LIMIT 3",
        ["ProduceResults", "Skip", "Top", "NodeByLabelScan", "Argument"],
    ),
    (
        use_top_for_sorted_limit,
        "MATCH (n:City) RETURN n ORDER BY n.x LIMIT $n",
        ["ProduceResults", "Top", "NodeByLabelScan", "Argument"],
    ),
    (
        count_from_store,
        "MATCH (n:City) RETURN count(n)",
        ["ProduceResults", "NodeCount", "Argument"],
    ),
    (
        count_from_store,
        "MATCH ()-[r:IN]->() RETURN count(*)",
        ["ProduceResults", "RelationshipCount", "Argument"],
    ),
    (
        count_from_store,
        "MATCH (n:City) RETURN count(DISTINCT n)",
        ["ProduceResults", "EagerAggregation", "NodeByLabelScan", "Argument"],
    ),
    (
        count_from_store,
        "UNWIND [1, 2] AS x MATCH (n:City) RETURN count(n)",
        [
            *("ProduceResults", "EagerAggregation", "CartesianProduct"),
            *("Unwind", "Argument", "NodeByLabelScan", "Argument"),
        ],
    ),
    (
        read_after_limit,
        "MATCH (n:City) RETURN n.name LIMIT 3",
        ["ProduceResults", "Project", "Limit", "NodeByLabelScan", "Argument"],
    ),
    (
        read_after_limit,
        "MATCH (n:City) RETURN 1 / n.x LIMIT 3",
        ["ProduceResults", "Limit", "Project", "NodeByLabelScan", "Argument"],
    ),
    (
        prune_unused,
        "MATCH p = (n:City) RETURN n",
        ["ProduceResults", "Project", "NodeByLabelScan", "Argument"],
    ),
]


@pytest.mark.parametrize(("rule", "query", "expected"), REWRITES)
def test_rule(rule: Rule, query: str, expected: list[str], sample: ReadTransaction) -> None:
    assert rewritten(query, sample, rule) == expected


def test_what_only_the_result_needs_is_read_after_a_top(sample: ReadTransaction) -> None:
    query = "MATCH (n:City) RETURN n.name ORDER BY n.x LIMIT 3"
    before = rewritten(query, sample, use_top_for_sorted_limit)
    assert before == [
        "ProduceResults", "Project", "Top", "Extend", "NodeByLabelScan", "Argument"
    ]  # fmt: skip
    after = rewritten(query, sample, use_top_for_sorted_limit, read_after_limit)
    assert after == [
        "ProduceResults", "Project", "Extend", "Top", "NodeByLabelScan", "Argument"
    ]  # fmt: skip


def test_top_takes_skip_and_limit(sample: ReadTransaction) -> None:
    query = "MATCH (n:City) RETURN n ORDER BY n.x SKIP 2 LIMIT 3"
    plan = plan_statement(query, parse(query), sample)
    (top,) = [o for o in walk(plan.root) if isinstance(o, ops.LogicalTop)]
    assert top.limit == integer(5)


def scan() -> LogicalOperator:
    return ops.LogicalAllNodesScan(source=ops.LogicalArgument(), variable="n")


@pytest.mark.parametrize("rule", RULES)
def test_the_same_object_where_nothing_changes(rule: Rule, sample: ReadTransaction) -> None:
    context = PlanContext(sample.schema, sample.counts, {})
    key = Property(Variable("n", type=T.NODE), "x")
    predicate = Call("=", (key, integer(1)), type=T.BOOLEAN)
    filtered = ops.LogicalFilter(source=scan(), predicate=predicate)
    plan = ops.LogicalProduceResults(source=filtered, columns=(("n", "n"),))
    assert rule(plan, context) is plan


def _marks(query: str, transaction: ReadTransaction) -> list[tuple[str, ...]]:
    """What is read with others: the key of a property or the label, and the keys taken along."""
    plan = plan_statement(query, parse(query), transaction)
    found: list[tuple[str, ...]] = []
    for operator in reversed(list(walk(plan.root))):
        for expression in expressions(operator):
            for part in parts(expression):
                if isinstance(part, Property | HasLabels) and part.together:
                    name = part.key if isinstance(part, Property) else part.labels[0]
                    found.append((name, *part.together))
    return found


@pytest.mark.parametrize(
    ("query", "marks"),
    [
        (
            "MATCH (n) WHERE n.a = 1 AND n.b = 2 RETURN n.c AS c",
            [("a", "a", "b", "c"), ("b", "a", "b", "c"), ("c", "c")],
        ),
        ("MATCH (n) WHERE n.a > 1 AND n.a <> 5 RETURN 1 AS x", [("a", "a"), ("a", "a")]),
        ("MATCH (n) RETURN n.a AS a, n.b AS b", []),
        ("MATCH (n) WHERE n.a = 1 RETURN n AS n", []),
        (
            "MATCH (:City)-->(n:Person) WHERE n.a = 1 RETURN n.b AS b",
            [("Person", "a", "b"), ("a", "a", "b"), ("b", "b")],
        ),
        (
            "MATCH (n) WHERE n.a = 1 RETURN n.b AS b, count(*) AS c",
            [("a", "a", "b"), ("b", "b")],
        ),
        ("MATCH (n) WHERE n.a = 1 WITH DISTINCT n RETURN n.b AS b", []),
        ("MATCH (n) WHERE n.a = 1 AND n.b = 2 SET n.c = n.a", []),
    ],
)
def test_read_together(query: str, marks: list[tuple[str, ...]], sample: ReadTransaction) -> None:
    assert _marks(query, sample) == marks
