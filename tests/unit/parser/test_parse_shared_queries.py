"""Every query of the openCypher TCK and of the graphs beside the project parses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gherkin.parser import Parser

from cypherd.errors import CypherSyntaxError
from cypherd.parser.parser import parse
from cypherd.parser.script import split_script

_COMPILE_ERROR = re.compile(r"SyntaxError should be raised at compile time: (\w+)")
# The details that only a parser can find; the others may come from it or from the binder.
_PARSER_DETAILS = frozenset(
    {"InvalidNumberLiteral", "IntegerOverflow", "FloatingPointOverflow", "InvalidUnicodeLiteral",
     "InvalidUnicodeCharacter", "InvalidRelationshipPattern"}
)  # fmt: skip
# Bulk loading in another product's language.
_OTHER_LANGUAGES = ("schema.cypher",)


def _scenarios(feature: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for child in feature["children"]:
        if "rule" in child:
            yield from _scenarios(child["rule"])
        elif "scenario" in child:
            yield child["scenario"]


def _rows(scenario: dict[str, Any]) -> Iterator[dict[str, str]]:
    tables = [table for table in scenario.get("examples", []) if table.get("tableBody")]
    if not tables:
        yield {}
    for table in tables:
        names = [cell["value"] for cell in table["tableHeader"]["cells"]]
        for row in table["tableBody"]:
            yield dict(zip(names, [cell["value"] for cell in row["cells"]], strict=True))


def _filled(text: str, row: dict[str, str]) -> str:
    return re.sub(r"<([^<>\s]+)>", lambda match: row.get(match[1], match[0]), text)


def _queries(folder: Path) -> Iterator[tuple[str, str, str | None]]:
    """(where, query, detail of the SyntaxError that it must raise)."""
    for file in sorted(folder.rglob("*.feature")):
        document: Any = Parser().parse(file.read_text(encoding="utf-8"))
        for scenario in _scenarios(document["feature"]):
            for row in _rows(scenario):
                yield from _scenario_queries(f"{file.name}: {scenario['name']}", scenario, row)


def _scenario_queries(
    where: str, scenario: dict[str, Any], row: dict[str, str]
) -> Iterator[tuple[str, str, str | None]]:
    steps = [(_filled(step["text"], row), step) for step in scenario["steps"]]
    details = [found[1] for text, _ in steps if (found := _COMPILE_ERROR.search(text))]
    for text, step in steps:
        if "docString" in step:
            asked = text.startswith("executing query")
            query = _filled(step["docString"]["content"], row)
            yield where, query, details[0] if details and asked else None


def _detail(query: str) -> str | None:
    try:
        parse(query)
    except CypherSyntaxError as error:
        return error.detail
    return None


@pytest.mark.timeout(120)
def test_tck(shared: Path) -> None:
    wrong = []
    parsed = 0
    for where, query, detail in _queries(shared / "tck" / "features"):
        found = _detail(query)
        parsed += found is None
        allowed = {detail} if detail in _PARSER_DETAILS else {None, detail}
        if found not in allowed:
            wrong.append((where, query, detail, found))
    assert not wrong
    assert parsed > 3500


@pytest.mark.timeout(60)
def test_graphs_and_their_queries(shared: Path) -> None:
    files = [file for file in shared.rglob("*.cypher") if file.name not in _OTHER_LANGUAGES]
    assert len(files) > 30
    for file in files:
        statements = split_script(file.read_text(encoding="utf-8"))
        assert statements, file
        for statement in statements:
            parse(statement)
