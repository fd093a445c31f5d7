"""Every scenario of the TCK, against the list of those that are known to fail.

A scenario on the list that passes fails the run, as does one that is not on it and fails.
`--tck-update` rewrites the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cypherd.engine import Engine
from cypherd.settings import MIB, Settings
from cypherd.storage.lmdb.store import open_store
from tests.tck.conftest import TckResults
from tests.tck.expected_failures import read_expected
from tests.tck.runner import ScenarioRun
from tests.tck.scenarios import Scenario


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="cypherd-tck-") as folder:
        yield Path(folder)


def _run(scenario: Scenario, root: Path, folder: Path) -> Exception | None:
    """What made the scenario fail; anything a query raises may."""
    with TemporaryDirectory(dir=folder) as path:
        store = open_store(Path(path) / "store", map_size=64 * MIB, create=True)
        try:
            ScenarioRun(store, Engine(Settings()), root).run(scenario)
        except Exception as error:
            return error
        finally:
            store.close()
    return None


def test_scenario(
    scenario: Scenario, folder: Path, tck_results: TckResults, pytestconfig: pytest.Config
) -> None:
    failure = _run(scenario, pytestconfig.getoption("--tck"), folder)
    listed = scenario.id in tck_results.expected
    if failure is None:
        tck_results.passed[scenario.id] = scenario
    else:
        tck_results.failed[scenario.id] = (scenario, failure)
    if pytestconfig.getoption("--tck-update"):
        return
    if failure is None and listed:
        pytest.fail("passes now: take it off tests/tck/expected_failures.txt")
    if failure is not None and listed:
        pytest.xfail(f"{type(failure).__name__}: {failure}")
    if failure is not None:
        raise failure


def test_list_is_sorted_and_without_repeats() -> None:
    lines = Path(__file__).with_name("expected_failures.txt").read_text(encoding="utf-8")
    assert lines.splitlines() == sorted(read_expected())
