"""What the import of the LDBC graph leaves in the store, asked in Cypher."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.ldbc.conftest import Ask


def test_counts(ldbc_ask: Ask) -> None:
    assert ldbc_ask("MATCH (n) RETURN count(n)") == [[34_735]]
    assert ldbc_ask("MATCH ()-[r]->() RETURN count(r)") == [[70_842]]


def test_counts_of_every_file(ldbc: Path, ldbc_ask: Ask) -> None:
    manifest = json.loads((ldbc / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest:
        if "type" in entry:
            pattern = f"(:{entry['startLabel']})-[n:{entry['type']}]->(:{entry['endLabel']})"
        else:
            pattern = f"(n:{entry['labels'][0]})"
        counted = ldbc_ask(f"MATCH {pattern} RETURN count(n)")
        assert counted == [[entry["rows"]]], entry["file"]


def test_a_second_label_comes_from_a_column(ldbc: Path, ldbc_ask: Ask) -> None:
    with (ldbc / "nodes/Place.csv").open(encoding="utf-8", newline="") as stream:
        labels = [record["label"] for record in csv.DictReader(stream)]
    for label in ("City", "Country", "Continent"):
        counted = ldbc_ask(f"MATCH (n:Place:{label}) RETURN count(n)")
        assert counted == [[labels.count(label)]]
        assert ldbc_ask(f"MATCH (n:{label}) RETURN count(n)") == counted


def test_values_have_the_types_of_the_manifest(ldbc: Path, ldbc_ask: Ask) -> None:
    with (ldbc / "nodes/Person.csv").open(encoding="utf-8", newline="") as stream:
        first = next(csv.DictReader(stream))
    (row,) = ldbc_ask(
        "MATCH (p:Person {id: $id}) RETURN p.firstName, p.birthday, p.speaks, p.email",
        {"id": int(first["id"])},
    )
    assert row == [
        first["firstName"],
        int(first["birthday"]),
        first["speaks"].split(";"),
        first["email"].split(";"),
    ]


def test_an_empty_field_is_an_absent_property(ldbc: Path, ldbc_ask: Ask) -> None:
    with (ldbc / "nodes/Post.csv").open(encoding="utf-8", newline="") as stream:
        without = sum(1 for record in csv.DictReader(stream) if not record["content"])
    counted = ldbc_ask("MATCH (p:Post) WHERE p.content IS NULL RETURN count(p)")
    assert counted == [[without]]
