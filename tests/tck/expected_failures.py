"""The exact list of scenarios that fail: one id a line, sorted."""

from __future__ import annotations

from pathlib import Path

LIST = Path(__file__).with_name("expected_failures.txt")


def read_expected() -> frozenset[str]:
    if not LIST.exists():
        return frozenset()
    return frozenset(LIST.read_text(encoding="utf-8").splitlines())


def write_expected(kept: frozenset[str], failed: set[str], passed: set[str]) -> None:
    """Take in what this run showed; entries of scenarios that did not run stay."""
    lines = sorted((kept - passed) | failed)
    LIST.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
