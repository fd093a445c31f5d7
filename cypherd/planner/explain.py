"""EXPLAIN and PROFILE: a plan as nested maps, and those as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from cypherd.planner.details import details, operator_name
from cypherd.planner.logical.operators import LogicalOperator
from cypherd.planner.logical.walk import children, number_operators

__all__ = ["OperatorCounts", "describe", "number_operators", "to_text"]


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


def to_text(description: Mapping[str, Any]) -> str:
    """The tree as lines, the result on top; an operator with several children puts those after
    the first one level further in."""
    return "\n".join(_lines(description, 0)) + "\n"


def _lines(description: Mapping[str, Any], depth: int) -> Iterator[str]:
    shown = [description["operator"]]
    if description["details"]:
        shown.append(description["details"])
    counts = f"{description['estimatedRows']:g} rows estimated"
    if "rows" in description:
        counts += (
            f", {description['rows']} rows, {description['timeMs']:g} ms, "
            f"{description['storeHits']} hits"
        )
    yield f"{'| ' * depth}{' '.join(shown)}  [{counts}]"
    first, *others = description["children"] or [None]
    for other in others:
        yield from _lines(other, depth + 1)
    if first is not None:
        yield from _lines(first, depth)
