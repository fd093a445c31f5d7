"""The load-test query computed from the CSV files alone: no code of cypherd takes part.

ORDER BY lastName LIMIT 10 leaves open which of several people of the last name at the border
come; `Expected.differences` accepts each choice that Cypher allows and nothing else.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT = 10
PERSON_COLUMNS = 7
Row = tuple[Any, ...]


def _records(folder: Path, file: str) -> Iterator[dict[str, str]]:
    with (folder / file).open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream)


def _links(folder: Path, name: str, value: str | None = None) -> dict[str, list[Any]]:
    """Ends by start, with an integer property if one is named."""
    links: dict[str, list[Any]] = defaultdict(list)
    for record in _records(folder, f"rels/{name}.csv"):
        end = record["endId"]
        links[record["startId"]].append(end if value is None else (end, int(record[value])))
    return links


@dataclass(frozen=True, slots=True)
class Expected:
    """`sure`: rows of each person who must come. `tied`: of those at the border, of whom any
    `places` come."""

    sure: Sequence[Sequence[Row]]
    tied: Sequence[Sequence[Row]]
    places: int

    def differences(self, rows: Sequence[Sequence[Any]]) -> list[str]:
        """Empty when `rows` is an answer that Cypher allows."""
        found: dict[Row, Counter[Row]] = defaultdict(Counter)
        for row in map(tuple, rows):
            found[row[:PERSON_COLUMNS]][row] += 1
        wrong = [
            f"rows of {person[0][:2]} differ"
            for person in self.sure
            if person and found.pop(person[0][:PERSON_COLUMNS], None) != Counter(person)
        ]
        tied = {person[0][:PERSON_COLUMNS]: Counter(person) for person in self.tied if person}
        empty = len(self.tied) - len(tied)
        for key, counted in found.items():
            if tied.get(key) != counted:
                wrong.append(f"unexpected rows of {key[:2]}: {counted}")
        if not self.places - empty <= len(found) <= self.places:
            wrong.append(f"{len(found)} people at the border, expected {self.places}")
        return wrong


class LoadQuery:
    """The answers for every first name."""

    def __init__(self, folder: Path) -> None:
        self.people = list(_records(folder, "nodes/Person.csv"))
        self._places = {r["id"]: r["name"] for r in _records(folder, "nodes/Place.csv")}
        self._names = {r["id"]: r["name"] for r in _records(folder, "nodes/Organisation.csv")}
        self._homes = _links(folder, "Person_IS_LOCATED_IN_Place")
        self._seats = _links(folder, "Organisation_IS_LOCATED_IN_Place")
        self._studies = _links(folder, "Person_STUDY_AT_Organisation", "classYear")
        self._jobs = _links(folder, "Person_WORK_AT_Organisation", "workFrom")
        self.first_names = sorted({person["firstName"] for person in self.people})

    def expected(self, first_name: str) -> Expected:
        people = [person for person in self.people if person["firstName"] == first_name]
        last_names = sorted(person["lastName"] for person in people)[:LIMIT]
        border = last_names[-1]
        sure = [self._rows(p) for p in people if p["lastName"] < border]
        tied = [self._rows(p) for p in people if p["lastName"] == border]
        return Expected(sure, tied, len(last_names) - len(sure))

    def _rows(self, person: dict[str, str]) -> list[Row]:
        key = person["id"]
        about = (
            person["firstName"],
            person["lastName"],
            int(person["birthday"]),
            int(person["creationDate"]),
            person["gender"],
            person["browserUsed"],
            person["locationIP"],
        )
        return [
            (
                *about,
                self._places[home],
                self._names[university],
                year,
                self._places[campus],
                self._names[company],
                since,
                self._places[country],
            )
            for home in self._homes[key]
            for university, year in self._studies[key]
            for campus in self._seats[university]
            for company, since in self._jobs[key]
            for country in self._seats[company]
        ]
