"""EXPLAIN and PROFILE for formats that hold nothing but rows: the plan is the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.engine import Result
from cypherd.planner.explain import PLAN_COLUMNS, plan_rows


def plan_as_rows(result: Result) -> Result:
    """`result` itself, unless it is of an EXPLAIN or PROFILE: then one whose rows are the plan's
    operators (PLAN_COLUMNS). The rows of a profiled query are counted and dropped; errors come as
    they would have come. `stats` is shared with `result`."""
    if result.plan.mode is None:
        return result
    return replace(result, columns=PLAN_COLUMNS, batches=_plan_batches(result))


def _plan_batches(result: Result) -> Iterator[Batch]:
    try:
        for _ in result.batches:
            pass
    finally:
        result.close()
    description = result.plan_description()
    assert description is not None, "there is a plan wherever there is a mode"
    rows = plan_rows(description)
    columns = zip(PLAN_COLUMNS, zip(*rows, strict=True), strict=True)
    yield Batch(len(rows), {name: ObjectColumn(list(values)) for name, values in columns})
