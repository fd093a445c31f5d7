"""The movies graph as one script of several statements, unchanged."""

from __future__ import annotations

from pathlib import Path

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.parser.script import split_script
from cypherd.settings import Settings
from cypherd.storage.lmdb.store import open_store
from tests.ldbc.conftest import MAP_SIZE, asking


def test_the_script_runs(shared: Path, tmp_path: Path) -> None:
    script = (shared / "data" / "movies" / "movies.cypher").read_text(encoding="utf-8")
    store = open_store(tmp_path / "store", map_size=MAP_SIZE, create=True)
    engine = Engine(Settings())
    for text in split_script(script):
        transaction = store.write()
        plan = engine.plan(text, transaction)
        for _ in engine.run(plan, {}, transaction, Unguarded()).batches:
            pass
        transaction.commit()
    ask = asking(store)
    assert ask("MATCH (n) RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label", {}) == [
        ["Movie", 38],
        ["Person", 133],
    ]
    assert ask("MATCH ()-[r]->() RETURN count(r)", {}) == [[253]]
    co_actors = (
        "MATCH (tom:Person {name: 'Tom Hanks'})-[:ACTED_IN]->()<-[:ACTED_IN]-(other) "
        "RETURN count(DISTINCT other)"
    )
    assert ask(co_actors, {}) == [[34]]
    store.close()
