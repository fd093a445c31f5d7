"""Every load plan of jmeter/ in a real JMeter, for some seconds: no error, and what it says."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.charts import draw_sweep
from benchmarks.client import Server, ask
from benchmarks.jmeter import FOLDER, PLANS, Run, run_plan
from benchmarks.jmeter_home import NoJMeter, jmeter_command
from cypherd.generator import generate_social_network
from cypherd.settings import GIB

PERSONS = 300


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    try:
        jmeter_command(fetch=False)
    except NoJMeter as error:
        pytest.skip(f"JMeter: {error}")
    store = tmp_path_factory.mktemp("jmeter") / "store"
    generate_social_network(store, persons=PERSONS, map_size=GIB)
    with Server(store, settings={"map_size": "1GiB", "workers": 2}) as server:
        yield server.port


def test_every_plan_is_listed() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.jmx")) == sorted(PLANS)
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [plan for plan in PLANS if f"`{plan}.jmx`" not in readme] == []


@pytest.mark.parametrize("plan", PLANS)
def test_plans_are_set_by_properties(plan: str) -> None:
    text = (FOLDER / f"{plan}.jmx").read_text(encoding="utf-8")
    ET.fromstring(text)
    for name in ("threads", "ramp", "duration", "host", "port"):
        assert f"${{__P({name}," in text


@pytest.mark.parametrize("plan", PLANS)
def test_plan_runs_without_an_error(plan: str, port: int) -> None:
    properties = {"lastPerson": PERSONS - 1, "longThreads": 2, "longRows": 200_000}
    runs = run_plan(plan, port, threads=2, duration=3, properties=properties)
    assert [(run.label, run.first_error) for run in runs if run.errors] == []
    assert runs
    assert all(run.requests > 0 for run in runs)


def test_what_creates_creates(port: int) -> None:
    count = "MATCH (n:LoadItem) RETURN count(n)"
    [[before]] = ask(port, count).rows()
    [run] = run_plan("batch-nodes", port, threads=1, duration=2)
    [[after]] = ask(port, count).rows()
    assert after - before == 200 * run.requests


def test_a_wrong_answer_is_an_error(port: int) -> None:
    [run] = run_plan("point-read", port, threads=1, duration=1, properties={"lastPerson": "x"})
    assert run.errors == run.requests > 0


def test_charts_are_drawn(tmp_path: Path) -> None:
    runs = [Run("p", "p", threads, 100, 0, 50.0 * threads, 1, 2, 3, 4) for threads in (1, 8, 32)]
    for file in draw_sweep("p", runs, tmp_path / "p"):
        assert file.stat().st_size > 1000
