"""Reads feature files into scenarios: one for each scenario, and one for each example row."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gherkin.parser import Parser
from gherkin.pickles.compiler import Compiler

Table = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Step:
    text: str
    body: str | None
    table: Table


@dataclass(frozen=True, slots=True)
class Scenario:
    """`id` is `<folder>/<feature>: <name>`, and ` #n` for the n-th example row (from 1)."""

    id: str
    folder: str
    steps: tuple[Step, ...]


def load_scenarios(root: Path) -> list[Scenario]:
    """All scenarios below `root`/features, in the order of their files."""
    features = root / "features"
    return [
        scenario
        for path in sorted(features.rglob("*.feature"))
        for scenario in _scenarios_of(path, features)
    ]


def _scenarios_of(path: Path, features: Path) -> list[Scenario]:
    document: Any = Parser().parse(path.read_text(encoding="utf-8"))
    document["uri"] = str(path)
    pickles: list[Any] = Compiler().compile(document)
    folder = path.parent.relative_to(features).as_posix()
    rows = Counter(pickle["astNodeIds"][0] for pickle in pickles)
    seen: Counter[str] = Counter()
    scenarios = []
    for pickle in pickles:
        source = pickle["astNodeIds"][0]
        seen[source] += 1
        # An outline's pickle also names its example row.
        outline = len(pickle["astNodeIds"]) > 1 or rows[source] > 1
        number = f" #{seen[source]}" if outline else ""
        name = _outline_name(document, source) or pickle["name"]
        steps = tuple(_step(step) for step in pickle["steps"])
        scenarios.append(Scenario(f"{folder}/{path.stem}: {name}{number}", folder, steps))
    return scenarios


def _outline_name(document: Any, source: str) -> str | None:
    """The name with its placeholders, so that an id does not depend on how a row is written."""
    for child in document["feature"]["children"]:
        scenario = child.get("scenario")
        if scenario and scenario["id"] == source:
            return str(scenario["name"])
    return None


def _step(step: Any) -> Step:
    argument = step.get("argument", {})
    body = argument.get("docString", {}).get("content")
    rows = argument.get("dataTable", {}).get("rows", [])
    table = tuple(tuple(cell["value"] for cell in row["cells"]) for row in rows)
    return Step(step["text"], body, table)
