"""Scenarios as tests, and the totals at the end of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest

from tests.tck.expected_failures import read_expected, write_expected
from tests.tck.scenarios import Scenario, load_scenarios


@dataclass(slots=True)
class TckResults:
    """Filled by the tests: scenarios that passed, and why the others did not."""

    expected: frozenset[str] = field(default_factory=read_expected)
    passed: dict[str, Scenario] = field(default_factory=dict)
    failed: dict[str, tuple[Scenario, BaseException]] = field(default_factory=dict)


RESULTS = pytest.StashKey[TckResults]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RESULTS] = TckResults()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" not in metafunc.fixturenames:
        return
    root = metafunc.config.getoption("--tck")
    if not (root / "features").is_dir():
        skip = pytest.mark.skip(reason=f"no TCK in {root.name} (../shared is not there)")
        metafunc.parametrize("scenario", [pytest.param(None, marks=skip)], ids=["absent"])
        return
    scenarios = load_scenarios(root)
    metafunc.parametrize("scenario", scenarios, ids=[scenario.id for scenario in scenarios])


@pytest.fixture
def tck_results(request: pytest.FixtureRequest) -> TckResults:
    return request.config.stash[RESULTS]


def pytest_sessionfinish(session: pytest.Session) -> None:
    results = session.config.stash[RESULTS]
    if session.config.getoption("--tck-update") and (results.passed or results.failed):
        write_expected(results.expected, set(results.failed), set(results.passed))
    report = session.config.getoption("--tck-report")
    if report is not None:
        lines = (
            f"{name}\t{type(why).__name__}: {' '.join(str(why).split())}"
            for name, (_, why) in sorted(results.failed.items())
        )
        report.write_text("\n".join(lines) + "\n", encoding="utf-8")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    results = config.stash[RESULTS]
    if not results.passed and not results.failed:
        return
    passed = Counter(scenario.folder for scenario in results.passed.values())
    failed = Counter(scenario.folder for scenario, _ in results.failed.values())
    terminalreporter.section("openCypher TCK")
    for folder in sorted({*passed, *failed}):
        line = f"{folder:40} {passed[folder]:5} passed {failed[folder]:5} failed"
        terminalreporter.write_line(line)
    kinds = Counter(type(why).__name__ for _, why in results.failed.values())
    why = ", ".join(f"{count} {name}" for name, count in kinds.most_common())
    line = f"{'all':40} {passed.total():5} passed {failed.total():5} failed"
    terminalreporter.write_line(f"{line}  {f'({why})' if why else ''}".rstrip())
