"""Batches of large rows go out in pieces, so that no renderer holds a thousand of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from cypherd.batch.columns import Batch, ObjectColumn
from cypherd.engine import Result
from cypherd.executor.context import Stats
from cypherd.planner.logical.operators import LogicalArgument
from cypherd.planner.plan import Plan
from cypherd.render.chunks import in_pieces
from cypherd.render.registry import RENDERERS, renderer_named
from cypherd.render.renderer import RenderOptions

MEGABYTE = 1_000_000


@dataclass
class Written:
    total: int = 0


def pieces(sizes: list[list[int]]) -> list[list[int]]:
    """How batches of rows of these sizes are parted."""
    written = Written()
    found = []
    batches = iter([Batch(len(rows), {"v": ObjectColumn(list(rows))}) for rows in sizes])
    for piece in in_pieces(batches, written):
        found.append(piece.columns["v"].to_list())
        written.total += sum(found[-1])
    return found


def test_small_rows_stay_together() -> None:
    first, rest, second, third = pieces([[10] * 1024] * 3)
    assert [len(first), len(rest), len(second), len(third)] == [16, 1008, 1024, 1024]


def test_large_rows_go_one_by_one() -> None:
    found = pieces([[MEGABYTE] * 40, [MEGABYTE] * 2])
    assert [len(piece) for piece in found] == [16] + [1] * 26
    assert max(map(sum, found[1:])) == MEGABYTE


def test_order_and_empty_batches() -> None:
    sizes = [[1, 2, 3] * 400, [], [MEGABYTE, 5, 6], list(range(300_000, 300_100)), [7]]
    found = pieces(sizes)
    assert [size for piece in found for size in piece] == [size for rows in sizes for size in rows]
    assert [] in found


@pytest.mark.parametrize("format_", [renderer.name for renderer in RENDERERS])
def test_no_chunk_holds_a_batch_of_large_rows(format_: str) -> None:
    text = "ab" * (MEGABYTE // 2)
    batch = Batch(100, {"v": ObjectColumn([text] * 100)})
    plan = Plan("RETURN 1", LogicalArgument(), ("v",), "read", False, None, frozenset(), 0)
    result = Result(("v",), iter([batch, batch]), Stats(), plan)
    total = 0
    largest = 0
    options: dict[str, Any] = {"spool_limit": 1 << 31}
    for chunk in renderer_named(format_).render(result, RenderOptions(**options)):
        total += len(chunk)
        largest = max(largest, len(chunk))
    assert total > 200 * MEGABYTE
    assert largest < 20 * MEGABYTE
