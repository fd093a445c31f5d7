"""The load-test query for every first name: both forms, in process, JSON and NDJSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.client import ask
from tests.ldbc.conftest import Ask
from tests.ldbc.reference import Expected, LoadQuery

_REST = """
WITH person ORDER BY person.lastName LIMIT 10
MATCH (uniCity)<-[:IS_LOCATED_IN]-(uni)<-[studyAt:STUDY_AT]-(person),
      (company)<-[worksAt:WORK_AT]-(person)-[:IS_LOCATED_IN]->(personCity),
      (company)-[:IS_LOCATED_IN]->(companyCountry)
RETURN person.firstName, person.lastName, person.birthday, person.creationDate, person.gender,
       person.browserUsed, person.locationIP, personCity.name, uni.name, studyAt.classYear,
       uniCity.name, company.name, worksAt.workFrom, companyCountry.name
"""
FORMS = {
    "match": "MATCH (person:Person {firstName: $firstName})" + _REST,
    "start": "START person=node:person(firstName={firstName})" + _REST,
}


@pytest.fixture(scope="module")
def reference(ldbc: Path) -> LoadQuery:
    return LoadQuery(ldbc)


def _compare(reference: LoadQuery, answer: Callable[[str], list[list[Any]]]) -> None:
    rows = 0
    for first_name in reference.first_names:
        answered = answer(first_name)
        assert reference.expected(first_name).differences(answered) == [], first_name
        rows += len(answered)
    assert rows > 0


@pytest.mark.parametrize("form", FORMS)
def test_in_process(reference: LoadQuery, ldbc_ask: Ask, form: str) -> None:
    _compare(reference, lambda name: ldbc_ask(FORMS[form], {"firstName": name}))


@pytest.mark.parametrize("form", FORMS)
def test_json(reference: LoadQuery, ldbc_port: int, form: str) -> None:
    _compare(reference, lambda name: ask(ldbc_port, FORMS[form], {"firstName": name}).rows())


@pytest.mark.parametrize("form", FORMS)
def test_ndjson(reference: LoadQuery, ldbc_port: int, form: str) -> None:
    def rows(name: str) -> list[list[Any]]:
        kind = "application/x-ndjson"
        answer = ask(ldbc_port, FORMS[form], {"firstName": name}, accept=kind)
        assert answer.status == 200, answer.body
        head, *data, end = map(json.loads, answer.body.splitlines())
        assert len(head["columns"]) == 14
        assert end["end"]["rows"] == len(data)
        return data

    _compare(reference, rows)


def test_both_forms_give_the_same(reference: LoadQuery, ldbc_ask: Ask) -> None:
    for first_name in reference.first_names:
        answers = [
            Counter(map(tuple, ldbc_ask(text, {"firstName": first_name})))
            for text in FORMS.values()
        ]
        assert answers[0] == answers[1], first_name


A = [("A", "B", 1, 2, "f", "x", "ip", "home", "uni", 3, "city", "c1", 4, "land")]
B = [("A", "C", 5, 6, "m", "y", "ip2", "home", "uni", 3, "city", "c1", 4, "land")]
C = [("A", "C", 7, 8, "m", "y", "ip3", "home", "uni", 3, "city", "c1", 4, "land")]


@pytest.mark.parametrize(
    ("rows", "right"),
    [(A + B, True), (A + C, True), (A, False), (A + B + C, False), (B + C, False), (A + A, False)],
)
def test_the_comparison_itself(rows: list[tuple[Any, ...]], right: bool) -> None:
    differences = Expected(sure=[A], tied=[B, C], places=1).differences(rows)
    assert (differences == []) == right
