"""Queries and their plans, as EXPLAIN shows them. `make update-plans` rewrites the files; read
the difference before it is committed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cypherd.parser.parser import parse
from cypherd.planner.explain import describe, to_text
from cypherd.planner.planner import plan_statement
from cypherd.storage.protocols import ReadTransaction

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.yaml"))


def explained(query: str, transaction: ReadTransaction) -> str:
    plan = plan_statement(query, parse(query), transaction)
    place = " inline" if plan.inline else ""
    return f"{plan.kind}{place}\n{to_text(describe(plan.root))}"


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _written(cases: list[dict[str, Any]]) -> str:
    return yaml.dump(cases, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_plans(path: Path, sample: ReadTransaction, request: pytest.FixtureRequest) -> None:
    cases = yaml.safe_load(path.read_text())
    now = [{**case, "plan": explained(case["query"], sample)} for case in cases]
    if request.config.getoption("--update-plans", default=False):
        path.write_text(_written(now))
        return
    for case, new in zip(cases, now, strict=True):
        assert new["plan"] == case.get("plan"), case["query"]


def test_every_file_has_cases() -> None:
    assert FILES
    assert all(yaml.safe_load(path.read_text()) for path in FILES)
