"""The random mix of benchmarks/soak.py, short; two minutes in CI (SOAK_SECONDS)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.soak import run

SECONDS = float(os.environ.get("SOAK_SECONDS", "20"))
# What processes may keep of rounds that came after the first: caches that fill, heaps that settle.
_GROWTH = 128 << 20
# What remains of a round, in the file: pairs of the newest rounds, a line for each bulk load.
_REST = 8 << 20
# Commits copy some 20 MiB a second, which are used again once no snapshot is older: those of
# slow clients are kept for a second or two. One kept for good lets the file grow until the end.
_FILE = 192 << 20


@pytest.mark.timeout(SECONDS + 240)
@pytest.mark.parametrize("fronts", [1, 2])
def test_nothing_is_wrong_lost_or_left(tmp_path: Path, fronts: int) -> None:
    settings = {"map_size": "4GiB", "workers": 2, "load_batch": "32KiB", "fronts": fronts}
    report = run(tmp_path / "store", SECONDS, seed=int(SECONDS), settings=settings)
    assert report.wrong == []
    assert min(report.done.values()) > 0
    assert set(report.done) == {"left", "looked", "added", "cancelled", "loaded", "created", "lots"}
    assert sum(report.killed.values()) > 0
    assert report.after.processes == report.before.processes
    assert report.after.descriptors <= report.before.descriptors
    assert report.after.dead_readers == 0
    assert report.sizes[-1].shared == report.sizes[0].shared
    assert report.sizes[-1].memory < report.sizes[0].memory + _GROWTH
    # What a round has written is removed after it.
    assert report.sizes[-1].used < report.sizes[0].used + _REST
    assert report.sizes[-1].file < _FILE
