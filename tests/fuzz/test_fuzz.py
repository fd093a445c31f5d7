"""A few seconds of the fuzzer with fixed seeds, and the fuzzer itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from cypherd.errors import CypherSyntaxError
from cypherd.parser.parser import parse
from cypherd.settings import MIB
from cypherd.storage.lmdb.store import open_store
from tests.fuzz.corpus import texts
from tests.fuzz.inputs import inputs, walked_grammar
from tests.fuzz.report import Report
from tests.fuzz.trial import Outcome, Trial, failed

TEXTS = 600
SECONDS = 5.0


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    store = open_store(tmp_path_factory.mktemp("fuzz") / "store", map_size=64 * MIB, create=True)
    made = Trial(store)
    made.fill()
    yield made
    store.close()


@pytest.fixture(scope="module")
def corpus() -> list[str]:
    return texts()


@pytest.mark.parametrize("seed", range(4))
def test_rows_or_an_error(trial: Trial, corpus: list[str], tmp_path: Path, seed: int) -> None:
    report = Report(tmp_path, SECONDS)
    for text in islice(inputs(seed, corpus), TEXTS):
        report.add(text, trial.run(text))
    assert not report.faults, report.summary(seed, 0)
    assert report.kinds["rows"] > TEXTS // 20
    assert report.kinds["CypherSyntaxError"] > TEXTS // 3


def test_every_good_text(trial: Trial, corpus: list[str], tmp_path: Path) -> None:
    report = Report(tmp_path, SECONDS)
    for text in corpus[::10]:
        report.add(text, trial.run(text))
    assert not report.faults, report.summary(0, 0)
    assert report.kinds["rows"] > report.inputs // 2


def test_the_same_seed_gives_the_same_texts(corpus: list[str]) -> None:
    first, again, other = (list(islice(inputs(seed, corpus), 50)) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_the_walk_knows_every_terminal_and_makes_good_texts() -> None:
    sentences = walked_grammar()
    assert not sentences.unknown_terminals()
    random = Random(1)
    made = [sentences.text(random, 30) for _ in range(300)]
    assert sum(map(_parses, made)) > 60
    assert max(map(len, made)) > 300


def _parses(text: str) -> bool:
    try:
        parse(text)
    except CypherSyntaxError:
        return False
    return True


def _raised(error: Exception, cause: Exception | None = None) -> Outcome:
    try:
        raise error from cause
    except Exception as raised:
        return failed(raised, "RETURN 1", 0.0, 0.0)


def test_what_a_fault_is(tmp_path: Path) -> None:
    placed = CypherSyntaxError("wrong", offset=3).located("RETURN 1\nRETURN 2")
    placed.line = 7
    for outcome in (
        _raised(KeyError("x")),
        _raised(CypherSyntaxError("too deep"), RecursionError()),
        _raised(CypherSyntaxError("")),
        _raised(placed),
    ):
        assert outcome.fault
    assert not _raised(CypherSyntaxError("wrong")).fault


def test_the_report_keeps_the_shortest_text_of_a_fault(tmp_path: Path) -> None:
    report = Report(tmp_path / "faults", SECONDS)
    for text in ("RETURN 12", "RETURN 1", "RETURN 123"):
        report.add(text, Outcome("KeyError", "no CypherdError", "there", 0.1))
    report.add("RETURN 2", Outcome("rows", None, "", SECONDS + 1))
    assert report.faults == {"there": 3, "slow plan": 1}
    kept = {path.read_text() for path in (tmp_path / "faults").glob("*.cypher")}
    assert kept == {"RETURN 1", "RETURN 2"}
    assert "6000.00 ms planned: 'RETURN 2'" in report.summary(1, 1)
