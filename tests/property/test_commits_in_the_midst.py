"""A CALL { } that writes gives the same rows and leaves the same graph IN TRANSACTIONS of whatever
number of rows, and as one."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cypherd.engine import Engine
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from tests.property.graphs import ENGINES, GRAPH_NODES, GRAPH_STEPS, make_graph, rows_of

WRITES = {
    "properties": "MATCH (a)-[r]->(b) CALL (b) { SET b.i = b.i + 1 } HERE RETURN count(*) AS c",
    "a property that is sought": "MATCH (a {i: 1}) CALL (a) { SET a.i = 2 } HERE "
    "MATCH (b {i: 2}) RETURN count(b) AS c",
    "a label that is scanned": "MATCH (a:A) CALL (a) { CREATE (a)-[:T {w: 9}]->(:A {i: 8}) } HERE "
    "RETURN a.i AS i",
    "nodes that go": "MATCH (a:A) CALL (a) { WITH a DETACH DELETE a } HERE RETURN count(*) AS c",
    "relationships that go": "MATCH (a)-[r:T]->(b) CALL (r) { DELETE r } HERE "
    "MATCH (c)-[s]->(d) RETURN count(s) AS s",
    "found or made": "MATCH (a) CALL (a) { MERGE (m:M {i: a.i}) RETURN m } HERE RETURN m.i AS i",
    "counted as it grows": "UNWIND range(1, 5) AS x "
    "CALL (x) { MATCH (n) WITH count(n) AS c CREATE (:N {i: c}) RETURN c } HERE RETURN x, c",
    "optional": "MATCH (a) OPTIONAL CALL (a) { MATCH (a)-[r:S]->(b) SET r.w = 7 RETURN b } HERE "
    "RETURN a.i AS i, b.i AS j",
}
_LEFT = (
    "MATCH (n) RETURN labels(n) AS l, n.i AS i",
    "MATCH (a)-[r]->(b) RETURN a.i AS i, type(r) AS t, r.w AS w, b.i AS j",
)


@pytest.mark.parametrize("name", WRITES)
@settings(max_examples=8, deadline=None)
@given(
    nodes=GRAPH_NODES,
    steps=GRAPH_STEPS,
    rows=st.integers(1, 4),
    size=st.sampled_from([1, 3, 1024]),
    engine=st.sampled_from(ENGINES),
)
def test_in_transactions(
    name: str,
    nodes: list[tuple[str, int]],
    steps: list[tuple[int, int, str]],
    rows: int,
    size: int,
    engine: Engine,
) -> None:
    found = []
    for here in (
        "",
        f"IN TRANSACTIONS OF {rows} ROWS",
        f"IN TRANSACTIONS OF {rows} ROWS ON ERROR BREAK",
    ):
        text = WRITES[name].replace("HERE", here)
        with (
            TemporaryDirectory() as folder,
            closing(open_store(Path(folder) / "store", map_size=64 * MIB, create=True)) as store,
            store.write() as transaction,
        ):
            make_graph(transaction, nodes, steps)
            given_rows = rows_of(engine, text, transaction, size)
            found.append(
                (given_rows, *(rows_of(engine, left, transaction, 1024) for left in _LEFT))
            )
    assert found[1] == found[0]
    assert found[2] == found[0]
