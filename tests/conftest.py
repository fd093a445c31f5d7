"""What all tests share: where the data outside the project is, and the options of the TCK.

Tests that need what a machine may lack (`../shared`, Chromium, JMeter) are skipped with a reason
that names it. CI sets TESTS_NEED_SHARED=1 and its kin where it has put the thing there: then such a
skip fails the run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

NEEDED = {
    "TESTS_NEED_SHARED": "../shared",
    "TESTS_NEED_CHROMIUM": "Chromium",
    "TESTS_NEED_JMETER": "JMeter",
    "TESTS_NEED_CURL": "curl",
    "TESTS_NEED_READERS": "could not import",
}
"""What CI promises by a variable, and the word in the reason of a skip for want of it."""

_skipped = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cypherd")
    group.addoption(
        "--tck",
        type=Path,
        default=SHARED / "tck",
        help="folder of the openCypher TCK: features/ and graphs/",
    )
    group.addoption(
        "--tck-update",
        action="store_true",
        help="rewrite tests/tck/expected_failures.txt from this run",
    )
    group.addoption(
        "--tck-report", type=Path, default=None, help="file for why each TCK scenario failed"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_skipped] = []


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of graphs and the TCK beside the project."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not there")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("Chromium is not there")
    return found


def _wanted(reason: str) -> bool:
    """Whether a test was skipped for want of something that CI says is there."""
    return any(word in reason and os.environ.get(name) == "1" for name, word in NEEDED.items())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _wanted(str(report.longrepr)):
        item.config.stash[_skipped].append(item.nodeid)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.stash[_skipped]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    wrong = config.stash[_skipped]
    if wrong:
        terminalreporter.section("skipped although what they need should be there")
        for name in wrong:
            terminalreporter.write_line(name)
