"""docs/what-users-ask.md: every row names tests that are there, or says why there is none."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "what-users-ask.md").read_text(encoding="utf-8")
_ROW = re.compile(r"^\| (?!wish or|---)(.+?) \| (.+) \|$", re.MULTILINE)
ROWS = _ROW.findall(PAGE)
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)))


def test_every_row_has_an_answer() -> None:
    assert len(ROWS) >= 50
    assert [
        wish for wish, answer in ROWS if "::test_" not in answer and "Why not:" not in answer
    ] == []


@pytest.mark.parametrize(("path", "name"), NAMED, ids="::".join)
def test_every_test_that_is_named_is_there(path: str, name: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", text, re.MULTILINE)
