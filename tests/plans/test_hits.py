"""PROFILE of each of the shapes against what has to be touched, counted by hand.

Store hits may be three times as many. A shape that needs more is listed with its ratio, and a
listed one that passes fails the run.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cypherd.storage.protocols import ReadTransaction
from tests.ldbc.hits_table import store_hits
from tests.ldbc.must_touch.graph import Graph
from tests.ldbc.test_queries import marked
from tests.plans.must_touch import SHAPES, sample_graph, shape_must_touch

FILE = Path(__file__).parent / "shapes.yaml"
MOST = 3
MORE_THAN_MUST: dict[str, str] = {}


@pytest.fixture(scope="module")
def graph() -> Graph:
    return sample_graph()


def test_every_shape_is_counted() -> None:
    assert {case["query"] for case in yaml.safe_load(FILE.read_text())} == set(SHAPES)


@pytest.mark.parametrize("query", marked(list(SHAPES), MORE_THAN_MUST))
def test_hits(query: str, sample: ReadTransaction, graph: Graph) -> None:
    hits, must = store_hits(query, {}, sample), shape_must_touch(query, graph)
    assert hits <= MOST * must, (hits, must)
