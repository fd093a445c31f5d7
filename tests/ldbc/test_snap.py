"""Two graphs of who wrote to whom and who published with whom, against known facts of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cypherd.storage.lmdb.store import open_store
from tests.ldbc.conftest import MAP_SIZE, Ask, asking

Facts = dict[str, Any]


def _numbers(path: Path) -> list[list[int]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [[int(field) for field in row] for row in list(csv.reader(stream))[1:]]


@pytest.fixture(scope="module", params=["email-Eu-core", "grqc"])
def graph(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Ask, Facts]]:
    folder = shared / "data" / "snap"
    facts = json.loads((folder / "stats.json").read_text(encoding="utf-8"))[request.param]
    store = open_store(tmp_path_factory.mktemp("snap") / "store", map_size=MAP_SIZE, create=True)
    transaction = store.write()
    with transaction:
        label, key = transaction.label_token(facts["nodeLabel"]), transaction.property_token("id")
        names = [row[0] for row in _numbers(folder / f"{request.param}.nodes.csv")]
        made = transaction.create_nodes([(label,)] * len(names), [{key: name} for name in names])
        ids = dict(zip(names, made.tolist(), strict=True))
        pairs = _numbers(folder / f"{request.param}.edges.csv")
        starts = np.array([ids[start] for start, _ in pairs], dtype=np.int64)
        ends = np.array([ids[end] for _, end in pairs], dtype=np.int64)
        types = [transaction.type_token(facts["relType"])] * len(pairs)
        transaction.create_relationships(types, starts, ends, [{}] * len(pairs))
        transaction.commit()
    yield asking(store), facts
    store.close()


QUERIES = {
    "nodes": "MATCH (n) RETURN count(n)",
    "edges": "MATCH ()-[r]->() RETURN count(r)",
    "selfLoops": "MATCH (n)-[r]->(n) RETURN count(r)",
    "maxOutDegree": "MATCH (n)-[r]->() WITH n, count(r) AS degree RETURN max(degree)",
    "isolated": "MATCH (n) WHERE NOT (n)--() RETURN count(n)",
    # Two clauses: a self-loop may be walked twice.
    "directed2stepWalks": "MATCH (a)-->(b) MATCH (b)-->(c) RETURN count(*)",
    # Whoever is joined in both directions, or twice, makes one side all the same.
    "undirTriangles": (
        "MATCH (a)--(b) WHERE id(a) < id(b) WITH DISTINCT a, b "
        "MATCH (b)--(c) WHERE id(b) < id(c) WITH DISTINCT a, b, c "
        "WHERE (a)--(c) RETURN count(*)"
    ),
}


@pytest.mark.parametrize("fact", QUERIES)
def test_facts(graph: tuple[Ask, Facts], fact: str) -> None:
    ask, facts = graph
    assert ask(QUERIES[fact]) == [[facts[fact]]]


def test_a_relationship_comes_once_in_a_pattern(graph: tuple[Ask, Facts]) -> None:
    ask, facts = graph
    walks = facts["directed2stepWalks"] - facts["selfLoops"]
    assert ask("MATCH (a)-->(b)-->(c) RETURN count(*)") == [[walks]]
