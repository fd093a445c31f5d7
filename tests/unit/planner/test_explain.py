"""A plan's description as rows and as text."""

from __future__ import annotations

from typing import Any

from cypherd.planner.explain import PLAN_COLUMNS, plan_rows, to_text


def _operator(name: str, *children: dict[str, Any], rows: int | None = None) -> dict[str, Any]:
    counted = {} if rows is None else {"rows": rows, "timeMs": 0.5, "storeHits": rows * 2}
    return {
        "operator": name,
        "details": name.lower(),
        "estimatedRows": 2.0,
        **counted,
        "children": list(children),
    }


JOIN = _operator(
    "Top",
    _operator("Join", _operator("Left"), _operator("Right", _operator("Deep"), _operator("Far"))),
)


def test_rows_stand_as_the_operators_flow() -> None:
    assert [row[0] for row in plan_rows(JOIN)] == [
        "Top",
        "Join",
        "| Right",
        "| | Far",
        "| Deep",
        "Left",
    ]


def test_what_was_not_profiled_is_null() -> None:
    row = dict(zip(PLAN_COLUMNS, plan_rows(JOIN)[0], strict=True))
    assert row == {
        "operator": "Top",
        "details": "top",
        "estimatedRows": 2.0,
        "rows": None,
        "timeMs": None,
        "storeHits": None,
    }


def test_profiled_rows() -> None:
    assert plan_rows(_operator("Scan", rows=3)) == [("Scan", "scan", 2.0, 3, 0.5, 6)]


def test_text_has_the_rows_in_their_order() -> None:
    lines = to_text(JOIN).splitlines()
    assert len(lines) == len(plan_rows(JOIN))
    assert all(line.startswith(row[0]) for line, row in zip(lines, plan_rows(JOIN), strict=True))
