"""Texts that are known to be good, or to be wrong in a known way: what mutations start from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.conftest import ROOT, SHARED
from tests.tck.scenarios import load_scenarios

_FENCE = re.compile(r"^```cypher[^\n]*\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_LONGEST = 3_000
"""Characters; a few scripts are far longer and would take the time of all others."""


def texts() -> list[str]:
    """Every different text of the cases, the pages and, where it is there, the TCK; sorted."""
    found = {*_of_cases(), *_of_pages(), *_of_shared(SHARED)}
    return sorted(text.strip() for text in found if text.strip() and len(text) <= _LONGEST)


def _of_cases() -> Iterator[str]:
    for path in sorted((ROOT / "tests" / "cases").glob("*/*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield from (case[key] for key in ("query", "graph") if key in case)
            if "after" in case:
                yield case["after"]["query"]


def _of_pages() -> Iterator[str]:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for block in _FENCE.findall(path.read_text(encoding="utf-8")):
            yield from re.split(r";\n", block)


def _of_shared(shared: Path) -> Iterator[str]:
    for path in sorted(shared.rglob("*.cypher")):
        yield path.read_text(encoding="utf-8")
    if (shared / "tck" / "features").is_dir():
        for scenario in load_scenarios(shared / "tck"):
            yield from (step.body for step in scenario.steps if step.body is not None)
