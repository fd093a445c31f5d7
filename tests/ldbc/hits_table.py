"""Store hits of each query beside what has to be touched: `python -m tests.ldbc.hits_table`."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.importer import import_folder
from cypherd.settings import Settings
from cypherd.storage.lmdb.store import open_store
from cypherd.storage.protocols import ReadTransaction
from tests.conftest import SHARED
from tests.ldbc.conftest import MAP_SIZE, index_by_script
from tests.ldbc.must_touch.graph import read_graph
from tests.ldbc.must_touch.queries import WALKS, must_touch
from tests.ldbc.test_load_query import FORMS
from tests.plans.must_touch import SHAPES, sample_graph, shape_must_touch
from tests.plans.sample import open_sample

FIRST_NAMES = ("John", "Jan", "Jose")
SETS = 3


def query_text(name: str, ldbc: Path) -> str:
    if name.startswith("load-"):
        return FORMS[name.removeprefix("load-")]
    return (ldbc / "queries" / f"{name}.cypher").read_text(encoding="utf-8")


def parameter_sets(name: str, ldbc: Path) -> list[dict[str, Any]]:
    """Three at most: the first that is known, and those with the most rows."""
    if name.startswith("load-"):
        return [{"firstName": first_name} for first_name in FIRST_NAMES]
    known = json.loads((ldbc / "expected.json").read_text(encoding="utf-8"))[name]
    ordered = [known[0], *sorted(known[1:], key=lambda case: -len(case["rows"]))]
    different: list[dict[str, Any]] = []
    for case in ordered:
        if case["params"] not in different:
            different.append(case["params"])
    return different[:SETS]


def store_hits(text: str, parameters: Mapping[str, Any], transaction: ReadTransaction) -> int:
    engine = Engine(Settings())
    plan = engine.plan(f"PROFILE {text}", transaction)
    result = engine.run(plan, parameters, transaction, Unguarded())
    for _ in result.batches:
        pass
    description = result.plan_description()
    assert description is not None
    return _summed(description)


def _summed(description: Mapping[str, Any]) -> int:
    below: int = sum(map(_summed, description["children"]))
    return below + int(description["storeHits"])


def _ldbc_rows(folder: Path, ldbc: Path) -> Iterator[tuple[str, int, int]]:
    import_folder(ldbc, folder / "ldbc", map_size=MAP_SIZE)
    store = open_store(folder / "ldbc", map_size=MAP_SIZE)
    with store.write() as writer:
        index_by_script(writer, (ldbc / "indices.cypher").read_text(encoding="utf-8"))
        writer.commit()
    graph = read_graph(ldbc)
    with store.read() as transaction:
        for name in WALKS:
            text = query_text(name, ldbc)
            for parameters in parameter_sets(name, ldbc):
                must = must_touch(name, graph, parameters)
                yield name, store_hits(text, parameters, transaction), must
    store.close()


def _shape_rows(folder: Path) -> Iterator[tuple[str, int, int]]:
    store = open_sample(folder / "sample")
    graph = sample_graph()
    with store.read() as transaction:
        for query in SHAPES:
            yield query, store_hits(query, {}, transaction), shape_must_touch(query, graph)
    store.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in (_ldbc_rows(folder, SHARED / "data" / "ldbc-snb-sf0.003"), _shape_rows(folder)):
            for query, hits, must in rows:
                ratio = f"{hits / must:.2f}" if must else "-"
                sys.stdout.write(f"{hits:8} {must:8} {ratio:>8}  {query}\n")


if __name__ == "__main__":
    main()
