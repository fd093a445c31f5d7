"""docs/settings.md is the table of settings: every one, its default, its help."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from cypherd.settings import Settings, load_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
_ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", re.MULTILINE)
ROWS = {name: (default, text) for name, default, text in _ROW.findall(PAGE.read_text("utf-8"))}


def test_every_setting_has_its_row_in_order() -> None:
    assert list(ROWS) == [field.name for field in dataclasses.fields(Settings)]


@pytest.mark.parametrize(("name", "value", "text"), Settings().rows(), ids=lambda x: str(x)[:20])
def test_default_and_help_are_the_table_s(name: str, value: Any, text: str) -> None:
    default, described = ROWS[name]
    assert described == text
    if default == "none":
        assert not value
    else:
        assert getattr(load_settings({name: default.strip("`")}, environment={}), name) == value
