"""The plans of the LDBC queries and of the load-test query.

Plans are made over the imported graph with the indexes of its own script, and kept in
plans/ldbc.yaml; `--update-plans` rewrites the file; read the difference before it is committed.
What they touch is held to a count by hand in test_hits.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cypherd.engine import Engine
from cypherd.planner.explain import describe, to_text
from cypherd.settings import Settings
from cypherd.storage.protocols import GraphStore
from tests.ldbc.hits_table import query_text
from tests.ldbc.test_load_query import FORMS
from tests.ldbc.test_queries import INTERACTIVE, NEEDS_MORE

PLANS = Path(__file__).parent / "plans" / "ldbc.yaml"
NAMES = [*(f"load-{form}" for form in FORMS), *(q for q in INTERACTIVE if q not in NEEDS_MORE)]


@pytest.mark.parametrize("name", NAMES)
def test_plan(
    name: str, ldbc: Path, ldbc_indexed: GraphStore, request: pytest.FixtureRequest
) -> None:
    kept: dict[str, str] = yaml.safe_load(PLANS.read_text()) if PLANS.exists() else {}
    with ldbc_indexed.read() as transaction:
        plan = Engine(Settings()).plan(query_text(name, ldbc), transaction)
    text = to_text(describe(plan.root))
    if request.config.getoption("--update-plans", default=False):
        lines = yaml.dump({**kept, name: text}, default_style="|", width=1000, allow_unicode=True)
        PLANS.write_text(lines)
        return
    assert text == kept.get(name)
