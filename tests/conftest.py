"""What all tests share: where the data outside the project is, and the options of the TCK.

Tests that need `../shared` ask for the `shared` fixture and are skipped where it is absent; with
TESTS_NEED_SHARED=1 (CI), a skip that names it although it is there fails the run.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and "shared" in str(report.longrepr):
        item.config.stash[_skipped].append(item.nodeid)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    wrong = session.config.stash[_skipped]
    if wrong and SHARED.is_dir() and os.environ.get("TESTS_NEED_SHARED") == "1":
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    wrong = config.stash[_skipped]
    if wrong and SHARED.is_dir() and os.environ.get("TESTS_NEED_SHARED") == "1":
        terminalreporter.section("skipped although ../shared is there")
        for name in wrong:
            terminalreporter.write_line(name)
