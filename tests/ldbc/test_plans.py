"""The plans of the LDBC queries and of the load-test query, and what they ask of the store.

Plans are made over the imported graph with the indexes of its own script, and kept in
plans/ldbc.yaml; `--update-plans` rewrites the file; read the difference before it is committed.

What must be touched is defined by the rows that flow: a step that gives n rows had to read n
relationships, nodes or index entries; a filter must look at each row that comes to it, once for
the labels and once for the properties it compares; a projection, a sort or a grouping at each
row once for each node or relationship it reads from. Store hits of a query may be 3 times that
sum. A breadth-first search has to look at all relationships of the nodes that it visits, though
few lie on the path: what it asks counts as its rows. This holds an operator to its own rows; that
the rows themselves are few is what the recorded plans are read for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from cypherd.engine import Engine
from cypherd.executor.context import Unguarded
from cypherd.planner.explain import describe, to_text
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore
from tests.ldbc.test_load_query import FORMS
from tests.ldbc.test_queries import INTERACTIVE, NEEDS_MORE, marked

PLANS = Path(__file__).parent / "plans" / "ldbc.yaml"
NAMES = [*(f"load-{form}" for form in FORMS), *(q for q in INTERACTIVE if q not in NEEDS_MORE)]


def _text(name: str, ldbc: Path) -> str:
    if name.startswith("load-"):
        return FORMS[name.removeprefix("load-")]
    return (ldbc / "queries" / f"{name}.cypher").read_text(encoding="utf-8")


def _parameters(name: str, ldbc: Path) -> Mapping[str, Any]:
    if name.startswith("load-"):
        return {"firstName": "Jan"}
    known = json.loads((ldbc / "expected.json").read_text(encoding="utf-8"))
    parameters: Mapping[str, Any] = known[name][0]["params"]
    return parameters


@pytest.mark.parametrize("name", NAMES)
def test_plan(
    name: str, ldbc: Path, ldbc_indexed: GraphStore, request: pytest.FixtureRequest
) -> None:
    kept: dict[str, str] = yaml.safe_load(PLANS.read_text()) if PLANS.exists() else {}
    with ldbc_indexed.read() as transaction:
        plan = Engine(Settings()).plan(_text(name, ldbc), transaction)
    text = to_text(describe(plan.root))
    if request.config.getoption("--update-plans", default=False):
        lines = yaml.dump({**kept, name: text}, default_style="|", width=1000, allow_unicode=True)
        PLANS.write_text(lines)
        return
    assert text == kept.get(name)


def _hits_and_rows(description: Mapping[str, Any]) -> tuple[int, int]:
    """Store hits of the plan, and the rows that its operators gave or were given."""
    hits, rows = description["storeHits"], description["rows"]
    if description["operator"] in ("ShortestPath", "AllShortestPaths"):
        rows = max(rows, hits)
    for child in description["children"]:
        below = _hits_and_rows(child)
        hits, rows = hits + below[0], rows + below[1]
    return hits, rows


# Either end of a path of open length may be the one named: each of the 65,689 paths is looked at
# for a label and for two properties, which is 4 times the rows.
MORE_THAN_MUST = {"interactive-complex-12": "every path is looked at from both ends"}


@pytest.mark.parametrize("name", marked(NAMES, MORE_THAN_MUST))
def test_hits(name: str, ldbc: Path, ldbc_indexed: GraphStore) -> None:
    engine = Engine(Settings())
    with ldbc_indexed.read() as transaction:
        plan = engine.plan(f"PROFILE {_text(name, ldbc)}", transaction)
        result = engine.run(plan, _parameters(name, ldbc), transaction, Unguarded())
        for _ in result.batches:
            pass
    description = result.plan_description()
    assert description is not None
    hits, rows = _hits_and_rows(description)
    assert hits > 0
    assert hits <= 3 * rows, to_text(description)
