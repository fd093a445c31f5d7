"""The random mix of benchmarks/soak.py, short; two minutes in CI (SOAK_SECONDS)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.soak import run

SECONDS = float(os.environ.get("SOAK_SECONDS", "20"))
# What processes may keep of rounds that came after the first: caches that fill, heaps that settle.
_GROWTH = 128 << 20


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
    # Every round writes and removes about as much: the room of one is used by the next.
    assert report.sizes[-1].file < 3 * report.sizes[0].file
