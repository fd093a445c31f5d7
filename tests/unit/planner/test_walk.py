"""Numbers of operators, children, and copies."""

from __future__ import annotations

from cypherd.binder.expressions import Constant
from cypherd.planner.logical import operators as ops
from cypherd.planner.logical.walk import (
    children,
    inner_plan,
    number_operators,
    sources,
    transform,
    walk,
    with_children,
)

LEFT = ops.LogicalAllNodesScan(source=ops.LogicalArgument(), variable="a")
RIGHT = ops.LogicalNodeByLabelScan(source=ops.LogicalArgument(), variable="b", label="B")
PRODUCT = ops.LogicalCartesianProduct(left=LEFT, right=RIGHT)
INNER = ops.LogicalExpand(
    source=ops.LogicalArgument(variables=("a", "b")),
    start="a",
    relationship="r",
    end="c",
    direction="out",
    types=(),
)
SEMI = ops.LogicalSemiApply(source=PRODUCT, inner=INNER, negated=False)
PLAN = ops.LogicalLimit(source=SEMI, count=Constant(1))


def test_numbers_follow_source_left_right_inner() -> None:
    names = [type(operator).__name__.removeprefix("Logical") for operator in walk(PLAN)]
    assert names == [
        "Limit",
        "SemiApply",
        "CartesianProduct",
        "AllNodesScan",
        "Argument",
        "NodeByLabelScan",
        "Argument",
        "Expand",
        "Argument",
    ]
    assert number_operators(PLAN)[7] is INNER


def test_inner_plans_are_no_sources() -> None:
    assert children(SEMI) == (PRODUCT, INNER)
    assert sources(SEMI) == (PRODUCT,)
    assert inner_plan(SEMI) is INNER
    assert inner_plan(PRODUCT) is None


def test_same_children_give_the_same_object() -> None:
    assert with_children(SEMI, (PRODUCT, INNER)) is SEMI
    assert transform(PLAN, lambda operator: operator) is PLAN


def test_other_children() -> None:
    changed = with_children(SEMI, (LEFT, INNER))
    assert isinstance(changed, ops.LogicalSemiApply)
    assert (changed.source, changed.inner) == (LEFT, INNER)
