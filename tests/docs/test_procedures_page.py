"""docs/procedures.md: every procedure is called in an example, and everything that can be shown."""

from __future__ import annotations

import re
from pathlib import Path

from cypherd.binder.showing import SHOWN
from cypherd.procedures.registry import BUILT_IN
from tests.conftest import ROOT
from tests.docs.language import language_pages

_CALL = re.compile(r"CALL ([\w.]+)")
_SHOW = re.compile(r"SHOW [A-Z ]*?(" + "|".join(SHOWN) + ")")


def _examples() -> list[str]:
    return [example.text for page in language_pages() for example in page.examples]


def test_every_procedure_is_called_in_an_example() -> None:
    called = {name for text in _examples() for name in _CALL.findall(text)}
    assert set(BUILT_IN.names()) - called == set()


def test_everything_that_can_be_shown_is_in_an_example() -> None:
    shown = {name for text in _examples() for name in _SHOW.findall(text)}
    assert set(SHOWN) - shown == set()


def test_the_columns_that_only_yield_gives_are_named() -> None:
    pages = ("procedures.md", "indexes-and-constraints.md")
    text = "".join(Path(ROOT / "docs" / page).read_text(encoding="utf-8") for page in pages)
    wanted = {column for shown in SHOWN.values() for column in shown.more}
    assert {column for column in wanted if f"`{column}`" not in text} == set()
