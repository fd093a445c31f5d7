"""The pages themselves: links lead somewhere, every page and decision is in an index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _links(page: Path) -> set[Path]:
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    missing = [str(target.relative_to(ROOT)) for target in _links(page) if not target.exists()]
    assert missing == []


@pytest.mark.parametrize("folder", ["docs", "docs/adr"])
def test_every_page_is_in_its_index(folder: str) -> None:
    index = ROOT / folder / "README.md"
    assert set((ROOT / folder).glob("*.md")) - {index} <= _links(index)
