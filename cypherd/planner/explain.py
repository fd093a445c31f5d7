"""EXPLAIN and PROFILE: a plan as nested maps, and those as rows and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from cypherd.planner.details import details, operator_name
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children, number_operators

__all__ = ["PLAN_COLUMNS", "OperatorCounts", "describe", "number_operators", "plan_rows", "to_text"]

PLAN_COLUMNS = ("operator", "details", "estimatedRows", "rows", "timeMs", "storeHits")
"""The columns of `plan_rows`: the keys of `describe`, without the children."""


class OperatorCounts(Protocol):
    """What PROFILE knows of one operator (executor.context.OperatorProfile)."""

    rows: int
    seconds: float
    store_hits: int


def describe(
    root: LogicalOperator, profile: Mapping[int, OperatorCounts] | None = None
) -> dict[str, Any]:
    """The operator tree: operator, details, estimatedRows, children; when profiled also rows,
    timeMs and storeHits. `profile` is by operator number (pre-order, see logical/walk.py)."""
    return _describe(root, profile, iter(range(len(number_operators(root)))))


def _describe(
    operator: LogicalOperator,
    profile: Mapping[int, OperatorCounts] | None,
    numbers: Iterator[int],
) -> dict[str, Any]:
    number = next(numbers)
    description: dict[str, Any] = {
        "operator": operator_name(operator),
        "details": details(operator),
        "estimatedRows": operator.estimated_rows,
    }
    if profile is not None:
        counts = profile.get(number)
        description["rows"] = counts.rows if counts else 0
        description["timeMs"] = round(counts.seconds * 1000, 3) if counts else 0.0
        description["storeHits"] = counts.store_hits if counts else 0
    description["children"] = [_describe(child, profile, numbers) for child in children(operator)]
    return description


def plan_rows(description: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The tree as rows of PLAN_COLUMNS, the result first; the operator is indented by `| ` a
    level. rows, timeMs and storeHits are None where nothing was profiled."""
    return [
        (f"{'| ' * depth}{shown['operator']}", *(shown.get(key) for key in PLAN_COLUMNS[1:]))
        for depth, shown in _in_order(description, 0)
    ]


def to_text(description: Mapping[str, Any]) -> str:
    """The tree as lines, one an operator, in the order of `plan_rows`."""
    return "\n".join(_line(shown, depth) for depth, shown in _in_order(description, 0)) + "\n"


def _in_order(
    description: Mapping[str, Any], depth: int
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The operators with their levels, the result on top. An operator's first source stands below
    it on its level; others stand before that, one level further in."""
    while True:
        yield depth, description
        first, *others = description["children"] or [None]
        for other in others:
            yield from _in_order(other, depth + 1)
        if first is None:
            return
        description = first


def _line(description: Mapping[str, Any], depth: int) -> str:
    shown = [description["operator"]]
    if description["details"]:
        shown.append(description["details"])
    counts = f"{description['estimatedRows']:g} rows estimated"
    if "rows" in description:
        counts += (
            f", {description['rows']} rows, {description['timeMs']:g} ms, "
            f"{description['storeHits']} hits"
        )
    return f"{'| ' * depth}{' '.join(shown)}  [{counts}]"
