"""The walk of each query by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tests.ldbc.must_touch import complex as complex_reads
from tests.ldbc.must_touch import short
from tests.ldbc.must_touch.graph import Graph
from tests.ldbc.must_touch.walk import Parameters, Walk

Walker: TypeAlias = Callable[[Walk, Parameters], None]

WALKS: Mapping[str, Walker] = {
    "load-match": short.load,
    "load-start": short.load,
    **{f"interactive-short-{i}": getattr(short, f"short_{i}") for i in range(1, 8)},
    **{f"interactive-complex-{i}": getattr(complex_reads, f"complex_{i}") for i in range(1, 15)},
}


def must_touch(name: str, graph: Graph, parameters: Parameters) -> int:
    walk = Walk(graph)
    WALKS[name](walk, parameters)
    return walk.touched
