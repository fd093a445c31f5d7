"""The drawing of a schema: all in the frame, nothing upon another."""

from __future__ import annotations

import itertools
import math

import pytest

from cypherd.server.schema_drawing import HEIGHT, WIDTH, draw
from cypherd.storage.summary import GraphSummary, LabelSummary, TypeSummary


def _summary(labels: int) -> GraphSummary:
    names = [f"L{i}" for i in range(labels)]
    ends = tuple(itertools.product(names, names))
    types = (
        TypeSummary("A", 1, (), ends),
        TypeSummary("B", 1, (), ends),
        TypeSummary("C", 1, (), ends),
    )
    return GraphSummary(1, 1, tuple(LabelSummary(name, 1, ()) for name in names), types, (), ())


@pytest.mark.parametrize("labels", [0, 1, 2, 5, 16, 40])
def test_circles_are_in_the_frame_and_apart(labels: int) -> None:
    drawing = draw(_summary(labels))
    assert len(drawing.circles) == min(labels, 16)
    assert drawing.left_out == max(0, labels - 16)
    for circle in drawing.circles:
        assert circle.radius < circle.x < WIDTH - circle.radius
        assert circle.radius < circle.y < HEIGHT - circle.radius
    for one, other in itertools.combinations(drawing.circles, 2):
        assert math.hypot(one.x - other.x, one.y - other.y) > 2 * one.radius
    for arrow in drawing.arrows:
        assert 0 <= arrow.y <= HEIGHT


def test_types_between_the_same_labels_share_an_arrow() -> None:
    drawing = draw(_summary(2))
    assert [arrow.text for arrow in drawing.arrows] == ["A, B +1"] * 4
