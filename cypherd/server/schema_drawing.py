"""A small drawing of a graph's schema: labels on a circle, arrows for relationship types.

Gives numbers only; templates/schema.html makes SVG of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from cypherd.storage.summary import GraphSummary

# More would not be readable.
_LABELS = 16
_ARROWS = 40
WIDTH, HEIGHT = 640, 460
_RADIUS = 30


@dataclass(frozen=True, slots=True)
class Circle:
    name: str
    x: float
    y: float
    radius: float
    color: int
    """Of the palette in style.css, 0 to 7."""


@dataclass(frozen=True, slots=True)
class Arrow:
    path: str
    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    width: int
    height: int
    circles: tuple[Circle, ...]
    arrows: tuple[Arrow, ...]
    left_out: int


def draw(summary: GraphSummary) -> Drawing:
    """The labels with most nodes, and the types between them."""
    names = [label.name for label in summary.labels]
    circles = {
        name: _circle(name, i, len(names[:_LABELS])) for i, name in enumerate(names[:_LABELS])
    }
    between: dict[tuple[str, str], list[str]] = {}
    for type_ in summary.types:
        for start, end in type_.ends:
            if start in circles and end in circles:
                between.setdefault((start, end), []).append(type_.name)
    arrows = [
        _arrow(circles[start], circles[end], types) for (start, end), types in between.items()
    ][:_ARROWS]
    return Drawing(
        WIDTH, HEIGHT, tuple(circles.values()), tuple(arrows), max(0, len(names) - _LABELS)
    )


def _circle(name: str, number: int, total: int) -> Circle:
    angle = 2 * math.pi * number / max(1, total) - math.pi / 2
    reach = 0 if total == 1 else 1
    x = WIDTH / 2 + reach * (WIDTH / 2 - 90) * math.cos(angle)
    y = HEIGHT / 2 + reach * (HEIGHT / 2 - 80) * math.sin(angle)
    return Circle(name, round(x, 1), round(y, 1), _RADIUS, number % 8)


def _arrow(start: Circle, end: Circle, types: list[str]) -> Arrow:
    text = ", ".join(types[:2]) + (f" +{len(types) - 2}" if len(types) > 2 else "")
    if start.name == end.name:
        return _loop(start, text)
    dx, dy = end.x - start.x, end.y - start.y
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    # Bent to the left, so that the way there and the way back are two arrows.
    bend = 28
    cx, cy = (start.x + end.x) / 2 + uy * bend, (start.y + end.y) / 2 - ux * bend
    sx, sy = start.x + ux * start.radius, start.y + uy * start.radius
    ex, ey = end.x - ux * (end.radius + 6), end.y - uy * (end.radius + 6)
    path = f"M{sx:.1f} {sy:.1f} Q{cx:.1f} {cy:.1f} {ex:.1f} {ey:.1f}"
    return Arrow(path, text, round((cx + (sx + ex) / 2) / 2, 1), round((cy + (sy + ey) / 2) / 2, 1))


def _loop(circle: Circle, text: str) -> Arrow:
    """From a label to itself: above the circle in the upper half, else below."""
    side = -1 if circle.y <= HEIGHT / 2 else 1
    y = circle.y + side * circle.radius * 0.8
    far = circle.y + side * (circle.radius + 34)
    path = (
        f"M{circle.x - 16:.1f} {y:.1f} C{circle.x - 34:.1f} {far:.1f} "
        f"{circle.x + 34:.1f} {far:.1f} {circle.x + 16:.1f} {y + side * 5:.1f}"
    )
    return Arrow(path, text, circle.x, round(circle.y + side * (circle.radius + 26), 1))
